/**
 * The minimal cover of many IPv4 prefixes, compiled to WebAssembly: what src/core/ipv4-cover.ts does, and is told in there.
 *
 * WebAssembly begins with code that was compiled in haste, and a function gets better code the next time it is called. So
 * nothing here runs for long: the caller calls each step, {@link count} to {@link walkRest}, until it says that it is done.
 */
import { hostCount, joinRuns, runsEnd, subnetCount, taken } from './ipv4-lines';
import {
  BLOCKS,
  BLOCK_COUNT,
  HOSTS_HIGH,
  HOSTS_LOW,
  LEAF,
  RUNS,
  SUBNETS_HIGH,
  SUBNETS_LOW,
  reserve,
  setBlocks,
} from './ipv4-memory';

export { takeLines, takeRows, taken } from './ipv4-lines';
export { INPUT, INPUT_BYTES, MAX_ROWS } from './ipv4-memory';

/** Members that one step of the sort looks at, and /24s that one step of the walk does. */
const STEP: u32 = 0x4000;

/** The sorted members, while they are sorted by half; then the cover. */
let spare: usize = 0;
/** Where the cover is: addresses, and a byte for each length. */
export let coverWords: usize = 0;
export let coverLengths: usize = 0;
export let coverSize: u32 = 0;

/** What is left of the run that a step stopped in. */
let run: usize = 0;
let hostsLeft: u32 = 0;
let subnetsLeft: u32 = 0;

export function beginBuild(): void {
  memory.fill(HOSTS_LOW, 0, LEAF - HOSTS_LOW);
  spare = runsEnd;
  const words = <u64>spare + ((<u64>(hostCount + subnetCount)) << 2);
  const lengths = words + ((<u64>taken) << 2);
  reserve(lengths + taken);
  coverWords = <usize>words;
  coverLengths = <usize>lengths;
  coverSize = 0;
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

/** Counts some members by their digits. True when there are more. */
export function count(): bool {
  let steps = STEP;
  for (; hostsLeft > 0 && steps > 0; hostsLeft--, steps--, run += 4) countMember(HOSTS_LOW, load<u32>(run));
  if (hostsLeft > 0) return true;
  for (; subnetsLeft > 0 && steps > 0; subnetsLeft--, steps--, run += 4) {
    countMember(SUBNETS_LOW, load<u32>(run));
  }
  nextRun();
  if (hostsLeft + subnetsLeft > 0) return true;
  placesOf(HOSTS_LOW, spare);
  placesOf(SUBNETS_LOW, spare + ((<usize>hostCount) << 2));
  placesOf(HOSTS_HIGH, RUNS + 8);
  placesOf(SUBNETS_HIGH, RUNS + 8 + ((<usize>hostCount) << 2));
  beginRuns();
  return false;
}

function countMember(counters: usize, member: u32): void {
  const low = counters + ((member >> 6) & 0x3ffc);
  store<u32>(low, load<u32>(low) + 1);
  const high = counters + (HOSTS_HIGH - HOSTS_LOW) + ((member >> 18) & 0x3ffc);
  store<u32>(high, load<u32>(high) + 1);
}

/** Counters become the places where the members that they counted go. */
function placesOf(counters: usize, first: usize): void {
  let place = <u32>first;
  for (let digit: usize = 0; digit < 0x4000; digit += 4) {
    const size = load<u32>(counters + digit) << 2;
    store<u32>(counters + digit, place);
    place += size;
  }
}

/** Sorts some members by the low 12 bits. True when there are more. */
export function sortLow(): bool {
  let steps = STEP;
  for (; hostsLeft > 0 && steps > 0; hostsLeft--, steps--, run += 4) {
    const member = load<u32>(run);
    put(HOSTS_LOW + ((member >> 6) & 0x3ffc), member);
  }
  if (hostsLeft > 0) return true;
  for (; subnetsLeft > 0 && steps > 0; subnetsLeft--, steps--, run += 4) {
    const member = load<u32>(run);
    put(SUBNETS_LOW + ((member >> 6) & 0x3ffc), member);
  }
  nextRun();
  if (hostsLeft + subnetsLeft > 0) return true;
  run = spare;
  hostsLeft = hostCount;
  subnetsLeft = subnetCount;
  return false;
}

/** Sorts some members by the high 12 bits, into one run. True when there are more. */
export function sortHigh(): bool {
  let steps = STEP;
  for (; hostsLeft > 0 && steps > 0; hostsLeft--, steps--, run += 4) {
    const member = load<u32>(run);
    put(HOSTS_HIGH + ((member >> 18) & 0x3ffc), member);
  }
  if (hostsLeft > 0) return true;
  for (; subnetsLeft > 0 && steps > 0; subnetsLeft--, steps--, run += 4) {
    const member = load<u32>(run);
    put(SUBNETS_HIGH + ((member >> 18) & 0x3ffc), member);
  }
  if (subnetsLeft > 0) return true;
  host = RUNS + 8;
  subnet = host + ((<usize>hostCount) << 2);
  hostsEnd = subnet;
  subnetsEnd = subnet + ((<usize>subnetCount) << 2);
  done = 0;
  joinRuns();
  return false;
}

function put(counter: usize, member: u32): void {
  const place = load<u32>(counter);
  store<u32>(place, member);
  store<u32>(counter, place + 4);
}

let host: usize = 0;
let hostsEnd: usize = 0;
let subnet: usize = 0;
let subnetsEnd: usize = 0;
/** The first /24 that is not in the cover yet. */
let done: u32 = 0;

/** Appends what some /24s and the blocks before them add to the cover. True when there are more. */
export function walk(): bool {
  for (let steps = STEP; steps > 0; steps--) {
    const block = min(blockAt(host, hostsEnd), blockAt(subnet, subnetsEnd));
    if (block === BLOCK_COUNT) return false;
    const firstHost = host;
    const firstSubnet = subnet;
    while (blockAt(host, hostsEnd) === block) host += 4;
    while (blockAt(subnet, subnetsEnd) === block) subnet += 4;
    if (isSet(block)) continue;
    if (host - firstHost + subnet - firstSubnet === 4) {
      appendRuns(BLOCKS, done, block, 0, 8);
      if (host !== firstHost) push(load<u32>(firstHost), 32);
      else {
        const node = load<u32>(firstSubnet) & 0xff;
        const unit = clz(node) - 23;
        push((block << 8) | ((node << unit) & 0xff), 32 - unit);
      }
      done = block + 1;
      continue;
    }
    if (fillLeaf(firstHost, firstSubnet)) {
      setBlocks((block << 8) | 24);
      continue;
    }
    appendRuns(BLOCKS, done, block, 0, 8);
    appendRuns(LEAF, 0, 256, block << 8, 0);
    done = block + 1;
  }
  return true;
}

/** The /24 of the member at that place; behind the last member, one that is none. */
function blockAt(place: usize, end: usize): u32 {
  return place < end ? load<u32>(place) >> 8 : BLOCK_COUNT;
}

/** Gathers the members up to {@link host} and {@link subnet}. True when they are the whole /24. */
function fillLeaf(firstHost: usize, firstSubnet: usize): bool {
  v128.store(LEAF, i64x2.splat(0));
  v128.store(LEAF, i64x2.splat(0), 16);
  for (let at = firstHost; at < host; at += 4) {
    const member = load<u32>(at);
    const word = LEAF + (((member >> 5) & 7) << 2);
    store<u32>(word, load<u32>(word) | (1 << (member & 31)));
  }
  for (let at = firstSubnet; at < subnet; at += 4) {
    const node = load<u32>(at) & 0xff;
    const unit = clz(node) - 23;
    const from = (node << unit) & 0xff;
    const word = LEAF + ((from >> 5) << 2);
    if (unit >= 5) memory.fill(word, 0xff, 1 << (unit - 3));
    else store<u32>(word, load<u32>(word) | (((1 << (1 << unit)) - 1) << (from & 31)));
  }
  const both = v128.and(v128.load(LEAF), v128.load(LEAF, 16));
  return i32x4.all_true(i32x4.eq(both, i32x4.splat(-1)));
}

/** Appends some of the blocks behind the last /24 that has members. True when there are more. */
export function walkRest(): bool {
  let to = min(BLOCK_COUNT, (done | 0xffff) + 1);
  // No run is cut in two.
  while (to < BLOCK_COUNT && isSet(to - 1) && isSet(to)) to++;
  appendRuns(BLOCKS, done, to, 0, 8);
  done = to;
  return done < BLOCK_COUNT;
}

function isSet(block: u32): bool {
  return bool((load<u32>(BLOCKS + ((block >> 5) << 2)) >> (block & 31)) & 1);
}

/**
 * Appends the prefixes of the runs of set bits that begin between bits `from` and `to` (not included). A bit stands for 2^`unit`
 * addresses, bit 0 for those from `base` on.
 */
function appendRuns(bits: usize, from: u32, to: u32, base: u32, unit: u32): void {
  let at = from;
  while (at < to) {
    const rest = load<u32>(bits + ((at >> 5) << 2)) >> (at & 31);
    if (rest === 0) {
      at = (at | 31) + 1;
      continue;
    }
    at += ctz(rest);
    if (at >= to) return;
    let end = at;
    for (;;) {
      const left: u32 = 32 - (end & 31);
      const ones: u32 = ctz(~(load<u32>(bits + ((end >> 5) << 2)) >> (end & 31)));
      end += min(ones, left);
      if (ones < left || end >= to) break;
    }
    while (at < end) {
      const log = min(at === 0 ? 24 : ctz(at), 31 - clz(end - at));
      push(base | (at << unit), 32 - unit - log);
      at += 1 << log;
    }
  }
}

function push(word: u32, length: u32): void {
  store<u32>(coverWords + ((<usize>coverSize) << 2), word);
  store<u8>(coverLengths + coverSize, <u8>length);
  coverSize++;
}
