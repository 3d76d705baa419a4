/**
 * The minimal cover of many IPv4 prefixes, compiled to WebAssembly. As src/core/sets/ipv4-cover.ts tells, with a bit for each /24 and 256 bits for
 * what is longer; but /12 by /12, so that the leaves of all its /24s fit into the processor's cache, and members need no order in a /12.
 *
 * WebAssembly begins with code that was compiled in haste, and a function gets better code the next time it is called. So
 * nothing here runs for long: the caller calls each step, {@link count} to {@link walk}, until it says that it is done.
 */
import { PARTS, PLACES, RUNS, reserve } from './ipv4-memory';
import { hostCount, runsEnd, subnetCount, taken } from './ipv4-rows';
import { beginWalk } from './ipv4-walk';

export { takeLines } from './ipv4-lines';
export { forget, takeRows, taken } from './ipv4-rows';
export { coverLengths, coverSize, coverWords, walk } from './ipv4-walk';
export { INPUT, INPUT_BYTES, MAX_ROWS } from './ipv4-memory';

/** Members that one step looks at. */
const STEP: u32 = 0x4000;

/** What is left of the run that a step stopped in. */
let run: usize = 0;
let hostsLeft: u32 = 0;
let subnetsLeft: u32 = 0;

/** Behind the runs come the members, each /12 together, and the cover. */
export function beginBuild(): void {
  const words = <u64>runsEnd + ((<u64>(hostCount + subnetCount)) << 2);
  const lengths = words + ((<u64>taken) << 2);
  reserve(lengths + taken);
  beginWalk(runsEnd, <usize>words, <usize>lengths);
  memory.fill(PLACES, 0, PARTS << 2);
  beginRuns();
}

function beginRuns(): void {
  run = RUNS;
  hostsLeft = 0;
  subnetsLeft = 0;
  nextRun();
}

function nextRun(): void {
  while (hostsLeft + subnetsLeft === 0 && run < runsEnd) {
    hostsLeft = load<u32>(run);
    subnetsLeft = load<u32>(run, 4);
    run += 8;
  }
}

/** Counts some members by their /12. True when there are more. */
export function count(): bool {
  let steps = STEP;
  for (; hostsLeft + subnetsLeft > 0; nextRun()) {
    if (steps === 0) return true;
    const some = min(hostsLeft > 0 ? hostsLeft : subnetsLeft, steps);
    countMembers(run, run + ((<usize>some) << 2));
    goOn(some);
    steps -= some;
  }
  let place = <u32>runsEnd;
  for (let at = PLACES; at < PLACES + (PARTS << 2); at += 4) {
    const size = load<u32>(at) << 2;
    store<u32>(at, place);
    place += size;
  }
  beginRuns();
  return false;
}

/** Leaves so many members of the run behind. */
function goOn(members: u32): void {
  run += (<usize>members) << 2;
  if (hostsLeft > 0) hostsLeft -= members;
  else subnetsLeft -= members;
}

function countMembers(from: usize, to: usize): void {
  for (let at = from; at < to; at += 4) {
    const counter = PLACES + ((load<u32>(at) >> 20) << 2);
    store<u32>(counter, load<u32>(counter) + 1);
  }
}

/**
 * Brings some members to those of their /12: the number of the /24 in it, and 9 bits for the place in the binary tree under the /24.
 * True when there are more.
 */
export function sort(): bool {
  let steps = STEP;
  for (; hostsLeft + subnetsLeft > 0; nextRun()) {
    if (steps === 0) return true;
    const areHosts = hostsLeft > 0;
    const some = min(areHosts ? hostsLeft : subnetsLeft, steps);
    sortMembers(run, run + ((<usize>some) << 2), areHosts ? 0x100 : 0);
    goOn(some);
    steps -= some;
  }
  return false;
}

/** `host` is the bit that stands above the last 8 bits of a host: all /32s are behind all that is shorter in the tree. */
function sortMembers(from: usize, to: usize, host: u32): void {
  for (let at = from; at < to; at += 4) {
    const word = load<u32>(at);
    const counter = PLACES + ((word >> 20) << 2);
    const place = load<u32>(counter);
    store<u32>(place, ((word & 0xfff00) << 1) | host | (word & 0xff));
    store<u32>(counter, place + 4);
  }
}
