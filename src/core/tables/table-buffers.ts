/** The memory of tables and lists, for transferring them to another thread. */
import type { PrefixList } from '../prefix.ts';
import type { PrefixRows, PrefixTable } from './prefix-table.ts';

/** Each buffer once, as a transfer list requires; memory that is shared between threads is left out. */
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
