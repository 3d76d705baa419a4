/** Entries as text that two people changed at the same time: they are known by their key, as they are to the service. */

/** An entry that two people have changed in two ways, as each has written it; null: deleted it. */
export interface Contested {
  readonly name: string;
  readonly mine: string | null;
  readonly theirs: string | null;
}

interface Merged {
  readonly text: string;
  /** The keys of what they changed. */
  readonly changed: string[];
  readonly contested: Contested[];
}

/** The entries of an edit on top of what somebody else made of the same text. The header is that of `mine`. */
export function mergeText(base: string, mine: string, theirs: string): Merged {
  const [header = ''] = recordsOf(base);
  const key = cellAt(header, 0);
  const before = recordsByKey(base, key);
  const own = recordsByKey(mine, key);
  const other = recordsByKey(theirs, key);
  const theirChanges = [...changes(before, other)];
  const merged = new Map(own);
  const contested: Contested[] = [];
  for (const [name, record] of theirChanges) {
    // What both changed stays as I wrote it.
    if (own.get(name) !== before.get(name)) {
      if (own.get(name) !== record)
        contested.push({ name, mine: own.get(name) ?? null, theirs: record ?? null });
    } else if (record === undefined) merged.delete(name);
    else merged.set(name, record);
  }
  return {
    ...{ text: `${[...merged.values()].join('\n')}\n`, contested },
    changed: theirChanges.map(([name]) => name),
  };
}

function* changes(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Generator<[string, string | undefined]> {
  for (const [key, record] of after) if (before.get(key) !== record) yield [key, record];
  for (const key of before.keys()) if (!after.has(key)) yield [key, undefined];
}

/** @param key what the column is called that entries are known by; the first one where no column is called so */
export function recordsByKey(text: string, key: string): Map<string, string> {
  const [header = '', ...records] = recordsOf(text);
  const names = header.split(',').map((name) => name.trim());
  const at = Math.max(0, names.indexOf(key));
  return new Map([['', header], ...records.map((record): [string, string] => [cellAt(record, at), record])]);
}

/** The records of a CSV text: lines, but for a cell in quotes, which may have several (RFC 4180). */
function recordsOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const records: string[] = [];
  let open: string | null = null;
  for (const line of lines) {
    const record: string = open === null ? line : `${open}\n${line}`;
    open = line.includes('"') || open !== null ? unclosed(record) : null;
    if (open === null && record.trim() !== '') records.push(record);
  }
  // A quote that nobody closed: its lines stay as they are.
  if (open !== null) records.push(...open.split('\n').filter((line) => line.trim() !== ''));
  return records;
}

/** The record where its last cell is in quotes that go on after it, else null. */
function unclosed(record: string): string | null {
  for (let at = 0; at < record.length;) {
    const end = endOfCell(record, at);
    if (end === null) return record;
    at = end + 1;
  }
  return null;
}

/** Where the cell that begins at `at` ends; null: nowhere in this text. */
function endOfCell(record: string, at: number): number | null {
  const begin = at + /^\s*/.exec(record.slice(at, at + 16))![0].length;
  if (record[begin] !== '"') {
    const comma = record.indexOf(',', at);
    return comma === -1 ? record.length : comma;
  }
  for (let quote = record.indexOf('"', begin + 1); quote !== -1; quote = record.indexOf('"', quote + 2)) {
    if (record[quote + 1] === '"') continue;
    const comma = record.indexOf(',', quote);
    return comma === -1 ? record.length : comma;
  }
  return null;
}

/** A cell of a record, without its quotes. */
function cellAt(record: string, index: number): string {
  let begin = 0;
  for (let at = 0; at < index; at++) begin = (endOfCell(record, begin) ?? record.length) + 1;
  const cell = record.slice(begin, endOfCell(record, begin) ?? record.length).trim();
  return cell.startsWith('"') && cell.endsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}
