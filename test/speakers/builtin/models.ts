// Speakers, peers and routes for tests: everything has a default, and a test names what it is about.
import { parsePrefix } from '../../../src/core/prefix.ts';
import { PrefixTableBuilder } from '../../../src/core/tables/prefix-table.ts';
import type { PrefixTable } from '../../../src/core/tables/prefix-table.ts';
import { BuiltinEngine } from '../../../src/speakers/builtin/engine.ts';
import type { BuiltinEngineOptions, EngineLog } from '../../../src/speakers/builtin/engine.ts';
import type {
  LabelModel,
  PeerModel,
  RoutesModel,
  SessionStatus,
  SpeakerDriver,
  SpeakerModel,
} from '../../../src/speakers/speaker.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { waitFor } from '../../daemons/wait.ts';

export const SPEAKER_ASN = 64512;

export function peerModel(changes: Partial<PeerModel> & Pick<PeerModel, 'address'>): PeerModel {
  return {
    id: `peer ${changes.address}`,
    name: changes.address,
    port: 179,
    remoteAsn: 65001,
    localAsn: SPEAKER_ASN,
    localAddress: '127.0.0.1',
    families: ['ipv4'],
    passive: false,
    multihop: null,
    password: null,
    holdTime: 90,
    nextHopIpv4: null,
    nextHopIpv6: null,
    labels: null,
    maxPrefixesOut: null,
    gracefulRestart: true,
    bfd: false,
    ...changes,
  };
}

export function speakerModel(peers: readonly PeerModel[], changes: Partial<SpeakerModel> = {}): SpeakerModel {
  return {
    tenantId: 'tenant',
    speakerId: 'speaker',
    name: 'speaker',
    routerId: '10.255.0.1',
    localAsn: SPEAKER_ASN,
    localIpv4: null,
    localIpv6: '2001:db8:ffff::1',
    peers,
    ...changes,
  };
}

/** `{'192.0.2.0/24': ['65000:100']}`: prefixes with the communities they carry. */
export function tableOf(routes: Readonly<Record<string, readonly string[]>>): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (const [text, labels] of Object.entries(routes)) {
    const parsed = parsePrefix(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    const { family, words, length } = parsed.value;
    for (const label of labels.length === 0 ? [null] : labels) builder.add(family, words, length, label);
  }
  return builder.build();
}

/** `count` prefixes of /24 from 16.0.0.0 on, with labels in turn. */
export function bigTable(count: number, labels: readonly string[], first = 0): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (let i = first; i < first + count; i++) {
    builder.add('ipv4', [(0x10000000 + i * 256) >>> 0], 24, labels[i % labels.length]!);
  }
  return builder.build();
}

export function routesModel(table: PrefixTable, changes: Partial<RoutesModel> = {}): RoutesModel {
  const labels: Record<string, LabelModel> = {};
  for (const label of table.labelSets.flat())
    labels[label] = { community: label, nextHopIpv4: null, nextHopIpv6: null };
  return { revisionId: 'revision', table, labels, noExport: false, ...changes };
}

export const silent: EngineLog = { info: () => undefined, warn: () => undefined, error: () => undefined };

export async function startEngine(options: Partial<BuiltinEngineOptions> = {}): Promise<BuiltinEngine> {
  const engine = new BuiltinEngine({
    listen: { host: '127.0.0.1', port: 0 },
    version: 'test',
    log: silent,
    ...options,
  });
  await engine.start();
  return engine;
}

export async function sessionOf(
  driver: Pick<SpeakerDriver, 'status'>,
  peerId?: string,
): Promise<SessionStatus> {
  const { sessions } = await driver.status();
  const session = peerId === undefined ? sessions[0] : sessions.find((one) => one.peerId === peerId);
  if (session === undefined) throw new Error('the speaker has no such peer');
  return session;
}

export function waitSession(
  driver: Pick<SpeakerDriver, 'status'>,
  what: string,
  test: (session: SessionStatus) => boolean,
  peerId?: string,
): Promise<SessionStatus> {
  let last: SessionStatus | undefined;
  return waitFor(
    async () => {
      last = await sessionOf(driver, peerId);
      return test(last) && last;
    },
    { what, details: () => JSON.stringify(last) },
  );
}

export const never = new AbortController().signal;

/** Prefixes with their communities, as the peer holds them. */
export async function receivedBy(bird: Bird): Promise<Record<string, string[]>> {
  const routes = await bird.routes();
  return Object.fromEntries(
    routes.map((route) => [route.prefix, [...route.communities, ...route.largeCommunities]]),
  );
}

/** Prefixes announced to the peer, and withdrawn from it, in all UPDATEs after the first so many: each once, since FRR may repeat one. */
export function sentSince(peer: Bird, updates: number): number[] {
  const since = peer.updates().slice(updates);
  return (['announced', 'withdrawn'] as const).map(
    (key) => new Set(since.flatMap((update) => update[key])).size,
  );
}

/** Both families, every kind of community, one route without any. */
export const mixedRoutes = tableOf({
  '10.0.0.0/8': ['65000:1'],
  '172.16.0.0/12': ['65000:1', '65000:2'],
  '192.168.0.0/16': ['65000:2', '65000:1:2'],
  '198.51.100.0/24': [],
  '2001:db8::/32': ['65000:1', 'blackhole'],
});
