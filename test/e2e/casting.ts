import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../demo/service.ts';
import { type Bird, startBird } from '../daemons/bird/bird.ts';
import type { Daemon, DaemonOptions } from '../daemons/daemon.ts';
import { type Frr, startFrr } from '../daemons/frr/frr.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { waitFor } from '../daemons/wait.ts';
import { testProgram } from '../program.ts';
import { seedData } from '../seed.ts';

export const SPEAKER_ASN = 64512;
export const PEER_ASN = 64496;

/** What a source answers; by path. Change an entry and the next refresh reads the new answer. */
export type Sources = Map<string, (request: IncomingMessage, response: ServerResponse) => void>;

/** A line of the log that tells operators of an event. */
export interface LoggedEvent extends Readonly<Record<string, unknown>> {
  readonly event: string;
  readonly level: number;
  readonly msg: string;
}

/** A BIRD and an FRR that are sent the same: what a test says of the pair, each of them has to show. */
export interface Routers {
  readonly bird: Bird;
  readonly frr: Frr;
  readonly peerIds: readonly string[];
  /** Resolves once both have exactly so many routes. */
  waitRoutes(count: number): Promise<void>;
  /** What both have, sorted, as `prefix community …` without NO_EXPORT, which every route carries. Rejects while they differ. */
  lines(): Promise<string[]>;
}

/** A service of its own, a list server on loopback, and as many BIRD peers as the test starts. */
export interface Casting {
  service: Service;
  readonly dataDir: string;
  readonly sources: Sources;
  readonly sourceUrl: string;
  /** What the log reported to operators. */
  readonly reported: readonly LoggedEvent[];
  /** Starts BIRD, which waits for a speaker to call. */
  startBird(): Promise<{ readonly bird: Bird; readonly address: string }>;
  /** Starts BIRD and makes it a peer of every speaker. */
  addBird(): Promise<Bird>;
  /** Starts a BIRD and an FRR, and makes both peers of this speaker, which calls from the address; default: of every speaker. */
  addRouters(of?: { readonly speakerId: string; readonly caller: string }): Promise<Routers>;
  /** Starts the service again, after a stop, on the same state. */
  restart(env?: Record<string, string>): Promise<void>;
  close(): Promise<void>;
}

/** @param command the program that runs the service */
export async function startCasting(
  env: Record<string, string> = {},
  command = testProgram(),
): Promise<Casting> {
  const dataDir = await mkdtemp(join(tmpdir(), 'prefixcast-e2e-'));
  await seedData(dataDir);
  const sources: Sources = new Map();
  const lists = await listen(
    createServer((request, response) => {
      const answer = sources.get(request.url ?? '');
      if (answer === undefined) response.writeHead(404).end();
      else answer(request, response);
    }),
  );
  const bgpListen = `127.0.0.1:${await freePort()}`;
  const reported: LoggedEvent[] = [];
  const onOutput = (text: string): void => {
    const lines = (rest + text).split('\n');
    rest = lines.pop()!;
    for (const line of lines) if (line.includes('"event":"')) reported.push(JSON.parse(line) as LoggedEvent);
  };
  let rest = '';
  const options = { dataDir, port: await freePort(), bgpListen, env, onOutput, command };
  const daemons: Daemon[] = [];
  let birds = 0;
  const casting: Casting = {
    service: await Service.start(options),
    dataDir,
    sources,
    reported,
    sourceUrl: `http://127.0.0.1:${(lists.address() as AddressInfo).port}`,
    async startBird() {
      const bird = await startBird(await routerOf('127.0.0.1'));
      daemons.push(bird);
      birds++;
      return { bird, address: bird.address };
    },
    async addBird() {
      const { bird, address } = await casting.startBird();
      await casting.service.post('/v1/peers', {
        name: `bird${birds}`,
        address,
        port: bird.port,
        remote_asn: PEER_ASN,
        next_hop_ipv6: '2001:db8::1',
      });
      return bird;
    },
    async addRouters({ speakerId, caller } = { speakerId: '', caller: '127.0.0.1' }) {
      const bird = await startBird(await routerOf(caller));
      daemons.push(bird);
      const frr = await startFrr(await routerOf(caller));
      daemons.push(frr);
      const peerIds = await Promise.all(
        [bird, frr].map(async ({ name, address, port }) => {
          const body = { name: `${name} at ${caller}`, address, port, remote_asn: PEER_ASN, ...NEXT_HOPS };
          const speakers = speakerId === '' ? {} : { speaker_ids: [speakerId] };
          return (await casting.service.post<{ id: string }>('/v1/peers', { ...body, ...speakers })).id;
        }),
      );
      return routersOf(bird, frr, peerIds);
    },
    async restart(more = {}) {
      casting.service = await Service.start({ ...options, env: { ...env, ...more } });
    },
    async close() {
      await casting.service.stop();
      for (const daemon of daemons) await daemon.stop();
      lists.closeAllConnections();
      lists.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  // Tests refresh when it suits them.
  await casting.service.call('PATCH', '/v1/settings', { auto_revision: false });
  return casting;
}

/** Not of loopback, which FRR calls a Martian. */
const NEXT_HOPS = { next_hop_ipv4: '192.0.2.10', next_hop_ipv6: '2001:db8::1' };

/** A router that waits for a speaker to call from there. */
async function routerOf(caller: string): Promise<DaemonOptions> {
  const address = loopbackAddress();
  return {
    ...{ listen: { address, port: await freePort(address) }, routerId: address, localAsn: PEER_ASN },
    neighbors: [
      {
        ...{ address: caller, port: 1, asn: SPEAKER_ASN, passive: true, families: ['ipv4', 'ipv6'] },
        ...{ gracefulRestart: true, extendedMessages: true },
      },
    ],
  };
}

function routersOf(bird: Bird, frr: Frr, peerIds: readonly string[]): Routers {
  const linesOf = async (router: Daemon): Promise<string[]> =>
    (await router.routes()).map(({ prefix, communities, largeCommunities }) =>
      [prefix, ...communities.filter((one) => one !== '65535:65281'), ...largeCommunities].join(' '),
    );
  return {
    ...{ bird, frr, peerIds },
    async waitRoutes(count) {
      await bird.waitRoutes(count);
      await frr.waitRoutes(count);
      // FRR counts what it has received, and its table follows a moment later.
      await waitFor(async () => (await linesOf(frr)).length === count, {
        what: `${count} routes in the table of FRR`,
      });
    },
    async lines() {
      const [ofBird, ofFrr] = [(await linesOf(bird)).sort(), (await linesOf(frr)).sort()];
      if (String(ofBird) !== String(ofFrr))
        throw new Error(`BIRD has ${ofBird.join(', ')}, and FRR ${ofFrr.join(', ')}`);
      return ofBird;
    },
  };
}

/** A source that answers 200 with `body`. */
export function serve(
  body: string | Buffer,
  contentType = 'text/plain',
): (request: IncomingMessage, response: ServerResponse) => void {
  return (_request, response) => response.writeHead(200, { 'content-type': contentType }).end(body);
}

/** Creates a community, a module that carries it, and one CDN source; answers the ids. */
export async function addCdnModule(
  { service, sourceUrl }: Casting,
  community: string,
  source: { path: string; format?: string; json_path?: string },
): Promise<{ moduleId: string; sourceId: string; communityId: string }> {
  const name = `module ${community}`;
  const { id: communityId } = await service.post<{ id: string }>('/v1/communities', {
    community,
    title: name,
  });
  const { id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
    name,
    type: 'CDN_SOURCES',
    community_id: communityId,
  });
  const { path, ...reading } = source;
  const body = { name: 'list', url: sourceUrl + path, ...reading };
  const { id: sourceId } = await service.post<{ id: string }>(`/v1/modules/${moduleId}/cdn-sources`, body);
  return { moduleId, sourceId, communityId };
}

/** Refreshes the module and waits for the refresh and for the apply that it queued; answers the refresh's result. */
export async function refresh({ service }: Casting, moduleId: string): Promise<Record<string, unknown>> {
  const result = await service.succeeded(await service.post(`/v1/modules/${moduleId}/refresh`));
  if (typeof result.apply_job_id === 'string') await service.succeeded({ id: result.apply_job_id });
  return result;
}

/** {@link refresh} when every source fails: the job fails and makes no revision. @returns the result all the same */
export async function refreshInVain({ service }: Casting, moduleId: string): Promise<unknown> {
  const { state, error, result } = await service.ended(await service.post(`/v1/modules/${moduleId}/refresh`));
  if (state !== 'failed' || error?.code !== 'refresh_failed' || result?.revision_id !== undefined)
    throw new Error(`The refresh ended ${state}: ${JSON.stringify({ error, result })}`);
  return result;
}

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
