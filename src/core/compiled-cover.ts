/**
 * Covers made by WebAssembly (assembly/*.ts), each in a memory of its own. The plain way beside it is what the compiled one is
 * held against in tests, and what is left where a process may not compile code.
 */
import { type Family, widthOf } from './address.ts';
import type { CoverMaker } from './cover.ts';
import { BINARY as IPV4 } from './ipv4-cover-binary.ts';
import { BINARY as IPV6 } from './ipv6-cover-binary.ts';
import type { PrefixList } from './prefix.ts';
import { type WebAssemblyGlobal, type WebAssemblyMemory, instantiate } from './web-assembly.ts';

/** What a compiled cover exports. Places are bytes in its memory; a step is called until it returns 0. */
interface Assembly {
  readonly memory: WebAssemblyMemory;
  readonly INPUT: WebAssemblyGlobal;
  readonly INPUT_BYTES: WebAssemblyGlobal;
  readonly MAX_ROWS: WebAssemblyGlobal;
  /** Lines and rows. */
  readonly taken: WebAssemblyGlobal;
  readonly coverWords: WebAssemblyGlobal;
  readonly coverLengths: WebAssemblyGlobal;
  readonly coverSize: WebAssemblyGlobal;
  readonly takeLines: (from: number, to: number) => number;
  readonly takeRows: (count: number) => void;
  readonly beginBuild: () => void;
  readonly [step: string]: unknown;
}

const BINARIES = { ipv4: IPV4, ipv6: IPV6 };
const STEPS = { ipv4: ['count', 'sort', 'walk'], ipv6: ['sort', 'walk'] };
/** More bytes than a plain line and its end can have. */
const LONGEST_LINE = 48;

export class CompiledCover implements CoverMaker {
  lines = 0;
  private readonly family: Family;
  private readonly assembly: Assembly;
  private readonly input: number;
  private readonly inputBytes: number;
  private bytes: Uint8Array = new Uint8Array(0);
  /** The part of `bytes` that is in the input of the assembly. */
  private from = 0;
  private to = 0;

  constructor(family: Family) {
    this.family = family;
    this.assembly = instantiate<Assembly>(BINARIES[family]);
    this.input = numberOf(this.assembly.INPUT);
    this.inputBytes = numberOf(this.assembly.INPUT_BYTES);
  }

  addAll({ family, size, words, lengths }: PrefixList): void {
    const width = widthOf(family);
    const most = numberOf(this.assembly.MAX_ROWS);
    this.forgetInput();
    for (let from = 0; from < size; from += most) {
      const to = Math.min(size, from + most);
      const { buffer } = this.assembly.memory;
      new Uint32Array(buffer, this.input).set(words.subarray(from * width, to * width));
      new Uint8Array(buffer, this.input + (to - from) * width * 4).set(lengths.subarray(from, to));
      this.assembly.takeRows(to - from);
    }
  }

  begin(bytes: Uint8Array): void {
    this.bytes = bytes;
    this.forgetInput();
  }

  takeLines(from: number): number {
    const { assembly } = this;
    const before = numberOf(assembly.taken);
    let at = from;
    for (;;) {
      if (at < this.from || at >= this.to) this.load(at);
      at = this.from + assembly.takeLines(at - this.from, this.to - this.from);
      // A line at the end of the input may go on behind it.
      if (this.to === this.bytes.length || this.to - at > LONGEST_LINE || at === this.from) break;
      this.load(at);
    }
    this.lines += numberOf(assembly.taken) - before;
    return at;
  }

  build(): PrefixList {
    const { family, assembly } = this;
    this.forgetInput();
    assembly.beginBuild();
    for (const step of STEPS[family]) {
      const more = assembly[step] as () => number;
      while (more() !== 0);
    }
    const { buffer } = assembly.memory;
    const size = numberOf(assembly.coverSize);
    const words = new Uint32Array(buffer, numberOf(assembly.coverWords), size * widthOf(family));
    const lengths = new Uint8Array(buffer, numberOf(assembly.coverLengths), size);
    return { family, size, words: words.slice(), lengths: lengths.slice() };
  }

  private load(from: number): void {
    const part = this.bytes.subarray(from, from + this.inputBytes);
    new Uint8Array(this.assembly.memory.buffer, this.input).set(part);
    this.from = from;
    this.to = from + part.length;
  }

  private forgetInput(): void {
    this.from = 0;
    this.to = 0;
  }
}

/** Globals of 32 bits come with a sign. */
function numberOf(global: WebAssemblyGlobal): number {
  return global.value >>> 0;
}
