/**
 * Entries as CSV (RFC 4180), one file for a module:
 *
 *     cidr,note,enabled,community          a header; its columns stand in any order, all but the key may be missing
 *     8.8.8.0/24,"resolver, public",true,65000:100
 *
 * An empty cell is the column's default. Text that a spreadsheet would take for a formula is written behind an apostrophe, which
 * reading takes away again, so that reading is the inverse of writing whatever a text holds. This file says which columns there are.
 */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { CdnSourceCreate } from '../../api/cdn-sources.ts';
import { Note } from '../../api/members.ts';
import type { ModuleType } from '../../api/modules.ts';
import { NAME_FORMAT, canonicalName, explainName } from '../../api/names.ts';
import type { EntryTable } from '../../store/entries.ts';
import { checkAsEntry } from './as-entries.ts';
import { checkCdnSource } from './cdn-sources.ts';
import { checkDomainEntry } from './domain-entries.ts';
import type { CheckedEntry } from './entries.ts';
import { checkIpRange } from './ip-range-entries.ts';

/** A column of a file. */
export interface CsvColumn {
  readonly name: string;
  /** The column of the table, where it has another name. */
  readonly stored: string;
  /** Reads a cell that is not empty. Throws a {@link CellFault}. */
  readonly read: (cell: string) => unknown;
  /** What an empty cell means. */
  readonly whenEmpty: unknown;
}

export class CellFault extends Error {
  override readonly name = 'CellFault';
}

type Row = Readonly<Record<string, unknown>>;

export interface EntryCsv {
  readonly table: EntryTable;
  /** The columns of a file in the order of an export, the key first. */
  readonly columns: readonly CsvColumn[];
  /** Columns that no file may leave out, nor leave empty. */
  readonly required: readonly string[];
  /** Brings a row of cells into the form in which it is stored. */
  readonly check: (row: Row, bogons: 'drop' | 'allow') => CheckedEntry<Row>;
}

/** Holds the value of a community, not its id. */
export const COMMUNITY = 'community';

const enabled: CsvColumn = {
  ...column('enabled', true),
  read(cell) {
    const value = cell.trim().toLowerCase();
    if (value === 'true' || value === 'false') return value === 'true';
    throw new CellFault('must be true, false or empty');
  },
};
const community: CsvColumn = { ...column(COMMUNITY, null), stored: 'community_id' };
const note: CsvColumn = { ...column('note', null), read: textOf(Note) };
const source = CdnSourceCreate.properties;
const readName = textOf(source.name);

export const ENTRY_CSV: Readonly<Record<ModuleType, EntryCsv>> = {
  CDN_SOURCES: {
    table: 'cdn_source',
    columns: [
      { ...column('name', null), read: (cell) => readName(canonicalName(cell)) },
      column('url', null, source.url),
      column('format', 'auto', source.format),
      { ...column('json_path', null), read: textOf(source.json_path) },
      { ...column('csv_column', null), read: textOf(source.csv_column) },
      enabled,
      community,
    ],
    required: ['name', 'url'],
    check: (row) => checkCdnSource(row as Required<CdnSourceCreate>),
  },
  AS_PREFIXES: {
    table: 'as_entry',
    columns: [column('asn', null), note, enabled, community],
    required: ['asn'],
    check: (row) => checkAsEntry(row as { asn: string }),
  },
  DOMAINS: {
    table: 'domain_entry',
    columns: [column('domain', null), note, enabled, community],
    required: ['domain'],
    check: (row) => checkDomainEntry(row as { domain: string }),
  },
  IP_RANGES: {
    table: 'ip_range_entry',
    columns: [column('cidr', null), note, enabled, community],
    required: ['cidr'],
    check: (row, bogons) => checkIpRange(row as { cidr: string }, bogons),
  },
};

/** A column of text without blanks around it. */
function column(name: string, whenEmpty: unknown, schema?: TSchema): CsvColumn {
  const read = schema === undefined ? (cell: string) => cell : textOf(schema);
  return { name, stored: name, read: (cell) => read(cell.trim()), whenEmpty };
}

/** Text that is what it is, blanks and all, if the schema of the field takes it. */
function textOf(schema: TSchema): CsvColumn['read'] {
  const compiled = Compile(schema);
  return (cell) => {
    if (compiled.Check(cell)) return cell;
    throw new CellFault(wanted(schema, cell));
  };
}

function wanted(schema: TSchema, cell: string): string {
  const {
    enum: choices,
    format,
    maxLength = Infinity,
    anyOf = [],
  } = schema as {
    readonly format?: string;
    readonly enum?: readonly string[];
    readonly maxLength?: number;
    readonly anyOf?: readonly TSchema[];
  };
  if (choices !== undefined) return `must be one of ${choices.join(', ')}, or empty`;
  if (cell.length > maxLength) return `must have at most ${maxLength} characters; it has ${cell.length}`;
  if (format === NAME_FORMAT) return cell === '' ? 'must not be empty' : explainName(cell);
  return anyOf.length > 0 ? wanted(anyOf[0]!, cell) : 'is not what this column takes';
}

/** What a spreadsheet would take for a formula, behind any apostrophes: with one more it is text to it. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const ESCAPED_FORMULA = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A cell as it stands in the file. */
export function writeCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n\ufeff]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What {@link writeCell} made of a text, without the quotes. */
export function unescapeFormula(cell: string): string {
  return ESCAPED_FORMULA.test(cell) ? cell.slice(1) : cell;
}
