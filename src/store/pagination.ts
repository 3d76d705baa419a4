import { createHash } from 'node:crypto';
import { DEFAULT_LIMIT, type Page, type PageRequest } from '../api/page.ts';
import { Problem } from '../api/problem.ts';
import type { TenantTx } from './database.ts';

/** Sorts before every id, so that the first page needs no case of its own. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
const HASH_BYTES = 8;
const ID_BYTES = 16;

/**
 * One page of a list in the order of ids, which is that of creation. The cursor is the last id of the page, so rows that come or
 * go shift nothing; it also carries what it was made for and is good for nothing else.
 * @param list names the list, with the parent's id where there is one
 * @param fetch gives at most `limit` rows whose id is above `after`, in the order of ids
 * @throws {Problem} `invalid_cursor`
 */
export async function readPage<Row extends { readonly id: string }, T>(
  tx: TenantTx,
  list: string,
  query: PageRequest,
  fetch: (after: string, limit: number) => Promise<Row[]>,
  present: (row: Row) => T,
): Promise<Page<T>> {
  const { cursor, limit = DEFAULT_LIMIT, ...filters } = query;
  const purpose = purposeOf([tx.tenantId, list, ...Object.entries(filters).sort().flat()]);
  const after = cursor === undefined ? BEFORE_ALL : readCursor(cursor, purpose);
  const rows = await fetch(after, limit + 1);
  const items = rows.slice(0, limit);
  const last = rows.length > limit ? items.at(-1) : undefined;
  return {
    items: items.map(present),
    next_cursor: last === undefined ? null : writeCursor(last.id, purpose),
    has_more: last !== undefined,
  };
}

function purposeOf(parts: readonly unknown[]): Buffer {
  return createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, HASH_BYTES);
}

function writeCursor(id: string, purpose: Buffer): string {
  return Buffer.concat([purpose, Buffer.from(id.replaceAll('-', ''), 'hex')]).toString('base64url');
}

function readCursor(cursor: string, purpose: Buffer): string {
  const bytes = Buffer.from(cursor, 'base64url');
  const isOurs = bytes.length === HASH_BYTES + ID_BYTES && bytes.subarray(0, HASH_BYTES).equals(purpose);
  if (!isOurs || bytes.toString('base64url') !== cursor) {
    throw new Problem(
      'invalid_cursor',
      'The cursor does not belong to this list with these filters. Take next_cursor of the page before, and keep the filters.',
    );
  }
  const hex = bytes.subarray(HASH_BYTES).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The pattern of ILIKE for a text that stands anywhere; its own `%` and `_` mean themselves. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
