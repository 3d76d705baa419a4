import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loopbackAddress } from '../daemons/machine/ports.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { requireSystemd, startSystemd, type Systemd } from '../daemons/machine/systemd.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireSystemd() === null;
const checkout = join(import.meta.dirname, '../..');
const unit = readFileSync(join(checkout, 'packaging/prefixcast-agent.service'), 'utf8');
const SERVICE = 'prefixcast-agent.service';
const LOG = '/run/agent.log';
const STATE = '/var/lib/prefixcast-agent';
const ENVIRONMENT = '/etc/prefixcast/agent.env';

const FIRST = ['45.5.0.0/24', '2a00:500::/32'];
const SECOND = ['45.5.0.0/24', '45.5.2.0/24'];

// Each step may take its time where many tests share the machine.

/** The unit as it is shipped, run by systemd; and /mnt is the checkout, from where the command comes. */
describe.skipIf(lacks)('the unit of the agent', () => {
  let world: NodeWorld;
  let systemd: Systemd;
  const address = loopbackAddress();
  const listen = `${address}:179`;

  beforeAll(async () => {
    world = await startWorld();
    systemd = await startSystemd({
      mnt: checkout,
      units: {
        [SERVICE]: unit,
        [`${SERVICE}.d/log.conf`]: `[Service]\nStandardOutput=append:${LOG}\nStandardError=inherit\n`,
      },
      files: {
        [ENVIRONMENT]: ['0600', await environment()],
        '/usr/local/bin/prefixcast': [
          '0755',
          '#!/bin/sh\nexec /mnt/node_modules/.bin/node /mnt/src/prefixcast.ts "$@"\n',
        ],
      },
    });
  });
  afterAll(async () => {
    await systemd?.stop();
    await world?.close();
  });

  async function environment(): Promise<string> {
    const lines = {
      APP_AGENT_CONTROL_URL: world.service.url,
      APP_AGENT_TOKEN: await world.token(),
      APP_BGP_LISTEN: listen,
    };
    return Object.entries(lines)
      .map((line) => `${line.join('=')}\n`)
      .join('');
  }

  const log = (): string => systemd.run('cat', LOG);
  const show = (...properties: string[]) => systemd.show(SERVICE, ...properties);
  const inside = (...command: string[]): string =>
    systemd.run('nsenter', '--mount', '--target', show('MainPID').MainPID!, ...command);

  async function reports(): Promise<void> {
    await waitFor(async () => (await world.speaker()).live.reachable, {
      what: 'the agent to report',
      details: () => `${systemd.log()}\n${log()}`,
    });
  }

  test('enrolls, pulls and announces', async () => {
    await reports();
    await world.announce(FIRST);
    expect(show('ActiveState', 'NRestarts')).toEqual({ ActiveState: 'active', NRestarts: '0' });
  });

  test('has no right but to ports below 1024, and writes its own directory only', async () => {
    const socket = connect(179, address);
    await once(socket, 'connect');
    socket.destroy();
    const status = systemd.run('cat', `/proc/${show('MainPID').MainPID}/status`);
    const of = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)![1]!;
    const port = (1n << 10n).toString(16).padStart(16, '0'); // CAP_NET_BIND_SERVICE
    expect([of('CapEff'), of('CapBnd'), of('NoNewPrivs')]).toEqual([port, port, '1']);
    expect(of('Seccomp')).toBe('2');
    // Of the users that systemd makes up.
    expect(Number(of('Uid'))).toBeGreaterThanOrEqual(61_184);
    expect(Number(of('Uid'))).toBeLessThanOrEqual(65_519);
    expect(systemd.run('stat', '-L', '-c', '%a %u', STATE)).toBe(`700 ${of('Uid')}\n`);
    for (const name of ['identity.json', 'trust.json', 'bundle.tar'])
      expect(systemd.run('stat', '-c', '%a', `${STATE}/${name}`)).toBe('600\n');
    for (const path of ['/usr/local/bin/x', '/etc/x', '/var/lib/x', '/mnt/x'])
      expect(() => inside('touch', path)).toThrow(/Read-only file system/);
    expect(
      inside('ls', '/home', '/root')
        .replaceAll(/^\/(home|root):$/gm, '')
        .trim(),
    ).toBe('');
  });

  test('follows changes', () => world.announce(SECOND));

  test('is started again when it was killed, and the peer never lost a route', async () => {
    const received = world.bird.updates().length;
    systemd.run('systemctl', 'kill', '--signal=KILL', '--kill-whom=main', SERVICE);
    await waitFor(() => show('NRestarts').NRestarts === '1', { what: 'the restart' });
    await waitFor(() => log().includes('what it ran before'), {
      what: 'the agent to bring its routes back',
      details: log,
    });
    await world.bird.waitEstablished();
    await world.received(SECOND);
    const sentBefore = world.bird.updates().slice(received);
    expect(sentBefore.flatMap(({ withdrawn }) => withdrawn)).toEqual([]);
  });

  test('stops in order, and is back with its routes without a token and without the service', async () => {
    systemd.run('systemctl', 'stop', SERVICE);
    expect(show('ActiveState', 'Result')).toEqual({ ActiveState: 'inactive', Result: 'success' });
    await world.stopService();
    systemd.run('sh', '-c', `echo APP_BGP_LISTEN=${listen} > ${ENVIRONMENT}`);
    systemd.run('systemctl', 'start', SERVICE);
    await world.bird.waitEstablished();
    await world.received(SECOND);
    await world.startService();
    await reports();
  });

  test('is left alone where starting it again would not help', async () => {
    systemd.run('systemctl', 'stop', SERVICE);
    systemd.run('sh', '-c', `rm ${STATE}/*`);
    systemd.run('systemctl', 'start', SERVICE);
    await waitFor(() => show('ActiveState').ActiveState === 'failed', {
      what: 'the end',
      details: log,
    });
    expect(show('ExecMainStatus', 'NRestarts')).toEqual({ ExecMainStatus: '78', NRestarts: '0' });
  });
});
