/**
 * Routes with 50 communities in a local BIRD. Ours is a static protocol for each set of
 * communities; the peer is what one would write by hand, one protocol with `bgp_community.add` on every route. Both write
 * their files and have the same kind of BIRD read them by `configure`; beside it the driver's whole apply, with its checks.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPrefixAt } from '../../src/core/prefix.ts';
import { PrefixTableBuilder, type PrefixTable } from '../../src/core/tables/prefix-table.ts';
import { ConfigDirectory } from '../../src/speakers/bird/config-directory.ts';
import { BirdDaemon } from '../../src/speakers/bird/daemon.ts';
import { DEFAULT_FEED } from '../../src/speakers/bird/config/render-feed.ts';
import { render } from '../../src/speakers/bird/config/render.ts';
import { StaticDriver } from '../../src/speakers/bird/static-driver.ts';
import type { RoutesModel, SpeakerModel } from '../../src/speakers/speaker.ts';
import { startBird, type Bird } from '../../test/daemons/bird/bird.ts';
import { freePort, loopbackAddress } from '../../test/daemons/machine/ports.ts';
import { programPath } from '../../test/daemons/programs.ts';
import { compared, median } from '../measure/report.ts';
import { peakMemory } from './scene.ts';

const ROUNDS = 3;
const COMMUNITIES = 50;
const GOAL = 0.5;

const MODEL: SpeakerModel = {
  ...{ tenantId: 'bench', speakerId: 'bench', name: 'bench', routerId: '192.0.2.2', localAsn: 64_512 },
  ...{ localIpv4: null, localIpv6: null, peers: [] },
};

/** Milliseconds, and what BIRD grew by in megabytes. */
interface Round {
  readonly time: number;
  readonly memory: number;
}

export async function run(count: number): Promise<void> {
  const table = tableOf(count);
  const routes: RoutesModel = { revisionId: '', table, labels: {}, noExport: true };
  const own: Round[] = [];
  const byHand: Round[] = [];
  const whole: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    byHand.push(await measured((bird, directory) => configureByHand(bird, directory, table)));
    own.push(await measured((bird, directory) => configureGrouped(bird, directory, routes)));
    whole.push((await measured((bird, directory) => applyAll(bird, directory, routes))).time);
  }
  const times = (rounds: readonly Round[]): number[] => rounds.map(({ time }) => time);
  const memory = (rounds: readonly Round[]): number => median(rounds.map((round) => round.memory));
  console.log(
    compared(
      `${table.ipv4.size} routes, ${COMMUNITIES} communities, file to configured`,
      times(own),
      times(byHand),
      GOAL,
    ),
  );
  const ratio = memory(own) / memory(byHand);
  console.log(
    `memory of BIRD: grouped ${memory(own).toFixed(0)} MB, by hand ${memory(byHand).toFixed(0)} MB, ` +
      `ratio ${ratio.toPrecision(2)}  goal ${GOAL}: ${ratio <= GOAL ? 'met' : 'NOT met'}`,
  );
  console.log(`the driver's whole apply, checked twice and verified: ${median(whole).toFixed(0)} ms`);
}

async function measured(work: (bird: Bird, directory: string) => Promise<void>): Promise<Round> {
  const directory = mkdtempSync(join(tmpdir(), 'pc-bench-'));
  const listen = { address: loopbackAddress(), port: await freePort() };
  const bird = await startBird({
    ...{ listen, routerId: '192.0.2.2', localAsn: 64_512, neighbors: [] },
    extraConfig: `include "${directory}/*.conf";`,
  });
  try {
    const before = peakMemory(bird.pid);
    const start = performance.now();
    await work(bird, directory);
    return { time: performance.now() - start, memory: peakMemory(bird.pid) - before };
  } finally {
    await bird.stop();
    rmSync(directory, { recursive: true });
  }
}

async function configureByHand(
  bird: Bird,
  directory: string,
  { ipv4, labelSets }: PrefixTable,
): Promise<void> {
  const adds = labelSets.map((labels) =>
    labels.map((label) => `bgp_community.add((${label.replace(':', ',')}));`).join(' '),
  );
  const lines = ['ipv4 table hand;', 'protocol static byhand { ipv4 { table hand; };'];
  for (let row = 0; row < ipv4.size; row++)
    lines.push(`route ${formatPrefixAt(ipv4, row)} blackhole { ${adds[ipv4.labels[row]!]!} };`);
  writeFileSync(join(directory, 'hand.conf'), [...lines, '}', ''].join('\n'));
  await bird.command('configure');
}

async function configureGrouped(bird: Bird, directory: string, routes: RoutesModel): Promise<void> {
  const files = new ConfigDirectory(directory);
  const { tag, head, groups } = render(MODEL, routes, {
    directory,
    port: 179,
    strictBind: false,
    feed: DEFAULT_FEED,
  });
  await files.writeRoutes(groups);
  await files.stage(tag, head);
  await files.switch(tag);
  await bird.command('configure');
}

async function applyAll(bird: Bird, directory: string, routes: RoutesModel): Promise<void> {
  const mainConfig = join(bird.socketPath, '..', 'bird.conf');
  const options = { socket: bird.socketPath, directory, program: programPath('bird'), mainConfig };
  const driver = new StaticDriver(new BirdDaemon(options), MODEL.speakerId);
  await driver.configure(MODEL);
  await driver.apply(routes, new AbortController().signal);
}

/** Neighbouring prefixes differ in their community, as in lists of many networks; every tenth route has a second one. */
function tableOf(count: number): PrefixTable {
  const builder = new PrefixTableBuilder();
  for (let i = 0; i < count; i++) {
    const place = 0x800000 + Math.floor(((Math.imul(i, 0x9e3779b1) >>> 0) / 2 ** 32) * 0x600000);
    const add = (community: number): void =>
      builder.add('ipv4', [(place * 256) >>> 0], 24, `65000:${community % COMMUNITIES}`);
    add(i);
    if (i % 10 === 0) add(i + 1);
  }
  return builder.build();
}
