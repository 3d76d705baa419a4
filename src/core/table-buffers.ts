/** The memory of tables and lists, for handing them to another thread. */
import type { PrefixList } from './prefix.ts';
import type { PrefixRows, PrefixTable } from './prefix-table.ts';
import type { StoredTable } from './stored-table.ts';

/** Each memory once, as a list to transfer wants it; memory that is shared between threads has no need to be. */
export function buffersOf(...parts: readonly (PrefixTable | PrefixList | PrefixRows)[]): ArrayBuffer[] {
  const buffers = new Set<ArrayBuffer>();
  const add = ({ buffer }: Uint8Array | Uint32Array): void => {
    if (buffer instanceof ArrayBuffer) buffers.add(buffer);
  };
  for (const part of parts) {
    for (const list of 'labelSets' in part ? [part.ipv4, part.ipv6] : [part]) {
      add(list.words);
      add(list.lengths);
      if ('labels' in list) add(list.labels);
    }
  }
  return [...buffers];
}

/**
 * The stored table with all its bytes in one memory of its own. Bytes that came out of a database may lie in memory that many
 * others lie in as well, all of which would be copied with each of them.
 */
export function compactStored({ whole, deltas }: StoredTable): {
  readonly stored: StoredTable;
  readonly memory: ArrayBuffer;
} {
  const parts = [whole.manifest, ...whole.blocks.values(), ...deltas.map(({ bytes }) => bytes)];
  const memory = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  const moved = (bytes: Uint8Array): Uint8Array => {
    memory.set(bytes, at);
    at += bytes.length;
    return memory.subarray(at - bytes.length, at);
  };
  const blocks = new Map([...whole.blocks].map(([hash, bytes]) => [hash, moved(bytes)]));
  const stored = {
    whole: { ...whole, manifest: moved(whole.manifest), blocks },
    deltas: deltas.map((delta) => ({ ...delta, bytes: moved(delta.bytes) })),
  };
  return { stored, memory: memory.buffer };
}
