/** What the benchmarks of BGP share: routes, a BIRD that hears them, and a BIRD that casts them as one would without Prefixcast. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPrefixAt } from '../../src/core/prefix.ts';
import { PrefixTableBuilder } from '../../src/core/tables/prefix-table.ts';
import type { PrefixTable } from '../../src/core/tables/prefix-table.ts';
import type { PeerModel, SpeakerModel } from '../../src/speakers/speaker.ts';
import { startBird } from '../../test/daemons/bird/bird.ts';
import type { Bird } from '../../test/daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../test/daemons/machine/ports.ts';
import { waitFor } from '../../test/daemons/wait.ts';
import { compared } from '../measure/report.ts';

export const CHANGES = 1_000;
const COMMUNITY = '65000:100';
export const SPEAKER_ASN = 64_512;

const ROUNDS = 3;

/** Milliseconds. */
export interface Round {
  readonly all: number;
  readonly changes: number;
  /** Most memory that the speaker ever held, in megabytes. */
  readonly peak: number;
}

/** Of our own median to BIRD's. */
export type Goals = Readonly<Record<'all' | 'changes', number>>;

export interface Rounds {
  readonly ours: readonly Round[];
  readonly birds: readonly Round[];
}

/** Has both sides announce `count` routes and change some, in turns, and prints how they compare. @param way how ours get to the peer */
export async function besideBird(
  count: number,
  way: string,
  goals: Goals,
  ownRound: (before: PrefixTable, after: PrefixTable) => Promise<Round>,
): Promise<Rounds> {
  const before = mixedTable(count, 0);
  // Half of the changes are withdrawals, half announcements.
  const after = mixedTable(count, CHANGES / 2);
  const ours: Round[] = [];
  const birds: Round[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    birds.push(await birdRound(before, after));
    ours.push(await ownRound(before, after));
  }
  const print = (title: string, key: keyof Goals): void => {
    const of = (rounds: readonly Round[]): number[] => rounds.map((round) => round[key]);
    console.log(compared(title, of(ours), of(birds), goals[key]));
  };
  print(`${before.ipv4.size} routes, ${way} to last one seen`, 'all');
  print(`${CHANGES} changes, ${way} to seen`, 'changes');
  return { ours, birds };
}

/** BIRD with one static protocol, its file written anew for each apply, and `configure`. */
async function birdRound(before: PrefixTable, after: PrefixTable): Promise<Round> {
  const directory = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  const file = join(directory, 'routes.conf');
  writeFileSync(file, '');
  const listen = { address: loopbackAddress(), port: await freePort() };
  const peer = await startPeer(listen.address, listen.port);
  const speaker = await startBird({
    listen,
    routerId: '192.0.2.2',
    localAsn: SPEAKER_ASN,
    neighbors: [{ address: peer.address, port: peer.port, asn: peer.localAsn, extendedMessages: true }],
    recordUpdates: false,
    extraConfig: `protocol static bench {
  ipv4 { import filter { bgp_community.add((${COMMUNITY.replace(':', ',')})); accept; }; };
  include "${file}";
}`,
  });
  try {
    await peer.waitEstablished();
    const texts = [before, after].map(staticRoutes);
    const apply = async (text: string): Promise<void> => {
      writeFileSync(file, text);
      await speaker.command('configure');
    };
    const all = await timed(peer, before.ipv4.size, 0, () => apply(texts[0]!));
    const changes = await timed(peer, CHANGES / 2, CHANGES / 2, () => apply(texts[1]!));
    return { all, changes, peak: peakMemory(speaker.pid) };
  } finally {
    await speaker.stop();
    await peer.stop();
    rmSync(directory, { recursive: true });
  }
}

/** Milliseconds from `apply` until the peer has received so many more announcements and withdrawals. */
export async function timed(
  peer: Bird,
  announced: number,
  withdrawn: number,
  apply: () => Promise<unknown>,
): Promise<number> {
  const received = async (): Promise<[number, number]> => {
    const { ipv4 } = (await peer.session()).channels;
    return [ipv4?.updatesReceived ?? 0, ipv4?.withdrawsReceived ?? 0];
  };
  const [updates, withdraws] = await received();
  const start = performance.now();
  await apply();
  let now = [updates, withdraws] as [number, number];
  const seen = async (): Promise<boolean> => {
    now = await received();
    return now[0] >= updates + announced && now[1] >= withdraws + withdrawn;
  };
  const details = (): string => `announced and withdrawn so far: ${now.join(' and ')}`;
  await waitFor(seen, { what: 'the routes at the peer', timeoutMs: 120_000, everyMs: 1, details });
  return performance.now() - start;
}

/** A BIRD that is called, or calls the speaker at this address. */
export async function startPeer(address: string, port: number): Promise<Bird> {
  return startBird({
    listen: { address: loopbackAddress(), port: await freePort() },
    routerId: '192.0.2.1',
    localAsn: 65_001,
    neighbors: [{ address, port, asn: SPEAKER_ASN, passive: true, extendedMessages: true }],
    recordUpdates: false,
  });
}

/** A speaker with the one peer. */
export function speakerTo(peer: Bird, changes: Partial<PeerModel> = {}): SpeakerModel {
  return {
    tenantId: 'bench',
    speakerId: 'bench',
    name: 'bench',
    routerId: '192.0.2.2',
    localAsn: SPEAKER_ASN,
    localIpv4: null,
    localIpv6: null,
    peers: [
      {
        id: 'peer',
        name: 'peer',
        address: peer.address,
        port: peer.port,
        remoteAsn: peer.localAsn,
        localAsn: SPEAKER_ASN,
        localAddress: '127.0.0.1',
        families: ['ipv4'],
        passive: false,
        multihop: null,
        password: null,
        holdTime: 90,
        nextHopIpv4: '192.0.2.179',
        nextHopIpv6: null,
        labels: null,
        maxPrefixesOut: null,
        gracefulRestart: true,
        bfd: false,
        ...changes,
      },
    ],
  };
}

/** `count` different prefixes of /24 to /32, mostly /24; `shift` of them differ from those of shift 0. */
export function mixedTable(count: number, shift: number): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (let i = shift; i < count; i++) {
    // Spread over 128.0.0.0 to 223.255.255.0 by the golden ratio, which hits no /24 twice.
    const place = 0x800000 + Math.floor(((Math.imul(i, 0x9e3779b1) >>> 0) / 2 ** 32) * 0x600000);
    const length = i % 10 < 6 ? 24 : 25 + (i % 8);
    builder.add('ipv4', [(place * 256) >>> 0], length, COMMUNITY);
  }
  for (let i = 0; i < shift; i++) builder.add('ipv4', [(0x10 << 24) + i * 256], 24, COMMUNITY);
  return builder.build();
}

/** Lines of BIRD's static protocol. */
function staticRoutes({ ipv4 }: PrefixTable): string {
  const lines: string[] = [];
  for (let row = 0; row < ipv4.size; row++) lines.push(`route ${formatPrefixAt(ipv4, row)} blackhole;`);
  return lines.join('\n') + '\n';
}

/** Largest resident set of a process, in megabytes. */
export function peakMemory(pid: number): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
}
