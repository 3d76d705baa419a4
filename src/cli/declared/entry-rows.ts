/** Files of entries as rows, to leave out what is over, and to show what differs. The service says what an import does. */
import { parse } from 'csv-parse/sync';

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
  if (column < 0) return plain;
  const over = rows.filter(({ cells }) => Date.parse(cells[column] ?? '') <= now);
  if (over.length === 0) return plain;
  const lines = plain.split('\n');
  for (const { line, cells } of over) {
    const height = cells.join('').split('\n').length;
    for (let at = line - height; at < line; at++) lines[at] = '';
  }
  return lines.join('\n');
}

/**
 * Whether an import of the file changes nothing for certain: columns that it lacks leave what entries have. A file with a column that no
 * export has, or with an entry twice, is for the service to refuse.
 */
export function changesNothing(live: string, file: string): boolean {
  if (plainLines(live).trimEnd() === plainLines(file).trimEnd()) return true;
  const [before, after] = [tableOf(live), tableOf(file)];
  const isReadable =
    after.byKey.size > 0 &&
    after.byKey.size === after.count &&
    after.names.every((name) => before.names.includes(name));
  if (!isReadable) return false;
  const { added, removed, changed } = differenceBetween(before, after);
  return added.length + removed.length + changed.length === 0;
}

export interface EntryDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Which entries differ, by their keys. Cells that say the same in other words count as different. */
export function differenceOf(live: string, file: string): EntryDifference {
  return differenceBetween(tableOf(live), tableOf(file));
}

function differenceBetween({ byKey: before }: EntryTable, { byKey: after }: EntryTable): EntryDifference {
  const added: string[] = [];
  const changed: string[] = [];
  for (const [key, row] of after) {
    const earlier = before.get(key);
    if (earlier === undefined) added.push(key);
    else if (Object.entries(row).some(([name, cell]) => (earlier[name] ?? '') !== cell)) changed.push(key);
  }
  return { added, changed, removed: [...before.keys()].filter((key) => !after.has(key)) };
}

interface EntryTable {
  readonly names: readonly string[];
  /** Rows, of which the same key may be that of several. */
  readonly count: number;
  /** Cells by the names of their columns. */
  readonly byKey: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

const KEYS = ['cidr', 'asn', 'domain', 'name'];

function tableOf(text: string): EntryTable {
  const [header, ...rows] = rowsOf(plainLines(text));
  const names = header?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const column = names.findIndex((name) => KEYS.includes(name));
  if (column < 0) return { names, count: rows.length, byKey: new Map() };
  const byKey = new Map(
    rows.map(({ cells }) => {
      const row = Object.fromEntries(names.map((name, at) => [name, (cells[at] ?? '').trim()]));
      const key = row[names[column]!]!.toLowerCase();
      const isAddress = names[column] === 'cidr' && !key.includes('/');
      const full = isAddress ? `${key}/${key.includes(':') ? 128 : 32}` : key;
      return [full, { ...row, [names[column]!]: full }];
    }),
  );
  return { names, count: rows.length, byKey };
}
