/**
 * Changes of a large firewall rule, as the client applies them, beside `nft -f` of the whole ruleset; and a ruleset of a million prefixes. Needs
 * root: it works in a network namespace of its own.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrefixSetBuilder, emptySet, type PrefixSet } from '../../src/core/sets/prefix-set.ts';
import { Kernel } from '../../src/firewall/kernel.ts';
import { Nft } from '../../src/firewall/nft.ts';
import { writeScript, type Script } from '../../src/nftables/script.ts';
import { compared, machine, median } from '../measure/report.ts';

const PREFIXES = 100_000;
const MANY = 1_000_000;
const CHANGES = 1_000;
const ROUNDS = 7;
const GOAL = 0.2;

export async function run(args: readonly string[]): Promise<void> {
  const program = execFileSync(join(import.meta.dirname, '../../scripts/setup'), ['path', 'nft'], {
    encoding: 'utf8',
  }).trim();
  const netns = `pc-${process.pid}-bench`;
  execFileSync('ip', ['netns', 'add', netns]);
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-bench-'));
  try {
    const nft = join(directory, 'nft');
    writeFileSync(nft, `#!/bin/sh\nexec ip netns exec ${netns} ${program} "$@"\n`);
    chmodSync(nft, 0o755);
    await changes(nft, directory);
    if (!args.includes('changes')) await million(nft, directory);
  } finally {
    execFileSync('ip', ['netns', 'del', netns]);
    rmSync(directory, { recursive: true, force: true });
  }
  console.log(machine());
}

/** As the client applies a change: checked, given to the kernel, read back. */
async function changes(nft: string, directory: string): Promise<void> {
  const kernel = new Kernel(new Nft(nft), directory);
  const whole = join(directory, 'whole.nft');
  const own: number[] = [];
  const peer: number[] = [];
  await kernel.apply(scriptOf(listOf(PREFIXES, 0), 0), { whole: true });
  for (let round = 1; round <= ROUNDS; round++) {
    const next = scriptOf(listOf(PREFIXES, round), round);
    own.push(await timed(() => kernel.apply(next)));
    writeFileSync(whole, [...writeScript(next)].join(''));
    peer.push(await timed(() => Promise.resolve(spawnSync(nft, ['-f', whole]))));
    // The kernel is given back what the client thinks that it holds.
    await kernel.apply(next, { whole: true });
  }
  console.log(compared(`${CHANGES} changes in ${PREFIXES} elements, nft -f of all`, own, peer, GOAL));
}

async function million(nft: string, directory: string): Promise<void> {
  const kernel = new Kernel(new Nft(nft), directory);
  await kernel.remove();
  const before = kernelMemory();
  const seconds = await timed(() => kernel.apply(scriptOf(listOf(MANY, 0), 0), { whole: true }));
  const memory = kernelMemory() - before;
  console.log(
    `${MANY} elements as a whole, checked, given and read back without elements: ${(seconds / 1_000).toFixed(1)} s; ` +
      `the kernel holds about ${memory.toFixed(0)} MB, this process at most ${ownMemory().toFixed(0)} MB`,
  );
  const times: number[] = [];
  for (let round = 1; round <= 3; round++) {
    const next = scriptOf(listOf(MANY, round), round);
    times.push(await timed(() => kernel.apply(next)));
  }
  console.log(`${CHANGES} changes in ${MANY} elements: ${median(times).toFixed(0)} ms; medians of 3`);
  await kernel.remove();
}

/** Prefixes that stand apart, of which half of the changes have gone since the round before, and half have come. */
function listOf(count: number, round: number): PrefixSet {
  const builder = new PrefixSetBuilder('ipv4');
  const gone = (round * CHANGES) / 2;
  for (let i = 0; i < count; i++) {
    // Spread over the whole list.
    const place = (i * 7_919) % count;
    const isChanged = i < gone;
    builder.add([(0x14000000 + place * 512 + (isChanged ? 256 : 0)) >>> 0], 24);
  }
  return builder.build();
}

function scriptOf(set: PrefixSet, round: number): Script {
  const id = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77';
  const rule: Script['sets'][number]['rule'] = {
    ...{ id, action: 'block', direction: 'in', protocol: 'any', ports: [] },
  };
  return {
    hash: String(round).padStart(64, '0'),
    policy: 'block',
    protected: [],
    sets: [{ rule, ipv4: set, ipv6: emptySet('ipv6') }],
    local: { control: [], sessions: [], resolvers: [], connections: [] },
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Megabytes of the kernel's own objects. Other programs move it a little. */
function kernelMemory(): number {
  const text = readFileSync('/proc/meminfo', 'utf8');
  return Number(/^Slab:\s+(\d+)/m.exec(text)![1]) / 1024;
}

function ownMemory(): number {
  return Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024;
}
