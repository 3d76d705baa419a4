/**
 * What walks happen in: the service as a real process on a real database, a list server, and one BIRD that has a session for every
 * peer and speaker of every place. Walks that share a world have a place each, and a tenant of their own.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from '../../demo/service.ts';
import { parsePlainPrefix, plainText } from '../oracle/aggregate.ts';
import { BigPrefix } from '../oracle/big-prefix.ts';
import { type Asked, type DohReply, type DohServer, replyTo, startDohServer } from '../sources/doh/server.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';
import { type Bird, startBird } from '../daemons/bird/bird.ts';
import { type BirdSession, parseBirdRoutes } from '../daemons/bird/bird-output.ts';
import { freePort, loopbackAddress } from '../daemons/machine/ports.ts';
import { testProgram } from '../program.ts';
import type { Answer, Routes } from './model.ts';
import { VIA } from './received.ts';
import { ABROAD } from './universe.ts';

/** RFC 1035, section 4.1.1. */
const SERVFAIL = 2;

export const SPEAKER_ASN = 64512;
export const PEER_ASN = 64496;
export const PEER_PLACES = 2;
export const SPEAKER_PLACES = 2;

/** Where the list server has the table of AS numbers. */
const TABLE = '/networks.tsv';
const FIRST_ASN = 4_200_000_001;
/** How the paths of geofeeds begin. */
export const GEOFEEDS = '/geo/';

/** Where one walk after the other happens. */
export interface Place {
  readonly index: number;
  /** Addresses of its peers, all of them BIRD's. */
  readonly peers: readonly string[];
  /** Addresses that its speakers call from. */
  readonly speakers: readonly string[];
}

/** What a world is made of. */
interface Made extends Pick<World, 'places' | 'database' | 'bird' | 'service' | 'agent' | 'faults'> {
  readonly lists: Server;
  readonly resolver: DohServer;
  readonly dataDir: string;
  /** Starts the service once more on the same state. */
  readonly restart: () => Promise<Service>;
}

export class World {
  readonly places: readonly Place[];
  readonly database: TestDatabase;
  readonly bird: Bird;
  readonly listUrl: string;
  /** Of a resolver that knows what walks have told it. */
  readonly dohUrl: string;
  /** What the list server answers by path, the table of networks by AS number, and the resolver by domain. */
  readonly #answers = new Map<string, Answer>();
  #asns = 0;
  service: Service;
  /** Connections to the service. None is kept to one that is killed; the others end long before the service would end them. */
  readonly agent: Agent;
  /** What the service has logged as an error: something that nobody foresaw. */
  readonly faults: string[];
  #isDown = false;
  readonly #restart: () => Promise<Service>;
  readonly #close: () => Promise<void>;

  private constructor({ lists, resolver, dataDir, restart, ...made }: Made) {
    this.places = made.places;
    this.database = made.database;
    this.bird = made.bird;
    this.service = made.service;
    this.agent = made.agent;
    this.faults = made.faults;
    this.listUrl = `http://127.0.0.1:${(lists.address() as AddressInfo).port}`;
    lists.on('request', ({ url = '', headers }, response: ServerResponse) => {
      const said = url === TABLE ? this.#table() : this.#answers.get(url);
      const answer = url.startsWith(GEOFEEDS) && said?.kind === 'list' ? withPlaces(said) : said;
      respond(answer ?? { kind: 'failure', status: 404 }, headers['if-none-match'], response);
    });
    this.dohUrl = resolver.url;
    resolver.answer = (asked) => resolve(this.#answers.get(asked.name) ?? { kind: 'nothing' }, asked);
    this.#restart = restart;
    this.#close = async () => {
      this.agent.destroy();
      await this.service.stop();
      await this.bird.stop();
      lists.closeAllConnections();
      lists.close();
      await resolver.close();
      await this.database.close();
      rmSync(dataDir, { recursive: true, force: true });
    };
  }

  /**
   * @param isKilled whether walks kill the service: BIRD then keeps the routes of a speaker that has gone without a word. BIRD 2.0 then never ends a session whose
   * families have become fewer (it stays in the state `flush`), so that no walk with such deeds can ask for both
   */
  static async start(placeCount: number, isKilled: boolean): Promise<World> {
    const database = await createTestDatabase();
    const dataDir = mkdtempSync(join(tmpdir(), 'prefixcast-life-'));
    const lists = createServer();
    await new Promise<void>((resolve) => lists.listen(0, '127.0.0.1', resolve));
    const addresses = (count: number): string[] => Array.from({ length: count }, loopbackAddress);
    const places = Array.from({ length: placeCount }, (_, index) => ({
      ...{ index, peers: addresses(PEER_PLACES), speakers: addresses(SPEAKER_PLACES) },
    }));
    const resolver = await startDohServer();
    const listen = { address: places[0]!.peers[0]!, port: await freePort(places[0]!.peers[0]) };
    const bird = await startBird({
      ...{ listen, routerId: listen.address, localAsn: PEER_ASN, neighbors: [], recordUpdates: false },
      extraConfig: places.map((place) => sessionsOf(place, listen.port, isKilled)).join('\n'),
    });
    const { host, port, user, database: name } = database.address as Record<string, string | number>;
    const url = `postgres://${user}@localhost:${port}/${name}?host=${encodeURIComponent(String(host))}`;
    const { port: listPort } = lists.address() as AddressInfo;
    const options = {
      ...{
        dataDir,
        port: await freePort(),
        bgpListen: `127.0.0.1:${await freePort()}`,
        command: testProgram(),
      },
      env: {
        ...{ DATABASE_URL: url, APP_LOG_LEVEL: process.env.LIFE_LOG ?? 'error' },
        ...{ APP_RATE_LIMIT_READS: '0', APP_RATE_LIMIT_WRITES: '0', APP_RATE_LIMIT_FAILURES: '0' },
        ...{ APP_PEER_ALLOW: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: resolver.certificates.caFile },
        ...{ APP_ASN_SOURCE: 'table', APP_ASN_SOURCE_URL: `http://127.0.0.1:${listPort}${TABLE}` },
      },
    };
    const faults: string[] = [];
    let rest = '';
    const onOutput = (text: string): void => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      // A machine that is busy enough keeps even the database from an answer.
      const isFault = (line: string): boolean =>
        line.includes('"level":50') && !line.includes('"code":"database_unavailable"');
      faults.push(...lines.filter(isFault));
    };
    const restart = (): Promise<Service> => Service.start({ ...options, onOutput });
    return new World({
      ...{ places, database, bird, faults, lists, resolver, dataDir, restart },
      service: await restart(),
      agent: new Agent({ keepAlive: !isKilled, timeout: 5_000 }),
    });
  }

  /** Kills the service as it stands, and starts it again on the same state. */
  async kill(): Promise<void> {
    await this.service.stop('SIGKILL');
    this.#isDown = true;
    await this.start();
  }

  /** Starts the service where a kill has left it down: what failed once is no reason for all walks after it to fail. */
  async start(): Promise<void> {
    if (!this.#isDown) return;
    this.service = await this.#restart();
    this.#isDown = false;
  }

  /** From now on this is answered to whoever asks for the key. */
  answerTo(key: string, answer: Answer): void {
    this.#answers.set(key, answer);
  }

  forget(keys: Iterable<string>): void {
    for (const key of keys) this.#answers.delete(key);
  }

  /** An AS number that nobody has. */
  nextAsn(): number {
    return FIRST_ASN + this.#asns++;
  }

  /** Ranges with AS numbers, of all walks; and one that nobody asks for, since a table is never empty. */
  #table(): Answer {
    const rows = [`45.0.0.0\t45.0.0.255\t${FIRST_ASN - 1}`];
    for (const [key, answer] of this.#answers)
      if (key.startsWith('AS') && answer.kind === 'list')
        for (const row of answer.rows) {
          const { family, bits, first, last } = parsePlainPrefix(row);
          const end = (at: bigint): string =>
            plainText(new BigPrefix(family, at, bits)).replace(`/${bits}`, '');
          rows.push(`${end(first)}\t${end(last)}\t${key.slice(2)}`);
        }
    return { kind: 'list', rows, told: 'the table' };
  }

  /** What BIRD has from this speaker at this address of a peer. */
  async received(place: Place, peer: number, speaker: number): Promise<Routes> {
    const routes = new Map<string, readonly string[]>();
    const session = sessionName(place, peer, speaker);
    for (const family of [4, 6]) {
      const lines = await this.bird.command(`show route all table master${family} protocol ${session}`);
      for (const { prefix, communities, largeCommunities, nextHop } of parseBirdRoutes(lines))
        routes.set(prefix, [...communities, ...largeCommunities, VIA + nextHop].sort());
    }
    return routes;
  }

  /** BIRD's own words for the session. */
  session(place: Place, peer: number, speaker: number): Promise<BirdSession> {
    return this.bird.session(sessionName(place, peer, speaker));
  }

  close(): Promise<void> {
    return this.#close();
  }
}

function sessionName({ index }: Place, peer: number, speaker: number): string {
  return `w${index}_p${peer}_s${speaker}`;
}

/** A protocol for each pair of addresses. */
function sessionsOf(place: Place, port: number, keepsRoutes: boolean): string {
  return place.peers
    .flatMap((address, peer) =>
      place.speakers.map((caller, speaker) => {
        const name = sessionName(place, peer, speaker);
        return [
          `protocol bgp ${name} {`,
          `  local ${address} port ${port} as ${PEER_ASN};`,
          // It never calls there, but allows one session to each address and port.
          `  neighbor ${caller} port ${peer + 1} as ${SPEAKER_ASN};`,
          '  strict bind; multihop; passive; connect delay time 0; error wait time 1, 1;',
          `  graceful restart ${keepsRoutes ? 'aware' : 'off'}; enable extended messages;`,
          `  ipv4 { import all; export none; next hop address 192.0.2.179; };`,
          `  ipv6 { import all; export none; next hop address 2001:db8::179; };`,
          '}',
        ].join('\n');
      }),
    )
    .join('\n');
}

/** The rows as a geofeed has them (RFC 8805). */
function withPlaces(said: Extract<Answer, { kind: 'list' }>): Answer {
  return { ...said, rows: said.rows.map((row) => `${row},${ABROAD.has(row) ? 'FR' : 'DE'},,,`) };
}

function respond(answer: Answer, seen: string | undefined, response: ServerResponse): void {
  switch (answer.kind) {
    case 'list': {
      const body = answer.rows.join('\n') + '\n';
      const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`;
      if (seen === etag) response.writeHead(304, { etag }).end();
      else response.writeHead(200, { 'content-type': 'text/plain', etag }).end(body);
      break;
    }
    case 'nothing':
      response.writeHead(200, { 'content-type': 'text/plain' }).end('');
      break;
    case 'nonsense':
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html><body>It works!</body></html>');
      break;
    case 'failure':
      response.writeHead(answer.status).end();
      break;
    case 'broken line':
      response.destroy();
      break;
  }
}

/** What a resolver says of a name with these host prefixes. */
function resolve(answer: Answer, asked: Asked): DohReply {
  const { name, type } = asked;
  if (answer.kind !== 'list') return replyTo(asked, [], answer.kind === 'nothing' ? {} : { rcode: SERVFAIL });
  const family = type === 'A' ? 'ipv4' : 'ipv6';
  const addresses = answer.rows
    .filter((row) => parsePlainPrefix(row).family === family)
    .map((row) => row.split('/')[0]!);
  return replyTo(
    asked,
    addresses.map((data) => ({ name, type: type as 'A' | 'AAAA', ttl: 60, data })),
  );
}
