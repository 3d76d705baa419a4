/**
 * Entries as CSV (RFC 4180), one file for a module:
 *
 *     cidr,note,enabled,community,expires_at          a header; its columns stand in any order, all but the key may be missing
 *     8.8.8.0/24,"resolver, public",true,65000:100 65000:200,2030-01-01T00:00:00Z
 *
 * An empty cell is the column's default. Text that a spreadsheet would take for a formula is written behind an apostrophe, which
 * reading takes away again, so that reading is the inverse of writing whatever a text holds. Which columns there are, each kind of entry says.
 */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { Note } from '../../api/shapes/members.ts';
import { NAME_FORMAT, Name, canonicalName, explainName } from '../../api/shapes/names.ts';
import { Timestamp } from '../../api/shapes/page.ts';
import { lazily } from '../../core/lazily.ts';
import type { TenantTx } from '../../store/database/database.ts';
import type { AllowedSets } from '../../policy/limits.ts';
import type { CheckedEntry } from './entries.ts';

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

export type Row = Readonly<Record<string, unknown>>;

/** What a row has to obey beside its columns. */
export interface RowRules {
  readonly bogons: 'drop' | 'allow';
  /** The prefixes that the policy of the tenant allows to {@link EntryCsv.allowed}. */
  readonly allowed: AllowedSets;
}

/** What a kind of entry is in a file. */
export interface EntryCsv {
  /** The columns of a file in the order of an export, the key first. */
  readonly columns: readonly CsvColumn[];
  /** Columns that no file may leave out, nor leave empty. */
  readonly required: readonly string[];
  /** Brings a row of cells into the form in which it is stored. */
  readonly check: (row: Row, rules: RowRules) => CheckedEntry<Row>;
  /** The prefixes that entries of a module may be by the policy of the tenant, null for all; undefined: entries are no prefixes. */
  readonly allowed?: (tx: TenantTx, moduleId: string) => Promise<readonly string[] | null>;
}

/** Holds the values of communities, not their ids. */
export const COMMUNITY = 'community';

const isDateTime = lazily(() => Compile(Timestamp));

/** A column of text without blanks around it. */
export function column(name: string, whenEmpty: unknown, schema?: TSchema): CsvColumn {
  const read = schema === undefined ? (cell: string) => cell : textOf(schema);
  return { name, stored: name, read: (cell) => read(cell.trim()), whenEmpty };
}

/** Text that is what it is, blanks and all, if the schema of the field takes it. */
export function textOf(schema: TSchema): CsvColumn['read'] {
  const compiled = lazily(() => Compile(schema));
  return (cell) => {
    if (compiled().Check(cell)) return cell;
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

export const enabled: CsvColumn = {
  ...column('enabled', true),
  read(cell) {
    const value = cell.trim().toLowerCase();
    if (value === 'true' || value === 'false') return value === 'true';
    throw new CellFault('must be true, false or empty');
  },
};
export const community: CsvColumn = {
  ...column(COMMUNITY, []),
  stored: 'community_ids',
  read: (cell) => cell.split(/[\s;]+/).filter((value) => value !== ''),
};
/** The reader knows the time, and refuses what is over. */
export const expiresAt: CsvColumn = {
  ...column('expires_at', null),
  read(cell) {
    const text = cell.trim();
    if (isDateTime().Check(text)) return text;
    throw new CellFault('must be a time as RFC 3339 has it, such as 2030-01-01T00:00:00Z, or empty');
  },
};
export const note: CsvColumn = { ...column('note', null), read: textOf(Note) };
const readName = textOf(Name(''));
export const name: CsvColumn = { ...column('name', null), read: (cell) => readName(canonicalName(cell)) };

/** What a spreadsheet would take for a formula, behind any apostrophes: with one more it is text to it. */
const FORMULA = /^'*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const ESCAPED_FORMULA = /^'+[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

export type CellValue = string | number | boolean | null | readonly string[];

/** A cell as it stands in the file. Several values have blanks between them. */
export function writeCell(value: CellValue): string {
  if (value === null) return '';
  if (Array.isArray(value)) return writeCell(value.join(' '));
  if (typeof value !== 'string') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n\ufeff]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** What {@link writeCell} made of a text, without the quotes. */
export function unescapeFormula(cell: string): string {
  return ESCAPED_FORMULA.test(cell) ? cell.slice(1) : cell;
}
