/** Files of entries as rows, to leave out what is over, and to show what differs. The service says what an import does. */
import { parse } from 'csv-parse/sync';
import { ENTRY_KEYS, optionalColumns, type EntryKey } from '../../api/entries/entry-kinds.ts';
import { canonicalName } from '../../api/shapes/names.ts';
import { formatPrefix, parsePrefix } from '../../core/prefix.ts';

interface Row {
  readonly cells: readonly string[];
  /** Of its last line, from 1. */
  readonly line: number;
}

/** Rows with their lines; none where it is no CSV, which the service then explains. */
function rowsOf(text: string): readonly Row[] {
  try {
    const records = parse(text, {
      ...{ bom: true, info: true, relax_column_count: true, skip_empty_lines: true },
    }) as unknown as { readonly record: readonly string[]; readonly info: { readonly lines: number } }[];
    return records.map(({ record, info }) => ({ cells: record, line: info.lines }));
  } catch {
    return [];
  }
}

/** With LF at the end of each line, since counts of lines are right then. */
function plainLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/**
 * Entries whose time is over have been deleted by the service, and it takes none back: their lines are left empty, so that those of
 * faults stay right.
 */
export function withoutExpired(text: string, now = Date.now()): string {
  const plain = plainLines(text);
  const [header, ...rows] = rowsOf(plain.includes('expires_at') ? plain : '');
  const column = header?.cells.findIndex((cell) => cell.trim().toLowerCase() === 'expires_at') ?? -1;
  if (column < 0 || plain.includes('\r')) return plain;
  const over = rows.filter(({ cells }) => Date.parse(cells[column] ?? '') <= now);
  if (over.length === 0) return plain;
  const lines = plain.split('\n');
  for (const row of over) blank(lines, row);
  return lines.join('\n');
}

/**
 * A file with all columns of an export, in which those that it lacked have their defaults: an import would leave what entries have there, such as an entry that
 * somebody has disabled by hand. A file whose rows do not fit its header stays as it is: the service explains it.
 */
export function withAllColumns(file: string, live: string): string {
  const plain = plainLines(file);
  const [present, all] = [plain, plainLines(live)].map(
    (text) => rowsOf(text.split('\n', 1)[0]!)[0]?.cells.map((cell) => cell.trim().toLowerCase()) ?? [],
  );
  const optional = optionalColumns(keyAmong(all!) ?? '');
  const missing = all!.filter((name) => !present!.includes(name) && optional[name] !== undefined);
  if (missing.length === 0 || plain.includes('\r')) return plain;
  const [header, ...rows] = rowsOf(plain);
  if (header === undefined || rows.some(({ cells }) => cells.length !== header.cells.length)) return plain;
  const lines = plain.split('\n');
  lines[header.line - 1] += `,${missing.join(',')}`;
  const cells = missing.map((name) => `,${optional[name]}`).join('');
  for (const { line } of rows) lines[line - 1] += cells;
  return lines.join('\n');
}

/** A column of an entry, as the file and the export write it; empty: it has none. */
export interface CellChange {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

export interface EntryDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  /** Of the changed ones, what changes of each. */
  readonly differences: ReadonlyMap<string, readonly CellChange[]>;
  /** Of the removed ones, those that would leave by themselves, and when: somebody has added them by hand, in a hurry perhaps. */
  readonly ending: ReadonlyMap<string, string>;
}

/** What a file of entries and the export of its module have to do with each other. */
export interface ComparedEntries extends EntryDifference {
  /** Entries of the file that the module has just so. */
  readonly unchanged: number;
  /**
   * Whether each entry is known for certain to be added, removed, changed or none of it: columns that a file lacks leave what entries have.
   * A file with a column that no export has, an entry twice, or a key in an unusual form is for the service to read.
   */
  readonly isCertain: boolean;
}

/** Compares by keys. Cells that say the same in other words count as different. */
export function compareEntries(live: string, file: string): ComparedEntries {
  const [plainLive, plainFile] = [plainLines(live).trimEnd(), plainLines(file).trimEnd()];
  if (plainLive === plainFile)
    return {
      added: [],
      removed: [],
      changed: [],
      differences: new Map(),
      ending: new Map(),
      unchanged: plainFile.split('\n').length - 1,
      isCertain: true,
    };
  const [before, after] = [tableOf(plainLive), tableOf(plainFile)];
  const difference = differenceBetween(before, after);
  const { added, changed } = difference;
  // Inside quotes, a reader counts a carriage return as the end of a line, and no line of such a file can be left out.
  const isReadable =
    !plainFile.includes('\r') &&
    after.byKey.size > 0 &&
    after.byKey.size === after.rows.length &&
    after.names.every((name) => before.names.includes(name));
  const isCertain = isReadable && after.key !== null && added.every(IS_USUAL[after.key]);
  return { ...difference, unchanged: after.rows.length - added.length - changed.length, isCertain };
}

/** Whether an import of the file changes nothing for certain. */
export function changesNothing({ isCertain, added, removed, changed }: ComparedEntries): boolean {
  return isCertain && added.length + removed.length + changed.length === 0;
}

/**
 * The two imports that change what differs and nothing else: what goes, with its key alone, and what comes or changes, as the file has it. Lines of
 * the latter that change nothing are empty, so that those of faults stay right. Null: there is none.
 */
export function changingImports(
  file: string,
  { added, removed, changed }: EntryDifference,
): { readonly remove: string | null; readonly append: string | null } {
  const plain = plainLines(file);
  const { key, rows, keyOf } = tableOf(plain);
  const wanted = new Set([...added, ...changed]);
  const lines = plain.split('\n');
  for (const row of rows) if (!wanted.has(keyOf(row))) blank(lines, row);
  return {
    remove: removed.length === 0 ? null : `${key!}\n${removed.map(quoted).join('\n')}\n`,
    append: wanted.size === 0 ? null : `${lines.join('\n').trimEnd()}\n`,
  };
}

/** The lines of an export, so that it is known later whether somebody has changed entries. Those that end by themselves are not among them. */
export function lastingRows(live: string): string {
  const [header = '', ...rows] = plainLines(live).trimEnd().split('\n');
  const lasting = header.endsWith(',expires_at') ? rows.filter((row) => row.endsWith(',')) : rows;
  return lasting.join('\n');
}

/** The other lines of an export, and when they end, in milliseconds. */
export function endingRows(live: string): { readonly row: string; readonly end: number }[] {
  const [header = '', ...rows] = plainLines(live).trimEnd().split('\n');
  if (!header.endsWith(',expires_at')) return [];
  return rows.flatMap((row) => {
    const end = Date.parse(row.slice(row.lastIndexOf(',') + 1));
    return Number.isNaN(end) ? [] : [{ row, end }];
  });
}

function blank(lines: string[], { line, cells }: Row): void {
  const height = cells.join('').split('\n').length;
  for (let at = line - height; at < line; at++) lines[at] = '';
}

function quoted(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function differenceBetween({ byKey: before }: EntryTable, { byKey: after }: EntryTable): EntryDifference {
  const added: string[] = [];
  const differences = new Map<string, readonly CellChange[]>();
  for (const [key, row] of after) {
    const earlier = before.get(key);
    if (earlier === undefined) {
      added.push(key);
      continue;
    }
    const cells = Object.entries(row).flatMap(([name, cell]) =>
      (earlier[name] ?? '') === cell ? [] : [{ name, before: earlier[name] ?? '', after: cell }],
    );
    if (cells.length > 0) differences.set(key, cells);
  }
  const removed = [...before.keys()].filter((key) => !after.has(key));
  const ending = removed.flatMap((key) => {
    const end = before.get(key)!.expires_at ?? '';
    return end === '' ? [] : [[key, end] as const];
  });
  return { added, changed: [...differences.keys()], differences, removed, ending: new Map(ending) };
}

interface EntryTable {
  readonly names: readonly string[];
  readonly key: EntryKey | null;
  /** The same key may be that of several. */
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string;
  /** Cells by the names of their columns. */
  readonly byKey: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

function keyAmong(names: readonly string[]): EntryKey | null {
  const isKey = (name: string): name is EntryKey => (ENTRY_KEYS as readonly string[]).includes(name);
  return names.find(isKey) ?? null;
}

/** Keys that the service stores as they are: whoever writes another form may mean an entry that is there. */
const IS_USUAL: Readonly<Record<EntryKey, (key: string) => boolean>> = {
  cidr: (key) => {
    const prefix = parsePrefix(key);
    return prefix.ok && formatPrefix(prefix.value) === key;
  },
  asn: (key) => /^[1-9]\d*$/.test(key),
  domain: (key) => /^[a-z0-9_-]+(\.[a-z0-9_-]+)+$/.test(key),
  name: (key) => canonicalName(key) === key && !/^[\s'=+\-@]/.test(key),
};

function tableOf(text: string): EntryTable {
  const [header, ...rows] = rowsOf(plainLines(text));
  const names = header?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const key = keyAmong(names);
  const column = key === null ? -1 : names.indexOf(key);
  const keyOf = ({ cells }: Row): string => storedKey(key, (cells[column] ?? '').trim());
  const byKey = new Map(
    (key === null ? [] : rows).map((row) => {
      const cells = Object.fromEntries(names.map((name, at) => [name, cellOf(name, row.cells[at])]));
      const stored = keyOf(row);
      return [stored, { ...cells, [key!]: stored }];
    }),
  );
  return { names, key, rows, keyOf, byKey };
}

const MOMENT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i;

/** Notes are what they are, blanks and all. A moment may be written with a fraction and an offset, or without. */
function cellOf(name: string, cell = ''): string {
  if (name === 'note') return cell;
  const bare = cell.trim();
  if (name !== 'expires_at' || !MOMENT.test(bare)) return bare;
  const moment = Date.parse(bare);
  return Number.isNaN(moment) ? bare : new Date(moment).toISOString();
}

/** Names keep their letters; the others are stored in small ones, and an address with its length. */
function storedKey(key: EntryKey | null, cell: string): string {
  if (key === 'name') return cell;
  const small = cell.toLowerCase();
  return key === 'cidr' && !small.includes('/') ? `${small}/${small.includes(':') ? 128 : 32}` : small;
}
