/** Each fault that the doctor knows, made for real beside one service. */
import { chmodSync } from 'node:fs';
import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSilentNode } from '../cli/desk/silent-node.ts';
import { freePort } from '../daemons/machine/ports.ts';
import { daemonPath, requireDaemon, unavailable } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { addCdnModule, serve, startCasting } from '../e2e/casting.ts';
import { useDoctor } from './findings.ts';

const practice = useDoctor();
const { doctor, expectFinding } = practice;
const servers: Server[] = [];

beforeAll(async () => {
  await practice.casting.service.post('/v1/peers', {
    ...{ name: 'locked', address: '192.0.2.9', remote_asn: 64499, password: 'very secret', enabled: false },
  });
});
afterAll(() => {
  for (const server of servers) server.close();
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

test('a service that is well', async () => {
  const { code, findings } = await doctor();
  expect(findings.filter(({ verdict }) => verdict === 'fault')).toEqual([]);
  expect(code).toBe(0);
  expect(findings.map(({ found }) => found).join('\n')).toMatch(
    /it runs and is ready.*PostgreSQL 18.*opens [1-9]\d* secrets.*the service listens for the API.*BGP can listen on/s,
  );
});

test('the service of this machine, at the address that commands ask', async () => {
  const APP_PORT = String(await freePort());
  const { url } = practice.casting.service;
  const { findings } = await doctor({ APP_PORT, PREFIXCAST_URL: `${url}/` });
  expect(findings.find(({ check }) => check === 'service')).toMatchObject({
    verdict: 'ok',
    found: `it runs and is ready at ${url}`,
  });
});

test('another data directory than that of the service', () =>
  expectFinding(
    'warning',
    'database',
    /^the service at .* keeps its data elsewhere than in \/nonexistent/,
    /with its environment: APP_DATA_DIR/,
    { APP_DATA_DIR: '/nonexistent' },
  ));

test('a PREFIXCAST_URL of another machine', () =>
  expectFinding('warning', 'environment', /names http:\/\/192\.0\.2\.7, which is not this machine/, /unset/, {
    PREFIXCAST_URL: 'http://192.0.2.7',
  }));

test('a clock that is an hour ahead of that of the database', async () => {
  const library = daemonPath('libfaketimeMT.so.1');
  if (library === null) return void unavailable('libfaketime', 'run scripts/setup test');
  const faked = { LD_PRELOAD: library, FAKETIME: '+1h', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  await expectFinding('fault', 'clock', /^3[56]\d\d\.\d s away/, /NTP/, faked);
});

describe('the key', () => {
  test('is another one', () =>
    expectFinding('fault', 'key', /does not open \d+ secrets of \d+: peer /, /APP_SECRET_KEY/, {
      APP_SECRET_KEY: '33'.repeat(32),
    }));

  test('may be read by others', async () => {
    const path = join(practice.casting.dataDir, 'secret-key');
    chmodSync(path, 0o644);
    await expectFinding('fault', 'key', /others may read/, /chmod 600/);
    chmodSync(path, 0o600);
  });
});

describe('ports', () => {
  test('another program has the one of the API', async () => {
    const APP_PORT = String(await listening(createServer((socket) => socket.destroy())));
    await expectFinding('fault', 'ports', /another program listens.*API/, /ss -ltnp/, { APP_PORT });
  });

  test('another program has the one of the API, and answers there', async () => {
    const answers: RequestListener = (_, response) => void response.writeHead(404).end('<p>Not found</p>');
    const more = { APP_PORT: String(await listening(createHttpServer(answers))) };
    await expectFinding('fault', 'service', /^another program answers at http\S+ \(404\)/, /ss -ltnp/, more);
    await expectFinding('fault', 'ports', /another program listens.*API/, /ss -ltnp/, more);
    const { findings } = await doctor(more);
    // Nobody who could know says how they are.
    expect(findings.find(({ check }) => check === 'sessions')).toMatchObject({
      verdict: 'ok',
      found: expect.stringContaining('not tried') as string,
    });
    // It may have an answer for everything.
    const agrees: RequestListener = (_, response) => void response.end('{"status":"up"}');
    const other = { APP_PORT: String(await listening(createHttpServer(agrees))) };
    await expectFinding('fault', 'service', /^another program answers at http\S+ \(200\)/, /APP_PORT/, other);
  });

  test('port 179 is not for this user', async () => {
    if (process.getuid?.() !== 0) return void unavailable('root', 'it makes a network of its own');
    // A network of its own, since a container may let everybody have small ports.
    const wrapper = ['unshare', '--net', 'setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    const more = { APP_BGP_LISTEN: '0.0.0.0:179', APP_DATA_DIR: '/nonexistent/data' };
    await expectFinding(
      'fault',
      'ports',
      /may not listen for BGP on 0\.0\.0\.0 port 179/,
      /CAP_NET_BIND_SERVICE/,
      more,
      wrapper,
    );
  });
});

test('a daemon whose socket is not there, and one that nobody listens at', async () => {
  const APP_ROUTER_CONFIG_DIR = practice.casting.dataDir;
  const APP_ROUTER_SOCKET = join(practice.casting.dataDir, 'bird.ctl');
  const more = { APP_ROUTER_SOCKET, APP_ROUTER_CONFIG_DIR };
  await expectFinding('fault', 'router', /bird cannot be called.*ENOENT/, /APP_ROUTER_SOCKET/, more);
  const gobgp = { APP_ROUTER_DAEMON: 'gobgp', APP_ROUTER_SOCKET: `127.0.0.1:${await freePort()}` };
  await expectFinding('fault', 'router', /gobgp cannot be called.*ECONNREFUSED/, /Start gobgp/, gobgp);
});

describe('a proxy before the API', () => {
  /** Passes answers on, at once or when they are whole. */
  const passing =
    (isBuffering: boolean): RequestListener =>
    (request, response) => {
      const aborted = new AbortController();
      response.on('close', () => aborted.abort());
      const { authorization = '' } = request.headers;
      void (async () => {
        const answer = await fetch(practice.casting.service.url + request.url!, {
          headers: { authorization },
          signal: aborted.signal,
        });
        const kept: Uint8Array[] = [];
        for await (const chunk of answer.body! as AsyncIterable<Uint8Array>)
          if (isBuffering) kept.push(chunk);
          else response.write(chunk);
        response.end(Buffer.concat(kept));
      })().catch(() => response.destroy());
    };

  test('holds events back', async () => {
    const APP_PUBLIC_URL = `http://127.0.0.1:${await listening(createHttpServer(passing(true)))}`;
    await expectFinding('fault', 'proxy', /a proxy holds them back/, /proxy_buffering off/, {
      APP_PUBLIC_URL,
    });
  });

  test('lets them through', async () => {
    const APP_PUBLIC_URL = `http://127.0.0.1:${await listening(createHttpServer(passing(false)))}`;
    const { findings } = await doctor({ APP_PUBLIC_URL });
    expect(findings.find(({ check }) => check === 'proxy')).toMatchObject({
      verdict: 'ok',
      found: expect.stringContaining('at once') as string,
    });
  });

  test('does not answer', async () => {
    const APP_PUBLIC_URL = `http://127.0.0.1:${await freePort()}`;
    await expectFinding('warning', 'proxy', /cannot be used from here/, /APP_PUBLIC_URL/, { APP_PUBLIC_URL });
  });
});

test('modules that are held, and peers that are behind', async () => {
  if (requireDaemon('bird') === null) return void unavailable('bird', 'run scripts/setup test');
  const { service } = practice.casting;
  const bird = await practice.casting.addBird();
  const [peer] = (await service.call<{ items: { id: string }[] }>('GET', '/v1/peers?q=bird1')).items;
  await service.call('PATCH', `/v1/peers/${peer!.id}`, { max_prefixes_out: 1 });
  const { moduleId } = await addCdnModule(practice.casting, '64500:1', { path: '/list.txt', format: 'text' });
  const refresh = async (text: string): Promise<void> => {
    practice.casting.sources.set('/list.txt', serve(text));
    for (const path of [`/v1/modules/${moduleId}/refresh`, '/v1/revisions']) {
      const built = await service.succeeded(await service.post<{ id: string }>(path));
      if (typeof built.apply_job_id === 'string') await service.ended({ id: built.apply_job_id });
    }
  };
  await refresh('9.9.9.0/24\n');
  await bird.waitRoutes(1);
  await refresh('9.9.9.0/24\n8.8.8.0/24\n');
  await refresh('9.9.9.0/24\n18.0.0.0/7\n');
  await expectFinding(
    'warning',
    'held',
    /module 64500:1 \(tenant default\) is held for prefix_too_short/,
    /module held '/,
  );
  await expectFinding(
    'warning',
    'peers',
    /^bird1 at builtin .*max_prefixes_out/,
    /prefixcast peer edit bird1/,
  );
});

test('sessions that are down, and a freeze', async () => {
  const { service } = practice.casting;
  const peer = { name: 'silent', address: '192.0.2.13', remote_asn: 64497 };
  const { id } = await service.post<{ id: string }>('/v1/peers', peer);
  await expectFinding(
    'warning',
    'sessions',
    /^the session of silent with builtin .*is not up/,
    /session watch/,
  );
  await service.call('DELETE', `/v1/peers/${id}`);
  await service.call('PATCH', '/v1/settings', { deploy_freeze: true });
  await expectFinding(
    'warning',
    'freeze',
    /^applies are frozen.*tenant default since 2/,
    /prefixcast unfreeze/,
  );
  await service.call('PATCH', '/v1/settings', { deploy_freeze: false });
  const { findings } = await doctor();
  expect(findings.find(({ check }) => check === 'freeze')).toMatchObject({ verdict: 'ok' });
});

test('a session that nobody reports leads to its node, and not to its router', async () => {
  const { service } = practice.casting;
  await addSilentNode(service.url, service.key);
  const found = async () =>
    (await doctor()).findings.find(
      ({ check, found: text }) => check === 'sessions' && text.startsWith('the session of router with edge '),
    );
  expect(await waitFor(found, { what: 'a node that is silent' })).toMatchObject({
    verdict: 'warning',
    found: expect.stringMatching(/: nobody has reported it since 2\S+Z$/) as string,
    remedy: 'Look at the process or the node that has the speaker edge: prefixcast status',
  });
});

test('a service that is down, after a kill too', async () => {
  const APP_BGP_LISTEN = `127.0.0.1:${await freePort()}`;
  const down = await startCasting({ APP_BGP_LISTEN });
  const more = { APP_BGP_LISTEN, APP_DATA_DIR: down.dataDir, APP_PORT: new URL(down.service.url).port };
  try {
    await down.service.post('/v1/peers', { name: 'silent', address: '192.0.2.13', remote_asn: 64497 });
    process.kill(down.service.pid, 'SIGKILL');
    await expectFinding('fault', 'service', /does not answer at http/, /^Start it/, more);
    // That nobody reports sessions is what is said already: routers are not to blame.
    const said = await doctor(more);
    expect(JSON.stringify(said.findings)).not.toContain('those of the router');
    const { findings } = await doctor({ ...more, APP_SERVICE: 'app-worker' });
    expect(findings.find(({ check }) => check === 'service')).toMatchObject({ verdict: 'ok' });
  } finally {
    await down.close();
  }
});

test('an environment that is wrong, and a data directory that is not ours', async () => {
  await expectFinding('fault', 'environment', /APP_PORT="x"/, /environment of the service/, {
    APP_PORT: 'x',
  });
  if (process.getuid?.() !== 0) return void unavailable('root', 'it becomes another user');
  const wrapper = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
  await expectFinding(
    'fault',
    'data',
    /cannot write in/,
    /user of the service/,
    { APP_DATA_DIR: '/etc' },
    wrapper,
  );
});
