/** The routing daemon on this machine and the drivers of the speakers that live in it: the one place that knows every kind. */
import type { Daemon } from './api/speakers/speakers.ts';
import type { RouterConfig } from './config/router-config.ts';
import { BirdDaemon } from './speakers/bird/daemon.ts';
import { BirdDriver } from './speakers/bird/driver.ts';
import { FrrDaemon } from './speakers/frr/daemon.ts';
import { FrrDriver } from './speakers/frr/driver.ts';
import { GobgpDaemon } from './speakers/gobgp/daemon.ts';
import { GobgpDriver } from './speakers/gobgp/driver.ts';
import { OpenbgpdDaemon } from './speakers/openbgpd/daemon.ts';
import { OpenbgpdDriver } from './speakers/openbgpd/driver.ts';
import { ProvisionalDriver } from './speakers/provisional.ts';
import type { PlainDriver, SharedDaemon, SpeakerDriver } from './speakers/speaker.ts';

export interface RouterDrivers {
  readonly daemon: Daemon;
  readonly driver: (speakerId: string) => SpeakerDriver;
  /** Of daemons that one process at a time may drive. */
  readonly shared?: SharedDaemon;
}

/**
 * @param feedDriver makes a builtin driver by its speaker's id, for daemons that are fed their routes over a session
 * @param serviceId distinguishes what this service left in the daemon from what is another's; absent: nothing is taken out
 * @returns what drives speakers of the configured daemon; they share whatever connection it takes
 */
export function routerDrivers(
  router: RouterConfig,
  feedDriver: (id: string) => PlainDriver,
  serviceId?: string,
): RouterDrivers {
  switch (router.daemon) {
    case 'bird': {
      const { socket, configDir, program, mainConfig, bindsOwnAddress, feed } = router;
      const bird = new BirdDaemon({
        socket,
        directory: configDir,
        program,
        mainConfig,
        strictBind: bindsOwnAddress,
        feed: { address: feed.host, port: feed.port },
        ...(serviceId === undefined ? {} : { serviceId }),
      });
      return {
        daemon: router.daemon,
        driver: (speakerId) => new BirdDriver(bird, speakerId, feedDriver),
        shared: bird,
      };
    }
    case 'frr': {
      const { socketDir, program, feed } = router;
      const frr = new FrrDaemon({
        directory: socketDir,
        program,
        feed: { address: feed.host, port: feed.port },
        ...(serviceId === undefined ? {} : { serviceId }),
      });
      return {
        daemon: router.daemon,
        driver: (speakerId) => new ProvisionalDriver(new FrrDriver(frr, speakerId, feedDriver)),
        shared: frr,
      };
    }
    case 'gobgp': {
      const gobgp = new GobgpDaemon({ api: router.api, ...(serviceId === undefined ? {} : { serviceId }) });
      return {
        daemon: router.daemon,
        driver: (speakerId) => new ProvisionalDriver(new GobgpDriver(gobgp, speakerId)),
        shared: gobgp,
      };
    }
    case 'openbgpd': {
      const { socket, configDir, program, controlProgram, mainConfig } = router;
      const openbgpd = new OpenbgpdDaemon({
        socket,
        directory: configDir,
        program,
        controlProgram,
        mainConfig,
        ...(serviceId === undefined ? {} : { serviceId }),
      });
      return {
        daemon: router.daemon,
        driver: (speakerId) => new ProvisionalDriver(new OpenbgpdDriver(openbgpd, speakerId)),
        shared: openbgpd,
      };
    }
  }
}
