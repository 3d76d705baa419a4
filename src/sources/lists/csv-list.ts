/**
 * Reads prefixes from one column of CSV (RFC 4180), with comments from "#" to the end of the line as in geofeeds (RFC 8805 section 2.1).
 */
import { shownText } from '../../core/text/prefix-reasons.ts';
import { CsvError, parse } from 'csv-parse/sync';
import type { Parsed } from '../../core/address.ts';
import type { CollectedPrefixes } from '../../core/text/prefix-text.ts';
import { ValueList } from './value-list.ts';

const MAX_RECORD = 65_536;

/** Reads a source's name of its column: a number from 1, or a header. */
export function checkCsvColumn(text: string): Parsed<string | number> {
  if (text.trim() === '') {
    return { ok: false, reason: 'The column is blank: write a number from 1, or the text of its header' };
  }
  if (!/^[0-9]+$/.test(text)) return { ok: true, value: text };
  const number = Number(text);
  if (number >= 1 && number <= 10_000) return { ok: true, value: number };
  return { ok: false, reason: `${text} is not a column: columns are numbered from 1 to 10000` };
}

/**
 * Reads the named column, by default the first. A first row whose cell is a plain word counts as headers; if the column is named by its
 * header, the first row always does. Every other row gives a prefix or a reject with its line.
 *
 * @throws ListTooLongError
 */
export function readCsvList(body: Uint8Array, csvColumn: string | null): Parsed<CollectedPrefixes> {
  const column = checkCsvColumn(csvColumn ?? '1');
  if (!column.ok) return column;
  const list = new ValueList();
  let index = typeof column.value === 'number' ? column.value - 1 : null;
  let isFirst = true;
  const takeRow = (row: readonly string[], line: number): void => {
    const mayBeHeaders = isFirst;
    isFirst = false;
    if (index === null) {
      index = headerIndex(row, String(column.value));
      return;
    }
    const cell = row[index];
    if (cell === undefined) {
      const reason = `The row has ${row.length} columns, and column ${index + 1} is to be read`;
      list.refuse(() => ({ line, text: shownText(row.join(',')), reason }));
    } else if (!mayBeHeaders || !isWord(cell)) list.push(line, cell);
  };
  try {
    const fault = readRows(body, takeRow);
    if (fault !== null) return { ok: false, reason: fault };
  } catch (error) {
    if (error instanceof MissingColumnError) return { ok: false, reason: error.message };
    throw error;
  }
  return { ok: true, value: list.finish() };
}

/** Passes on each row with its line as it is read; none is kept. @returns why the body is not CSV, or null */
export function readRows(
  body: Uint8Array,
  take: (row: readonly string[], line: number) => void,
): string | null {
  try {
    parse(body, {
      bom: true,
      comment: '#',
      max_record_size: MAX_RECORD,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
      on_record: (row: readonly string[], { lines }) => {
        take(row, lines);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return `The body is not CSV. ${error.message}`;
  }
  return null;
}

class MissingColumnError extends Error {}

function headerIndex(row: readonly string[], name: string): number {
  const wanted = name.trim().toLowerCase();
  const index = row.findIndex((cell) => cell.trim().toLowerCase() === wanted);
  if (index >= 0) return index;
  const names = row.slice(0, 20).map((cell) => JSON.stringify(cell.slice(0, 40)));
  throw new MissingColumnError(
    `The CSV has no column ${JSON.stringify(name)}. Its first row names ${names.join(', ')}: choose one of them, or a number from 1`,
  );
}

/** A header rather than a rejected prefix: letters, digits and joiners, without anything that could be an address. */
export function isWord(cell: string): boolean {
  return /^[\p{L}_][\p{L}\p{N} _-]*$/u.test(cell);
}
