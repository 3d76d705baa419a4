import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { DEFAULT_LIMIT, type Page, type PageRequest } from '../../api/shapes/page.ts';
import { Cursors } from './cursors.ts';
import type { TenantTx } from './database.ts';

/** Sorts before every id, so that the first page is not a special case. */
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';
/** Behind every id, where the newest come first. */
const BEHIND_ALL = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const ID_BYTES = 16;
const POSITION_BYTES = 8;
/** The last millisecond of the year 9999; no number of a row is higher either. */
const LATEST = 253_402_300_799_999;

/**
 * One page of a list in the order of ids, which is that of creation. The cursor is the last id of the page, so rows that come or
 * go shift nothing; it also carries what it was made for and is good for nothing else.
 * @param list names the list, with the parent's id where there is one
 * @param query with `sort`, where the list may turn round
 * @param fetch gives at most `limit` rows whose id is above `after`, in the order of ids; below it and descending for `-created_at`
 * @throws {Problem} `invalid_cursor`
 */
export async function readPage<Row extends { readonly id: string }, T>(
  tx: TenantTx,
  list: string,
  query: PageRequest & { readonly sort?: 'created_at' | '-created_at' | undefined },
  fetch: (after: string, limit: number) => Promise<Row[]>,
  present: (row: Row) => T,
): Promise<Page<T>> {
  const { cursor, limit = DEFAULT_LIMIT, ...filters } = query;
  const cursors = cursorsOf(tx, list, filters);
  const start = query.sort === '-created_at' ? BEHIND_ALL : BEFORE_ALL;
  const after = cursor === undefined ? start : readId(cursors, cursor);
  const rows = await fetch(after, limit + 1);
  return pageOf(rows, limit, present, ({ id }) => cursors.write(bytesOf(id)));
}

/** Where a page of a sorted list ended. */
export interface Place {
  /** What the list is sorted by: a number, or the milliseconds of a time. */
  readonly position: number;
  /** Decides between equal positions. */
  readonly id: string;
}

/**
 * {@link readPage} for a list in another order than that of ids. The sort key of a row must never change.
 * @param fetch returns at most `limit` rows after that place (null: from the first on), in the order of the list
 */
export async function readSorted<Row extends { readonly id: string }, T>(
  tx: TenantTx,
  list: string,
  query: PageRequest,
  fetch: (after: Place | null, limit: number) => Promise<Row[]>,
  positionOf: (row: Row) => number,
  present: (row: Row) => T,
): Promise<Page<T>> {
  const { cursor, limit = DEFAULT_LIMIT, ...filters } = query;
  const cursors = cursorsOf(tx, list, filters);
  const rows = await fetch(cursor === undefined ? null : readPlace(cursors, cursor), limit + 1);
  return pageOf(rows, limit, present, (last) =>
    cursors.write(placeBytes({ position: positionOf(last), id: last.id })),
  );
}

/**
 * {@link readPage} for a list in the order of a column that is unique in it.
 * @param fetch returns at most `limit` rows after that value (null: from the first on), in the order of the list
 * @param keyOf the value of a row, as a text
 * @throws {Problem} `invalid_cursor`
 */
export async function readByKey<Row, T>(
  tx: TenantTx,
  list: string,
  query: PageRequest,
  fetch: (after: string | null, limit: number) => Promise<Row[]>,
  keyOf: (row: Row) => string,
  present: (row: Row) => T,
): Promise<Page<T>> {
  const { cursor, limit = DEFAULT_LIMIT, ...filters } = query;
  const cursors = cursorsOf(tx, list, filters);
  const rows = await fetch(cursor === undefined ? null : cursors.read(cursor).toString(), limit + 1);
  return pageOf(rows, limit, present, (last) => cursors.write(Buffer.from(keyOf(last))));
}

/** Where a page of {@link readByName} starts, and what makes a page of what is found from there. */
export interface NamedPage {
  /** Names after this one. */
  readonly after: string;
  /** How many there may be, one more than the page holds. */
  readonly count: number;
  pageOf<T extends { readonly name: string }>(found: readonly T[]): Page<T>;
}

/**
 * {@link readPage} for what has names instead of ids, and is not in the database: files.
 * @throws {Problem} `invalid_cursor`
 */
export function readByName(tx: TenantTx, list: string, query: PageRequest): NamedPage {
  const { cursor, limit = DEFAULT_LIMIT } = query;
  const cursors = cursorsOf(tx, list);
  return {
    after: cursor === undefined ? '' : cursors.read(cursor).toString(),
    count: limit + 1,
    pageOf: (found) =>
      pageOf(
        found,
        limit,
        (one) => one,
        ({ name }) => cursors.write(Buffer.from(name)),
      ),
  };
}

/** @param found one more than the page holds, where there are more: only then it has a cursor */
function pageOf<Row, T>(
  found: readonly Row[],
  limit: number,
  present: (row: Row) => T,
  cursorBehind: (last: Row) => string,
): Page<T> {
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return {
    items: rows.map(present),
    next_cursor: last === undefined ? null : cursorBehind(last),
    has_more: last !== undefined,
  };
}

/** One value of a filter, or several. */
export type OneOrSeveral<T> = T | readonly T[];

/** Each value of the filter once; one undefined where it is not given. */
export function valuesOf<T extends string>(filter: OneOrSeveral<T> | undefined): (T | undefined)[] {
  return filter === undefined || typeof filter === 'string' ? [filter] : [...new Set(filter)];
}

/**
 * A page of rows that have one of several values each: every value is read by the index of its column, in the order of the list, as if it
 * were the only one. So a page costs as many pages as there are values, whatever there is of each.
 * @param fetch gives at most `limit` rows of one value, in the order of the list
 */
export async function fetchEach<Value, Row extends { readonly id: string }>(
  values: readonly Value[],
  fetch: (value: Value) => Promise<Row[]>,
  {
    isDescending,
    limit,
    positionOf = () => 0,
  }: {
    readonly isDescending: boolean;
    readonly limit: number;
    readonly positionOf?: (row: Row) => number;
  },
): Promise<Row[]> {
  if (values.length === 1) return fetch(values[0]!);
  const rows: Row[] = [];
  for (const value of values) rows.push(...(await fetch(value)));
  const sign = isDescending ? -1 : 1;
  rows.sort((a, b) => sign * (positionOf(a) - positionOf(b) || (a.id < b.id ? -1 : 1)));
  return rows.slice(0, limit);
}

/** Splits `-created_at` into the field and its direction. */
export function readSort<Field extends string>(
  sort: Field | `-${Field}`,
): { by: Field; isDescending: boolean } {
  const isDescending = sort.startsWith('-');
  return { by: (isDescending ? sort.slice(1) : sort) as Field, isDescending };
}

/**
 * The rows after a place, for indexes in the order of both columns.
 * @param by the column of the position: `number`, or one of times
 */
export function behind(by: string, id: string, sort: string, after: Place): RawBuilder<SqlBool> {
  const position = by.endsWith('number')
    ? sql`${after.position}::bigint`
    : sql`${new Date(after.position).toISOString()}::timestamptz`;
  const comparison = sort.startsWith('-') ? sql`<` : sql`>`;
  return sql`(${sql.ref(by)}, ${sql.ref(id)}) ${comparison} (${position}, ${after.id}::uuid)`;
}

function cursorsOf(tx: TenantTx, list: string, filters: Readonly<Record<string, unknown>> = {}): Cursors {
  return new Cursors([tx.tenantId, list, ...Object.entries(filters).sort().flat()]);
}

function placeBytes({ position, id }: Place): Buffer {
  const octets = Buffer.alloc(POSITION_BYTES);
  octets.writeBigInt64BE(BigInt(position));
  return Buffer.concat([octets, bytesOf(id)]);
}

function readPlace(cursors: Cursors, cursor: string): Place {
  const bytes = cursors.read(cursor, POSITION_BYTES + ID_BYTES);
  const position = Number(bytes.readBigInt64BE());
  if (position < 0 || position > LATEST) throw cursors.refusal();
  return { position, id: idOf(bytes.subarray(POSITION_BYTES)) };
}

function readId(cursors: Cursors, cursor: string): string {
  return idOf(cursors.read(cursor, ID_BYTES));
}

function bytesOf(id: string): Buffer {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

function idOf(bytes: Buffer): string {
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The pattern of ILIKE for a text at any position; its own `%` and `_` are escaped. */
export function containing(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`;
}
