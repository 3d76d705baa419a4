import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouterStatus } from '../../src/api/router.ts';
import { type Bird, startBird } from '../daemons/bird.ts';
import { freePort, loopbackAddress } from '../daemons/ports.ts';
import { daemonDirectory } from '../daemons/process.ts';
import { programPath, requireDaemon, unavailable } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { type Casting, SPEAKER_ASN, addCdnModule, refresh, serve, startCasting } from './casting.ts';

/** BIRD listens on the port of BGP for the sessions of a service. */
const lacks =
  requireDaemon('bird') === null ||
  (process.getuid?.() !== 0 && unavailable('port 179', 'only root may bind it') === null);

describe.skipIf(lacks)('a service beside a BIRD that it feeds', () => {
  const address = loopbackAddress();
  let directory: string;
  let router: Bird;
  let peer: Bird;
  let casting: Casting;
  beforeAll(async () => {
    directory = daemonDirectory('config');
    router = await startBird({
      listen: { address, port: 179 },
      ...{ routerId: address, localAsn: 65_000, neighbors: [] },
      extraConfig: `include "${directory}/*.conf";`,
    });
    const own = loopbackAddress();
    peer = await startBird({
      listen: { address: own, port: await freePort(own) },
      ...{ routerId: own, localAsn: 64_496 },
      neighbors: [{ address, port: 179, asn: SPEAKER_ASN, passive: true, gracefulRestart: true }],
    });
    casting = await startCasting({
      APP_ROUTER_SOCKET: router.socketPath,
      APP_ROUTER_CONFIG_DIR: directory,
      APP_ROUTER_BIN: programPath('bird'),
      APP_ROUTER_CONFIG: join(dirname(router.socketPath), 'bird.conf'),
      APP_ROUTER_BIND: 'own',
      APP_ROUTER_FEED: `${address}:${await freePort(address)}`,
    });
  });
  afterAll(async () => {
    await casting?.close();
    await peer?.stop();
    await router?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const status = async (): Promise<RouterStatus['items'][number] | undefined> =>
    (await casting.service.get<RouterStatus>('/v1/router/status')).items.find(
      ({ daemon }) => daemon === 'bird',
    );

  test('brings its routes to the peers of BIRD, tells how that is, and has it reload', async () => {
    const { service, sources } = casting;
    const speaker = await service.post<{ id: string }>('/v1/speakers', {
      ...{ name: 'router', daemon: 'bird', local_asn: SPEAKER_ASN, local_ipv4: address },
      policies_json: { bird_routes: 'feed' },
    });
    await service.post('/v1/peers', {
      ...{ name: 'peer', address: peer.address, port: peer.port, remote_asn: peer.localAsn, multihop: 2 },
      ...{ speaker_ids: [speaker.id], families: ['ipv4'] },
    });
    sources.set('/list', serve('45.0.0.0/24\n45.0.2.0/24\n'));
    const { moduleId } = await addCdnModule(casting, '65000:100', { path: '/list' });
    await refresh(casting, moduleId);
    await peer.waitRoutes(2);
    expect(
      (await peer.routes()).map(({ prefix, asPath, communities }) => [prefix, asPath, communities]),
    ).toEqual([
      ['45.0.0.0/24', '64512', ['65000:100', '65535:65281']],
      ['45.0.2.0/24', '64512', ['65000:100', '65535:65281']],
    ]);
    const isTold = async (): Promise<boolean> => (await status())?.sessions.established === 1;
    await waitFor(isTold, { what: 'the session to be told' });
    expect(await status()).toMatchObject({ reachable: true, router_id: address, error: null, speakers: 1 });
    const job = await service.post<{ id: string }>('/v1/router/reload');
    const { daemons } = await service.succeeded(job);
    expect(daemons).toMatchObject([
      { daemon: 'bird', status: 'ok' },
      { daemon: 'builtin', status: 'ok' },
    ]);
  });

  test('leaves BIRD its routes when it is killed, and takes them over when it is back', async () => {
    const told = peer.updates().length;
    await casting.service.stop('SIGKILL');
    const isAway = async (): Promise<boolean> =>
      (await router.command('show protocols "pc_*_feed"')).every(({ text }) => !text.includes('Established'));
    await waitFor(isAway, { what: 'BIRD to notice' });
    expect(await peer.routeCount()).toBe(2);
    await casting.restart();
    await waitFor(async () => (await status())?.reachable === true && !(await isAway()), {
      what: 'the service to feed BIRD again',
    });
    const since = peer.updates().slice(told);
    expect(since.flatMap(({ withdrawn }) => withdrawn)).toEqual([]);
    expect(await peer.routeCount()).toBe(2);
  });
});
