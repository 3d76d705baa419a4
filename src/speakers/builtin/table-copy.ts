/**
 * Tables for the speaker thread: a copy at memory speed whose columns are handed over, not copied again. Shared memory would
 * spare the copy, but V8 does not count it, so that a thread with little else to collect would keep old tables for long.
 */
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import type { RoutesModel } from '../speaker.ts';

export interface TableCopy {
  readonly table: PrefixTable;
  /** What to transfer with it. */
  readonly buffers: readonly ArrayBuffer[];
}

/** The routes with copies of every table in them, those of single peers too. */
export function copyRoutes(routes: RoutesModel): {
  readonly routes: RoutesModel;
  readonly buffers: readonly ArrayBuffer[];
} {
  const own = copyTable(routes.table);
  const reverted = (routes.reverted ?? []).map((one) => ({ ...one, copy: copyTable(one.routes.table) }));
  return {
    routes: {
      ...routes,
      table: own.table,
      reverted: reverted.map(({ peerIds, routes: older, copy }) => ({
        peerIds,
        routes: { ...older, table: copy.table },
      })),
    },
    buffers: [...own.buffers, ...reverted.flatMap(({ copy }) => copy.buffers)],
  };
}

export function copyTable(table: PrefixTable): TableCopy {
  const buffers: ArrayBuffer[] = [];
  const copyRows = (rows: PrefixRows): PrefixRows => {
    const words = new Uint32Array(rows.words);
    const lengths = new Uint8Array(rows.lengths);
    const labels = new Uint32Array(rows.labels);
    buffers.push(words.buffer, lengths.buffer, labels.buffer);
    return { family: rows.family, size: rows.size, words, lengths, labels };
  };
  const { labelSets } = table;
  return { table: { labelSets, ipv4: copyRows(table.ipv4), ipv6: copyRows(table.ipv6) }, buffers };
}
