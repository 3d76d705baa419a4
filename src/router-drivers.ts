/** The routing daemon on this machine and the drivers of the speakers that live in it: the one place that knows every kind. */
import type { Daemon } from './api/speakers.ts';
import type { RouterConfig } from './router-config.ts';
import { BirdDaemon } from './speakers/bird/daemon.ts';
import { BirdDriver } from './speakers/bird/driver.ts';
import type { PlainDriver, SpeakerDriver } from './speakers/speaker.ts';

export interface RouterDrivers {
  readonly daemon: Daemon;
  readonly driver: (speakerId: string) => SpeakerDriver;
}

/**
 * @param feedDriver makes a builtin driver by its speaker's id, for daemons that are fed their routes over a session
 * @returns what drives speakers of the configured daemon; they share whatever connection it takes
 */
export function routerDrivers(router: RouterConfig, feedDriver: (id: string) => PlainDriver): RouterDrivers {
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
      });
      return { daemon: router.daemon, driver: (speakerId) => new BirdDriver(bird, speakerId, feedDriver) };
    }
  }
}
