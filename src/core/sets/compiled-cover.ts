/**
 * Covers computed by WebAssembly (assembly/*.ts), each in its own memory. The plain implementation is the reference in tests, and the
 * fallback where a process may not compile code.
 */
import { type Family, widthOf } from '../address.ts';
import type { Aggregator } from './cover.ts';
import { BINARY as IPV4 } from '../generated/ipv4-cover-binary.ts';
import { BINARY as IPV6 } from '../generated/ipv6-cover-binary.ts';
import type { PrefixList } from '../prefix.ts';
import { type WebAssemblyGlobal, type WebAssemblyMemory, instantiate } from '../web-assembly.ts';

/** Exports of a compiled cover. Positions are bytes in its memory; a step is called until it returns 0. */
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
  readonly forget: () => void;
  readonly [step: string]: unknown;
}

const BINARIES = { ipv4: IPV4, ipv6: IPV6 };
const STEPS = { ipv4: ['count', 'sort', 'walk'], ipv6: ['sort', 'walk'] };
/** More bytes than a plain line and its end can have. */
const LONGEST_LINE = 48;
/** How an address begins: with at least and at most this many characters, followed by this one. */
const BEGINNINGS = { ipv4: { least: 1, most: 3, behind: 0x2e }, ipv6: { least: 0, most: 4, behind: 0x3a } };

/**
 * An instance that has finished its cover, for reuse: allocating memory takes longer than the cover of a short list. Held weakly, since its
 * memory never shrinks and may be needed elsewhere.
 */
const idle: Partial<Record<Family, WeakRef<Assembly>>> = {};

export class CompiledCover implements Aggregator {
  lines = 0;
  readonly #family: Family;
  /** Null until there is something to add, as in lists of the other family. */
  #assembly: Assembly | null = null;
  /** Everything that was added before. */
  #cover: PrefixList;
  #bytes: Uint8Array = new Uint8Array(0);
  /** The part of `bytes` that is in the input of the assembly. */
  #from = 0;
  #to = 0;

  constructor(family: Family) {
    this.#family = family;
    this.#cover = { family, size: 0, words: new Uint32Array(0), lengths: new Uint8Array(0) };
  }

  addAll(list: PrefixList): void {
    if (list.size > 0) this.#takeRows(this.#assembly ?? this.#begun(), list);
  }

  begin(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#forgetInput();
  }

  takeLines(from: number): number {
    if (!this.#mayBeAddress(from)) return from;
    const assembly = this.#assembly ?? this.#begun();
    const before = numberOf(assembly.taken);
    let at = from;
    for (;;) {
      if (at < this.#from || at >= this.#to) this.#load(assembly, at);
      at = this.#from + assembly.takeLines(at - this.#from, this.#to - this.#from);
      // A line at the end of the input may continue beyond it.
      if (this.#to === this.#bytes.length || this.#to - at > LONGEST_LINE || at === this.#from) break;
      this.#load(assembly, at);
    }
    this.lines += numberOf(assembly.taken) - before;
    return at;
  }

  build(): PrefixList {
    const family = this.#family;
    const assembly = this.#assembly;
    if (assembly === null) return this.#cover;
    this.#forgetInput();
    assembly.beginBuild();
    for (const step of STEPS[family]) {
      const more = assembly[step] as () => number;
      while (more() !== 0);
    }
    const { buffer } = assembly.memory;
    const size = numberOf(assembly.coverSize);
    const words = new Uint32Array(buffer, numberOf(assembly.coverWords), size * widthOf(family));
    const lengths = new Uint8Array(buffer, numberOf(assembly.coverLengths), size);
    this.#cover = { family, size, words: words.slice(), lengths: lengths.slice() };
    this.#assembly = null;
    idle[family] = new WeakRef(assembly);
    return this.#cover;
  }

  /** Continues from what was added before. */
  #begun(): Assembly {
    const family = this.#family;
    const assembly = idle[family]?.deref() ?? instantiate<Assembly>(BINARIES[family]);
    delete idle[family];
    assembly.forget();
    this.#assembly = assembly;
    this.#takeRows(assembly, this.#cover);
    return assembly;
  }

  #takeRows(assembly: Assembly, { family, size, words, lengths }: PrefixList): void {
    const width = widthOf(family);
    const [input, most] = [numberOf(assembly.INPUT), numberOf(assembly.MAX_ROWS)];
    this.#forgetInput();
    for (let from = 0; from < size; from += most) {
      const to = Math.min(size, from + most);
      const { buffer } = assembly.memory;
      new Uint32Array(buffer, input).set(words.subarray(from * width, to * width));
      new Uint8Array(buffer, input + (to - from) * width * 4).set(lengths.subarray(from, to));
      assembly.takeRows(to - from);
    }
  }

  /** Whether the line there begins like an address of the family; a closer look would cost more. */
  #mayBeAddress(from: number): boolean {
    const { least, most, behind } = BEGINNINGS[this.#family];
    for (let at = from + least; at <= from + most; at++) if (this.#bytes[at] === behind) return true;
    return false;
  }

  #load(assembly: Assembly, from: number): void {
    const part = this.#bytes.subarray(from, from + numberOf(assembly.INPUT_BYTES));
    new Uint8Array(assembly.memory.buffer, numberOf(assembly.INPUT)).set(part);
    this.#from = from;
    this.#to = from + part.length;
  }

  #forgetInput(): void {
    this.#from = 0;
    this.#to = 0;
  }
}

/** 32-bit globals are signed. */
function numberOf(global: WebAssemblyGlobal): number {
  return global.value >>> 0;
}
