/** A content as other bytes than those that it is stored as. */
import { encodeRoutes, encodeRoutesDelta, type RoutesPart } from '../../bundle/routes-part.ts';
import { type StoredTable, contentHashOf, decodeStoredTable } from '../../core/stored/stored-table.ts';
import { type EncodedTable, encodeTable } from '../../core/stored/table-codec.ts';

/** Writes a content so that it needs no other one. */
export interface WholeTask {
  readonly kind: 'whole';
  readonly stored: StoredTable;
}

/** Writes a content as bundles carry it. */
export interface RoutesTask {
  readonly kind: 'routes';
  readonly stored: StoredTable;
}

/** Writes what makes one content out of another, as bundles carry it. */
export interface RoutesDeltaTask {
  readonly kind: 'routes_delta';
  readonly before: StoredTable;
  readonly after: StoredTable;
}

export function writeWhole({ stored }: WholeTask): EncodedTable {
  return encodeTable(decodeStoredTable(stored));
}

export function writeRoutes({ stored }: RoutesTask): RoutesPart {
  return encodeRoutes(decodeStoredTable(stored));
}

export function writeRoutesDelta({ before, after }: RoutesDeltaTask): Uint8Array | null {
  return encodeRoutesDelta(contentHashOf(before), decodeStoredTable(before), decodeStoredTable(after));
}
