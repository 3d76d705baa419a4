import { execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeCertificates } from '../daemons/certificates.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { startWorld, type NodeWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('openssl') === null;
const unit = join(import.meta.dirname, '../../packaging/prefixcast-agent.service');
const NOBODY = 65_534;
/** No user of a usual machine. */
const NOT_KNOWN = 61_999;

// Each step may take its time where many tests share the machine.

describe.skipIf(lacks)('setting up a node', () => {
  let world: NodeWorld;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world?.close());

  test('works for an ordinary user, with the token in a file', async () => {
    const isRoot = process.getuid?.() === 0;
    const dataDir = join(world.directory, 'ordinary');
    const tokenFile = join(world.directory, 'token');
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(tokenFile, `${await world.token()}\n`, { mode: 0o600 });
    if (isRoot) for (const path of [dataDir, tokenFile]) chownSync(path, NOBODY, NOBODY);
    const agent = await world.start({
      dataDir,
      env: { APP_AGENT_TOKEN_FILE: tokenFile },
      ...(isRoot ? { user: NOBODY } : {}),
    });
    await world.announce(['45.4.0.0/24']);
    if (isRoot) expect(statSync(join(dataDir, 'bundle.tar')).uid).toBe(NOBODY);
    await agent.stop();
  });

  test('over TLS believes the authority that it is given, and nobody else', async () => {
    const certificates = makeCertificates(['IP:127.0.0.1']);
    const { port } = new URL(world.service.url);
    const server = createServer({ key: certificates.key, cert: certificates.cert }, (asked, answer) => {
      const { method, url, headers } = asked;
      const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, (answered) => {
        answer.writeHead(answered.statusCode!, answered.headers);
        answered.pipe(answer);
      });
      onward.on('error', () => answer.destroy());
      asked.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const stranger = await world.start({ url, token: await world.token() });
      await stranger.hears(/does not answer: .*certificate/);
      expect(stranger.child.exitCode).toBeNull();
      await stranger.stop();
      const agent = await world.start({
        url,
        token: await world.token(),
        env: { APP_AGENT_CA_FILE: certificates.caFile },
      });
      await world.announce(['45.4.2.0/24']);
      await agent.stop();
    } finally {
      server.closeAllConnections();
      server.close();
      certificates.remove();
    }
  });

  test('needs no home, as a user that exists while it runs has none', async () => {
    const isRoot = process.getuid?.() === 0;
    const agent = await world.start({
      args: ['status'],
      dataDir: join(world.directory, 'homeless'),
      ...(isRoot ? { user: NOT_KNOWN } : {}),
    });
    await agent.hears('No agent has run in');
  });

  test('that cannot work ends with EX_CONFIG, so that nothing starts it again and again', async () => {
    const router = { APP_ROUTER_SOCKET: '/run/bird/none.ctl', APP_ROUTER_CONFIG_DIR: '/etc/bird/none' };
    const agent = await world.start({ token: await world.token(), env: router });
    await waitFor(() => agent.child.exitCode !== null, { what: 'the agent to end' });
    expect(agent.child.exitCode).toBe(78);
    expect(agent.said()).toContain('of the daemon builtin, and the node drives bird');
  });
});

describe('the unit for systemd', () => {
  const settings = readFileSync(unit, 'utf8')
    .split('\n')
    .filter((line) => /^\w+=/.test(line));

  test('runs as nobody in particular, with no right but to a port below 1024', () => {
    for (const line of [
      'DynamicUser=yes',
      'NoNewPrivileges=yes',
      'ProtectSystem=strict',
      'StateDirectory=prefixcast-agent',
      'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
      'AmbientCapabilities=CAP_NET_BIND_SERVICE',
      'RestartPreventExitStatus=78',
    ])
      expect(settings).toContain(line);
    expect(settings.filter((line) => line.startsWith('User=') || /CAP_(?!NET_BIND)/.test(line))).toEqual([]);
  });

  test('is one that systemd takes, where systemd is there to say so', () => {
    try {
      execFileSync('systemd-analyze', ['--version'], { stdio: 'pipe' });
    } catch {
      // The lines themselves are looked at above.
      expect(settings.length).toBeGreaterThan(20);
      return;
    }
    const words = execFileSync('systemd-analyze', ['verify', unit], { encoding: 'utf8', stdio: 'pipe' });
    expect(words).toBe('');
  });
});
