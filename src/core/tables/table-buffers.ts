/** The memory of tables and lists, for handing them to another thread. */
import type { PrefixList } from '../prefix.ts';
import type { PrefixRows, PrefixTable } from './prefix-table.ts';

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
