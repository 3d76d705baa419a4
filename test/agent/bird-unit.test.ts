/** A node with a BIRD, as docs/routers/nodes.md sets it up: the unit with a drop-in. It comes back without the service, with all that its peers had. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startBird, type Bird } from '../daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { programPath, requireDaemon } from '../daemons/programs.ts';
import { requireSystemd, startSystemd, type Systemd } from '../daemons/machine/systemd.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireSystemd() === null;
const checkout = join(import.meta.dirname, '../..');
const unit = readFileSync(join(checkout, 'packaging/prefixcast-agent.service'), 'utf8');
const AGENT = 'prefixcast-agent.service';
const ROUTER = 'bird.service';
const LOG = '/run/agent.log';
const STATE = '/var/lib/prefixcast-agent';
const ENVIRONMENT = '/etc/prefixcast/agent.env';
/** A group that every Debian has, in the place of bird's. */
const GROUP = 'daemon';

const MANY = ['45.5.0.0/24', '45.5.2.0/24', '45.5.4.0/24', '45.5.6.0/24'];

describe.skipIf(lacks)('the unit of the agent beside a BIRD', () => {
  let world: NodeWorld;
  let systemd: Systemd;
  let wide: Bird;
  let narrow: Bird;
  let speakerId: string;
  const address = loopbackAddress();

  beforeAll(async () => {
    world = await startWorld();
    const speaker = {
      name: 'with bird',
      mode: 'agent',
      daemon: 'bird',
      local_asn: 64512,
      local_ipv4: address,
    };
    ({ id: speakerId } = await world.service.post<{ id: string }>('/v1/speakers', speaker));
    [wide, narrow] = [await addPeer('wide', null), await addPeer('narrow', 2)];
    systemd = await startSystemd({
      mnt: checkout,
      units: {
        [AGENT]: unit,
        [`${AGENT}.d/bird.conf`]: `[Unit]
After=${ROUTER}
[Service]
SupplementaryGroups=${GROUP}
ReadWritePaths=/etc/bird/prefixcast
StandardOutput=append:${LOG}
StandardError=inherit
`,
        [ROUTER]: `[Service]
User=${GROUP}
Group=${GROUP}
RuntimeDirectory=bird
AmbientCapabilities=CAP_NET_BIND_SERVICE
ExecStartPre=+/usr/bin/install -d -g ${GROUP} -m 2770 /etc/bird/prefixcast
ExecStart=${programPath('bird')} -f -c /etc/bird/bird.conf -s /run/bird/bird.ctl
`,
      },
      files: {
        [ENVIRONMENT]: ['0600', await environment()],
        '/etc/bird/bird.conf': [
          '0644',
          `router id ${address};\nprotocol device { }\ninclude "/etc/bird/prefixcast/*.conf";\n`,
        ],
        '/usr/local/bin/prefixcast': [
          '0755',
          '#!/bin/sh\nexec /mnt/node_modules/.bin/node /mnt/src/prefixcast.ts "$@"\n',
        ],
      },
    });
  });
  afterAll(async () => {
    await systemd?.stop();
    for (const peer of [wide, narrow]) await peer?.stop();
    await world?.close();
  });

  async function addPeer(name: string, limit: number | null): Promise<Bird> {
    const own = loopbackAddress();
    const peer = await startBird({
      listen: { address: own, port: await freePort(own) },
      ...{ routerId: own, localAsn: 64496 },
      neighbors: [{ address, port: 1, asn: 64512, passive: true }],
    });
    await world.service.post('/v1/peers', {
      ...{ name, address: own, port: peer.port, remote_asn: 64496, multihop: 2 },
      ...{ speaker_ids: [speakerId], families: ['ipv4'], max_prefixes_out: limit },
    });
    return peer;
  }

  async function environment(): Promise<string> {
    const lines = {
      APP_AGENT_CONTROL_URL: world.service.url,
      APP_AGENT_TOKEN: await world.token(speakerId),
      APP_BGP_LISTEN: `${address}:1790`,
      APP_ROUTER_SOCKET: '/run/bird/bird.ctl',
      APP_ROUTER_CONFIG_DIR: '/etc/bird/prefixcast',
      APP_ROUTER_BIN: programPath('bird'),
      APP_ROUTER_BIND: 'own',
    };
    return Object.entries(lines)
      .map((line) => `${line.join('=')}\n`)
      .join('');
  }

  const details = (): string => `${systemd.log()}\n${systemd.run('cat', LOG)}`;
  const have = async (ofWide: number, ofNarrow: number): Promise<void> => {
    const counts = async (): Promise<number[]> => [
      (await wide.routes()).length,
      (await narrow.routes()).length,
    ];
    await waitFor(async () => (await counts()).join() === [ofWide, ofNarrow].join(), {
      ...{ what: `${ofWide} and ${ofNarrow} routes`, details },
    });
  };

  test('announces, and keeps what a peer over its limit holds in its own directory', async () => {
    await world.ask(MANY.slice(0, 2));
    await have(2, 2);
    await world.ask(MANY);
    await have(4, 2);
    expect(systemd.run('stat', '-c', '%a', `${STATE}/held-routes.json`)).toBe('600\n');
  });

  test('comes back without the service after a reboot: each peer has what it had', async () => {
    await world.stopService();
    systemd.run('systemctl', 'stop', AGENT, ROUTER);
    await have(0, 0);
    systemd.run('sh', '-c', `rm -rf /run/bird ${LOG}`);
    systemd.run('systemctl', 'start', ROUTER, AGENT);
    await have(4, 2);
  });
});
