/**
 * Tables for the speaker thread: a copy whose columns are transferred, not copied again. Shared memory would avoid the copy, but V8 does
 * not count it, so that a thread with little other garbage would keep old tables for long.
 */
import type { PrefixRows, PrefixTable } from '../../core/tables/prefix-table.ts';
import type { RoutesModel } from '../speaker.ts';

export interface TableCopy {
  readonly table: PrefixTable;
  /** What to transfer with it. */
  readonly buffers: readonly ArrayBuffer[];
}

/** The routes with copies of all tables in them, including those of single peers; what several peers hold is copied once. */
export function copyRoutes(routes: RoutesModel): {
  readonly routes: RoutesModel;
  readonly buffers: readonly ArrayBuffer[];
} {
  const buffers: ArrayBuffer[] = [];
  const copies = new Map<RoutesModel, RoutesModel>();
  const copyOf = (model: RoutesModel): RoutesModel => {
    const known = copies.get(model);
    if (known !== undefined) return known;
    const copy = copyTable(model.table);
    buffers.push(...copy.buffers);
    copies.set(model, { ...model, table: copy.table });
    return copies.get(model)!;
  };
  const { reverted = [], limited = [], fitted = [] } = routes;
  return {
    routes: {
      ...copyOf(routes),
      reverted: reverted.map((one) => ({ ...one, routes: copyOf(one.routes) })),
      limited: limited.map((one) => ({ ...one, held: copyOf(one.held) })),
      fitted: fitted.map((one) => ({ ...one, routes: copyOf(one.routes) })),
    },
    buffers,
  };
}

function copyTable(table: PrefixTable): TableCopy {
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
