/** A file of entries as rows to store. Nothing here knows the database, so that it runs in a thread. */
import { CsvError, type Info, parse } from 'csv-parse/sync';
import { ENTRY_KINDS, type ModuleType } from '../../api/entries/entry-kinds.ts';
import { MAXIMUM_COMMUNITIES } from '../../api/entries/entry-members.ts';
import type { FieldFault } from '../../api/problems/problem.ts';
import { parseCommunity, formatCommunity } from '../../core/community.ts';
import { newEntryIds } from '../../store/entries/entry-ids.ts';
import { allowedSets } from '../../policy/limits.ts';
import { findOver } from './common-members.ts';
import { LineCounter, unfitLine } from './csv-lines.ts';
import {
  CellFault,
  COMMUNITY,
  type CsvColumn,
  type EntryCsv,
  expiresAt,
  name,
  type RowRules,
  unescapeFormula,
} from './entry-csv.ts';
import { KINDS } from './kinds.ts';

/** Rows that go to the database together: some ten milliseconds of it. */
const ROWS_AT_ONCE = 1_000;
/** A file that could be more is no list of entries, but would fill the memory. */
const MAX_ROWS = 2_000_000;
/** Faults that an answer lists. */
const MAX_FAULTS = 1_000;
/** Faults after which the rest is not read: it is another kind of file. */
const MAX_COUNTED = 100_000;
/** No row with the longest of all fields comes near; a quote that is never closed does. */
const MAX_RECORD = 65_536;

export interface EntryCsvTask {
  readonly type: ModuleType;
  readonly body: Uint8Array<ArrayBuffer>;
  /** Ids of the tenant's communities by value. */
  readonly communities: ReadonlyMap<string, string>;
  readonly bogons: 'drop' | 'allow';
  /** The time by the database, in milliseconds. */
  readonly now: number;
  /** What entries may be by the policy of the tenant; null: everything. */
  readonly allowedPrefixes: readonly string[] | null;
  /** Only keys matter, as of entries to delete: whatever is there may go. */
  readonly keysOnly?: boolean;
}

export type ReadEntryCsv =
  | {
      readonly ok: true;
      /** Columns of the table that the file has beside the key: what an entry that is there already takes from it. */
      readonly given: readonly string[];
      /** Arrays of rows as JSON in UTF-8, ready for the database. */
      readonly chunks: readonly Uint8Array<ArrayBuffer>[];
      /** The keys of all rows, likewise. */
      readonly keys: Uint8Array<ArrayBuffer>;
      readonly rows: number;
    }
  | { readonly ok: false; readonly faults: readonly FieldFault[]; readonly faultCount: number };

/** Never throws for anything that a file may hold. */
export function readEntryCsv(task: EntryCsvTask): ReadEntryCsv {
  const reader = new EntryReader(task);
  const unfit = unfitLine(task.body);
  if (unfit !== null) {
    reader.refuse(unfit.line, unfit.detail);
    return reader.finish();
  }
  const lines = new LineCounter(task.body);
  try {
    parse(task.body, {
      bom: true,
      max_record_size: MAX_RECORD,
      record_delimiter: ['\r\n', '\n'],
      relax_column_count: true,
      skip_empty_lines: true,
      // Rows are taken as they come and not kept.
      on_record(cells: readonly string[], info: Info) {
        reader.take(cells, lines.beginOf(info.bytes));
        return null;
      },
    });
  } catch (error) {
    if (error instanceof CsvError) reader.refuse(lines.beginOfNext(), notCsv(error));
    else if (!(error instanceof GiveUp)) throw error;
  }
  return reader.finish();
}

/** Nothing that follows can be read. */
class GiveUp extends Error {}

class EntryReader {
  readonly #csv: EntryCsv;
  readonly #task: EntryCsvTask;
  #columns: readonly CsvColumn[] | null = null;
  readonly #absent: Record<string, unknown> = {};
  readonly #lineOfKey = new Map<string, number>();
  readonly #chunks: Uint8Array<ArrayBuffer>[] = [];
  #rows: Readonly<Record<string, unknown>>[] = [];
  readonly #faults: FieldFault[] = [];
  #faultCount = 0;
  readonly #rules: RowRules;
  readonly #now: Date;

  constructor(task: EntryCsvTask) {
    this.#task = task;
    this.#csv = KINDS[task.type].csv;
    this.#now = new Date(task.now);
    const { bogons, allowedPrefixes, keysOnly = false } = task;
    this.#rules = keysOnly
      ? { bogons: 'allow', allowed: allowedSets(null) }
      : { bogons, allowed: allowedSets(allowedPrefixes) };
  }

  take(cells: readonly string[], line: number): void {
    if (this.#columns === null) this.#takeHeader(cells, line);
    else if (cells.some((cell) => cell !== '')) this.#takeRow(this.#columns, cells, line);
  }

  refuse(line: number, detail: string): void {
    if (this.#faultCount++ < MAX_FAULTS) this.#faults.push({ pointer: `line ${line}`, detail });
  }

  finish(): ReadEntryCsv {
    if (this.#columns === null && this.#faultCount === 0)
      this.refuse(1, `The file is empty. It begins with a header such as ${namesOf(this.#csv.columns)}.`);
    if (this.#faultCount > 0) return { ok: false, faults: this.#faults, faultCount: this.#faultCount };
    this.#closeChunk();
    const [key] = this.#csv.columns;
    const given = this.#columns!.filter(({ name }) => name !== key!.name).map(({ stored }) => stored);
    const keys = encode([...this.#lineOfKey.keys()]);
    return { ok: true, given, chunks: this.#chunks, keys, rows: this.#lineOfKey.size };
  }

  /** @throws GiveUp when it does not identify each row */
  #takeHeader(cells: readonly string[], line: number): void {
    const known = this.#csv.columns;
    const names = cells.map((cell) => cell.trim().toLowerCase());
    const separator = otherSeparator(names, known);
    if (separator !== null) {
      this.refuse(line, `The cells are separated by ${separator}. Save the file with commas between them.`);
      throw new GiveUp();
    }
    const other = otherKind(this.#task.type, names);
    if (other !== null) {
      const own = ENTRY_KINDS[this.#task.type].plural;
      this.refuse(
        line,
        `This is a file of ${other}, and the module has ${own}: their file begins with a header such as ${namesOf(known)}.`,
      );
      throw new GiveUp();
    }
    const columns = names.flatMap((name) => known.find((column) => column.name === name) ?? []);
    for (const [index, found] of names.entries()) {
      if (!known.some((column) => column.name === found))
        this.refuse(
          line,
          `${JSON.stringify(found)} is not a column of these entries. Known columns are ${namesOf(known)}.`,
        );
      else if (names.indexOf(found) < index) this.refuse(line, `The column ${found} stands there twice.`);
    }
    const [key] = this.#csv.columns;
    for (const needed of this.#task.keysOnly === true ? [key!.name] : this.#csv.required)
      if (!names.includes(needed)) this.refuse(line, `The column ${needed} is missing in the header.`);
    if (this.#faultCount > 0) throw new GiveUp();
    this.#columns = columns;
    for (const column of known) if (!columns.includes(column)) this.#absent[column.stored] = column.whenEmpty;
  }

  /** @throws GiveUp when there is no end of faults */
  #takeRow(columns: readonly CsvColumn[], cells: readonly string[], line: number): void {
    if (this.#faultCount >= MAX_COUNTED) throw new GiveUp();
    if (cells.length !== columns.length) return this.refuse(line, otherWidth(cells, columns));
    if (this.#task.keysOnly === true)
      return this.#takeKey(cells[columns.indexOf(this.#csv.columns[0]!)]!, line);
    const before = this.#faultCount;
    const row: Record<string, unknown> = { ...this.#absent };
    for (const [index, column] of columns.entries())
      row[column.stored] = this.#readCell(column, cells[index]!, line);
    if (this.#faultCount > before) return;
    const checked = this.#csv.check(row, this.#rules);
    if (!checked.ok) {
      for (const { field, detail } of checked.faults) this.refuse(line, `${field}: ${detail}`);
      return;
    }
    this.#keep(checked.key, checked.entry, line);
  }

  #takeKey(cell: string, line: number): void {
    const [key] = this.#csv.columns;
    const before = this.#faultCount;
    const value = this.#readCell(key!, cell, line);
    if (this.#faultCount > before) return;
    // The cell of a name is read into the form in which it is stored; of other keys the check makes it.
    const isName = key === name;
    const row = Object.fromEntries(this.#csv.columns.map((column) => [column.stored, column.whenEmpty]));
    const checked = isName ? null : this.#csv.check({ ...row, [key!.stored]: value }, this.#rules);
    if (checked?.ok === false)
      for (const { field, detail } of checked.faults) this.refuse(line, `${field}: ${detail}`);
    else if (checked === null) this.#keep(String(value), { [key!.stored]: value }, line);
    else if (checked.ok) this.#keep(checked.key, checked.entry, line);
  }

  #readCell(column: CsvColumn, cell: string, line: number): unknown {
    const text = unescapeFormula(cell);
    if (text === '' && this.#csv.required.includes(column.name))
      this.refuse(line, `${column.name}: must not be empty.`);
    if (text === '') return column.whenEmpty;
    try {
      const value = column.read(text);
      if (column.name === COMMUNITY) return this.#communityIds(value as readonly string[]);
      const over = column === expiresAt ? findOver(value as string, this.#now) : null;
      if (over !== null) this.refuse(line, `${column.name}: ${over}`);
      return value;
    } catch (error) {
      if (!(error instanceof CellFault)) throw error;
      this.refuse(line, `${column.name}: ${error.message}.`);
      return null;
    }
  }

  #communityIds(texts: readonly string[]): string[] {
    if (texts.length > MAXIMUM_COMMUNITIES)
      throw new CellFault(`must name at most ${MAXIMUM_COMMUNITIES} communities; it names ${texts.length}`);
    return [...new Set(texts.map((text) => this.#communityId(text)))];
  }

  #communityId(text: string): string {
    const parsed = parseCommunity(text);
    if (!parsed.ok) throw new CellFault(parsed.reason);
    const value = formatCommunity(parsed.value);
    const id = this.#task.communities.get(value);
    if (id !== undefined) return id;
    throw new CellFault(
      `there is no community ${value}. Create it with POST /v1/communities, or correct the cell`,
    );
  }

  /** @throws GiveUp when there are too many */
  #keep(key: string, entry: Readonly<Record<string, unknown>>, line: number): void {
    const stored = String(entry[this.#csv.columns[0]!.stored]);
    const earlier = this.#lineOfKey.get(stored);
    if (earlier !== undefined)
      return this.refuse(line, `${key} stands in line ${earlier} already. Leave one out.`);
    this.#lineOfKey.set(stored, line);
    if (this.#lineOfKey.size > MAX_ROWS) {
      this.refuse(
        line,
        `The file has more than ${MAX_ROWS} rows. Split it, and import the parts with mode=append.`,
      );
      throw new GiveUp();
    }
    // Rows are only stored when there is no fault at all.
    if (this.#faultCount > 0) return;
    this.#rows.push(entry);
    if (this.#rows.length === ROWS_AT_ONCE) this.#closeChunk();
  }

  #closeChunk(): void {
    if (this.#rows.length === 0) return;
    const ids = newEntryIds(this.#rows.length, this.#chunks.length * ROWS_AT_ONCE);
    this.#chunks.push(encode(this.#rows.map((row, index) => ({ id: ids[index], ...row }))));
    this.#rows = [];
  }
}

/** What spreadsheets write between cells in place of a comma, where that is what stands in the header; else null. */
function otherSeparator(names: readonly string[], known: readonly CsvColumn[]): string | null {
  const isBetween = (mark: string): boolean => {
    const cells = names.length === 1 ? names[0]!.split(mark) : [];
    return cells.length > 1 && cells.some((cell) => cell.trim() === known[0]!.name);
  };
  if (isBetween(';')) return 'semicolons';
  return isBetween('\t') ? 'tabs' : null;
}

/** What the file is of that has this header, where that is another kind of entries; null: it is none. */
function otherKind(type: ModuleType, names: readonly string[]): string | null {
  const isOf = (one: ModuleType): boolean => {
    const columns = KINDS[one].csv.columns.map((column) => column.name);
    return names.includes(columns[0]!) && names.every((name) => columns.includes(name));
  };
  if (names.every((name) => KINDS[type].csv.columns.some((column) => column.name === name))) return null;
  const found = (Object.keys(KINDS) as ModuleType[]).find(isOf);
  return found === undefined ? null : ENTRY_KINDS[found].plural;
}

/** Of most faults of this kind somebody has written values alone; to guess would take what is left of a torn file for a wider prefix. */
function otherWidth(cells: readonly string[], columns: readonly CsvColumn[]): string {
  const said = `The row has ${cells.length === 1 ? '1 cell' : `${cells.length} cells`}, and the header ${columns.length}`;
  const [value] = cells;
  if (value!.trimStart().startsWith('#'))
    return 'A comment stands here, and a file with a header has none. Leave the line out.';
  if (cells.length > columns.length) return `${said}. Put a cell with a comma in it into quotes.`;
  if (cells.length > 1 || !PLAIN_VALUE.test(value!))
    return `${said}. Write empty cells for those that are missing.`;
  return `${said}. Write \`${value}${','.repeat(columns.length - 1)}\`: empty cells are the defaults.`;
}

/** One that stands in a sentence, and is written without quotes. */
const PLAIN_VALUE = /^[\w.:/-]{1,100}$/;

const MEANINGS: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: 'A quote is opened and never closed',
  CSV_MAX_RECORD_SIZE: `The row is longer than ${MAX_RECORD} bytes, most likely since a quote is never closed`,
  CSV_INVALID_CLOSING_QUOTE: 'Text follows behind a closing quote. Write a quote inside of quotes twice',
  INVALID_OPENING_QUOTE:
    'A quote stands inside of a cell. Put the cell into quotes, and write the quote inside twice',
};

function notCsv({ code, message }: CsvError): string {
  return `${MEANINGS[code] ?? message}. The lines from here on were not read.`;
}

function namesOf(columns: readonly CsvColumn[]): string {
  return columns.map(({ name }) => name).join(',');
}

function encode(value: unknown): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}
