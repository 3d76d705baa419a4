/** Reads rows of stored IPv4 blocks by WebAssembly (assembly/ipv4-steps.ts); the plain implementation is in table-block.ts. */
import { BINARY } from '../generated/ipv4-steps-binary.ts';
import {
  type WebAssemblyGlobal,
  type WebAssemblyMemory,
  hasWebAssembly,
  instantiate,
} from '../web-assembly.ts';

interface StepReader {
  readonly memory: WebAssemblyMemory;
  readonly INPUT: WebAssemblyGlobal;
  readonly MAX_ROWS: WebAssemblyGlobal;
  readonly OUTPUT: WebAssemblyGlobal;
  readonly begin: () => void;
  readonly read: (count: number, size: number) => number;
}

/** A number below 2^32 in base 128. */
const MAX_STEP_BYTES = 5;

let reader: StepReader | undefined;

/**
 * The addresses of rows with these lengths, whose steps are at the beginning of `steps`, and how many of its bytes they take. Null if this
 * process may not compile code, if the steps are invalid, or if the rows begin with the prefix of length 0, which has no step. O(rows).
 */
export function compiledSteps(
  lengths: Uint8Array,
  steps: Uint8Array,
): { readonly words: Uint32Array; readonly taken: number } | null {
  if (!hasWebAssembly || lengths[0] === 0) return null;
  reader ??= instantiate<StepReader>(BINARY);
  const [input, output, most] = [reader.INPUT.value, reader.OUTPUT.value, reader.MAX_ROWS.value];
  const memory = new Uint8Array(reader.memory.buffer);
  const words = new Uint32Array(lengths.length);
  let taken = 0;
  reader.begin();
  for (let from = 0; from < words.length; from += most) {
    const some = lengths.subarray(from, from + most);
    const bytes = steps.subarray(taken, taken + some.length * MAX_STEP_BYTES);
    memory.set(some, input);
    memory.set(bytes, input + some.length);
    const size = reader.read(some.length, bytes.length);
    if (size === 0) return null;
    words.set(new Uint32Array(memory.buffer, output, some.length), from);
    taken += size;
  }
  return { words, taken };
}
