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

/** Whether an import of the file changes nothing, as far as its text tells. */
export function isSameText(live: string, file: string): boolean {
  return plainLines(live).trimEnd() === plainLines(file).trimEnd();
}

export interface EntryDifference {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Which entries differ, by their keys. Cells that say the same in other words count as different. */
export function differenceOf(live: string, file: string): EntryDifference {
  const before = byKey(live);
  const after = byKey(file);
  const added: string[] = [];
  const changed: string[] = [];
  for (const [key, row] of after) {
    const earlier = before.get(key);
    if (earlier === undefined) added.push(key);
    else if (Object.entries(row).some(([name, cell]) => (earlier[name] ?? '') !== cell)) changed.push(key);
  }
  return { added, changed, removed: [...before.keys()].filter((key) => !after.has(key)) };
}

/** Rows as cells by the names of their columns; the first column of an export is the key. */
function byKey(text: string): Map<string, Readonly<Record<string, string>>> {
  const [header, ...rows] = rowsOf(plainLines(text));
  const names = header?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const keys = ['cidr', 'asn', 'domain', 'name'];
  const column = names.findIndex((name) => keys.includes(name));
  if (column < 0) return new Map();
  return new Map(
    rows.map(({ cells }) => {
      const row = Object.fromEntries(names.map((name, at) => [name, (cells[at] ?? '').trim()]));
      const key = row[names[column]!]!.toLowerCase();
      return [
        names[column] === 'cidr' && !key.includes('/') ? `${key}/${key.includes(':') ? 128 : 32}` : key,
        row,
      ];
    }),
  );
}
