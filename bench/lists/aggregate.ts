/**
 * `npm run bench -- aggregate [ROUNDS]`: text to minimal text, as whole processes in turns: the published command beside `iprange`
 * (IPv4) and npm's `cidr-tools` (IPv6); and warm, inside this process. Every output is compared byte for byte.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { mergeCidr } from 'cidr-tools';
import type { Family } from '../../src/core/address.ts';
import { linesOf } from '../../src/core/prefix-format.ts';
import { PrefixSetBuilder } from '../../src/core/sets/prefix-set.ts';
import { PrefixTextReader } from '../../src/core/text/prefix-text.ts';
import { type ListName, listFile } from './prefix-lists.ts';
import { installedPath, type ProcessRun, peakMemory, runProcess } from '../measure/process.ts';
import { COMMAND, buildPublished } from '../measure/published.ts';
import { compared, comparedLeast, machine, median } from '../measure/report.ts';

const ROOT = join(import.meta.dirname, '../..');
const WORK = join(ROOT, '.cache/bench');
const REAL_LISTS = join(ROOT, '../shared/data');
const CHUNK = 256 * 1024;

/** Plain JavaScript, found from this folder on: stripping types would be part of the time. */
const MERGE_WITH_CIDR_TOOLS = `
  import { readFileSync } from 'node:fs';
  import { mergeCidr } from 'cidr-tools';
  const lines = readFileSync(process.argv[1], 'utf8').split('\\n').filter((line) => line !== '');
  process.stdout.write(mergeCidr(lines).join('\\n') + '\\n');
`;

const GOALS = { whole: 0.25, large: 0.15, warm: 0.08, ipv6: 0.15 };

export async function run(args: readonly string[]): Promise<void> {
  const rounds = Number(args[0] ?? 7);
  const iprange = installedPath('iprange');
  mkdirSync(WORK, { recursive: true });
  buildPublished();
  console.log(`${machine()}; medians of ${rounds} rounds in turns`);
  console.log(`${''.padEnd(44)} ${'prefixcast'.padStart(11)} ${'peer'.padStart(11)}`);
  for (const [name, count, goal] of [
    ['mixed', 1_000_000, GOALS.whole],
    ['clustered', 1_000_000, GOALS.whole],
    ['full-table', 950_000, GOALS.whole],
    ['mixed', 10_000_000, GOALS.large],
  ] as const) {
    await compareWithIprange(iprange, name, count, goal, count > 1_000_000 ? Math.min(rounds, 3) : rounds);
  }
  await compareWithCidrTools('mixed-ipv6', 200_000, Math.min(rounds, 5));
  growth(Math.min(rounds, 3));
  if (existsSync(REAL_LISTS)) compareRealLists(iprange);
}

async function compareWithIprange(
  iprange: string,
  name: ListName,
  count: number,
  goal: number,
  rounds: number,
): Promise<void> {
  const list = listFile(name, count);
  const [ownOut, peerOut] = [join(WORK, 'own.txt'), join(WORK, 'peer.txt')];
  const own: ProcessRun[] = [];
  const peer: ProcessRun[] = [];
  const warm: number[] = [];
  const ownArgs = [COMMAND, 'aggregate', '--ipv4', list];
  const peerArgs = ['--print-suffix-ips', '/32', list];
  for (let round = 0; round < rounds; round++) {
    peer.push(runProcess(iprange, peerArgs, peerOut));
    own.push(runProcess(process.execPath, ownArgs, ownOut));
  }
  const expected = readFileSync(peerOut);
  requireSame(list, readFileSync(ownOut), expected);
  tellRuns(`${name}, ${count} lines`, own, peer, goal);

  const bytes = readFileSync(list);
  const room = roomFor(bytes);
  for (let round = 0; round < rounds + 3; round++) {
    const started = performance.now();
    const text = aggregateText(bytes, 'ipv4', room);
    if (round >= 3) warm.push(performance.now() - started);
    if (round === 0) requireSame(list, text, expected);
  }
  const peerTimes = peer.map(({ time }) => time);
  console.log(compared(`${name}, ${count} lines, warm in process`, warm, peerTimes, GOALS.warm));
  const memory = await Promise.all([peakMemory(process.execPath, ownArgs), peakMemory(iprange, peerArgs)]);
  console.log(`  peak memory ${memory.map((megabytes) => `${megabytes.toFixed(0)} MB`).join(', iprange ')}`);
}

function tellRuns(
  title: string,
  own: readonly ProcessRun[],
  peer: readonly ProcessRun[],
  goal: number,
): void {
  const timesOf = (runs: readonly ProcessRun[]): number[] => runs.map(({ time }) => time);
  const cpuOf = (runs: readonly ProcessRun[]): number[] => runs.map(({ cpu }) => cpu);
  console.log(compared(`${title}, whole process`, timesOf(own), timesOf(peer), goal));
  console.log(comparedLeast(`  least time`, timesOf(own), timesOf(peer)));
  console.log(comparedLeast(`  least processor time`, cpuOf(own), cpuOf(peer)));
}

async function compareWithCidrTools(name: ListName, count: number, rounds: number): Promise<void> {
  const list = listFile(name, count);
  const [ownOut, peerOut] = [join(WORK, 'own.txt'), join(WORK, 'peer.txt')];
  const ownArgs = [COMMAND, 'aggregate', '--ipv6', list];
  const peerArgs = ['--input-type=module', '-e', MERGE_WITH_CIDR_TOOLS, list];
  const own: ProcessRun[] = [];
  const peer: ProcessRun[] = [];
  for (let round = 0; round < rounds; round++) {
    peer.push(runProcess(process.execPath, peerArgs, peerOut));
    own.push(runProcess(process.execPath, ownArgs, ownOut));
  }
  requireSame(list, sortedLines(readFileSync(ownOut)), sortedLines(readFileSync(peerOut)));
  tellRuns(`${name}, ${count} lines`, own, peer, GOALS.ipv6);
  const memory = [await peakMemory(process.execPath, ownArgs), await peakMemory(process.execPath, peerArgs)];
  console.log(
    `  peak memory ${memory.map((megabytes) => `${megabytes.toFixed(0)} MB`).join(', cidr-tools ')}`,
  );
}

/** From 10 thousand lines to 10 million: what a line costs must not grow. */
function growth(rounds: number): void {
  console.log('\ngrowth, warm in process (mixed IPv4 and IPv6)');
  for (const [name, family] of [
    ['mixed', 'ipv4'],
    ['mixed-ipv6', 'ipv6'],
  ] as const) {
    for (const count of [10_000, 100_000, 1_000_000, 10_000_000]) {
      const bytes = readFileSync(listFile(name, count));
      const room = roomFor(bytes);
      const times = Array.from({ length: rounds + 1 }, () => {
        const started = performance.now();
        aggregateText(bytes, family, room);
        return performance.now() - started;
      }).slice(1);
      const time = median(times);
      console.log(
        `  ${family} ${String(count).padStart(9)} lines ${time.toFixed(1).padStart(8)} ms ${((time * 1e6) / count).toFixed(0).padStart(5)} ns a line`,
      );
    }
  }
}

/** Every real list beside this folder, IPv4 against iprange and IPv6 against cidr-tools. */
function compareRealLists(iprange: string): void {
  let compared = 0;
  for (const path of readdirSync(REAL_LISTS, { recursive: true, encoding: 'utf8' })) {
    const family = /ipv([46])[^/]*\.txt$/.exec(path)?.[1];
    if (family === undefined) continue;
    const list = join(REAL_LISTS, path);
    const bytes = readFileSync(list);
    if (family === '4') {
      const expected = execFileSync(iprange, ['--print-suffix-ips', '/32', list]);
      requireSame(list, aggregateText(bytes, 'ipv4'), expected);
    } else {
      const lines = bytes
        .toString()
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'));
      const expected = Buffer.from(`${mergeCidr(lines).join('\n')}\n`);
      requireSame(list, sortedLines(aggregateText(bytes, 'ipv6')), sortedLines(expected));
    }
    compared++;
  }
  console.log(
    `\n${compared} real lists: the same bytes as iprange (IPv4) and cidr-tools (IPv6, order aside) print`,
  );
}

/** Room for the text of a list: a line that says `::` becomes one of twice its length and more. */
function roomFor(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(3 * bytes.length);
}

/** As the command does it. The text is in `text`. */
function aggregateText(bytes: Uint8Array, family: Family, text = roomFor(bytes)): Uint8Array {
  const builder = new PrefixSetBuilder(family);
  const taker = builder.lineTaker();
  const reader = new PrefixTextReader(taker === null ? [] : [taker]);
  for (let at = 0; at < bytes.length; at += CHUNK) {
    reader.push(bytes.subarray(at, at + CHUNK));
    builder.addSet(reader.lend()[family]);
  }
  builder.addSet(reader.finish()[family]);
  let size = 0;
  for (const part of linesOf(builder.build())) {
    text.set(part, size);
    size += part.length;
  }
  return text.subarray(0, size);
}

function requireSame(list: string, own: Uint8Array, peer: Uint8Array): void {
  if (Buffer.compare(own, peer) !== 0) throw new Error(`${list}: the outputs differ`);
}

/** cidr-tools has an order of its own for IPv6. */
function sortedLines(text: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(text).toString().split('\n').sort().join('\n'));
}
