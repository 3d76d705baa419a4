/** The text of a file of entries, as the service takes it: CSV in UTF-8 with a header. */
import { readFileSync } from 'node:fs';
import { CommandError, EXIT } from '../process/command-error.ts';
import { lineNotUtf8, NOT_UTF_8 } from '../process/utf8.ts';

/** @throws {CommandError} for a file that can't be read, or is not UTF-8 */
export function readListText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new CommandError(`${file} can't be read: ${(error as Error).message}`, EXIT.noInput);
  }
  const line = lineNotUtf8(bytes);
  if (line !== null) throw new CommandError(`${nameOf(file)}:${line}: ${NOT_UTF_8}`, EXIT.usage);
  return bytes.toString('utf8');
}

/** As messages call it. */
export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

export interface CsvList {
  readonly body: string;
  /** Lines that the file does not have, and that stand before it. */
  readonly added: number;
}

const COLUMN = /^[a-z][a-z_]*$/;
/** A value with another cell behind it: spreadsheets write other separators where the language has commas in numbers. */
const SEPARATED = /^[^#;\s]+(?<mark>;| *\t(?=[^#;\s]))/;

/**
 * A plain list has no header, and perhaps comments: behind `#`, or behind `;` that stands at the beginning or after a space. Lines without an entry stay,
 * since those of faults are right then.
 * @param file as messages call it
 * @throws {CommandError} where cells are separated by something else than commas: what follows the first would be lost as a comment
 */
export function withHeader(text: string, key: string, file: string): CsvList {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const first = lines.find((line) => line.trim() !== '') ?? '';
  const cells = first.split(',').map((cell) => cell.trim().replaceAll('"', '').toLowerCase());
  // A header of another kind of list is for the service to refuse.
  const isHeader = cells.includes(key) || (cells.length > 1 && cells.every((cell) => COLUMN.test(cell)));
  if (isHeader) return { body: text, added: 0 };
  for (const [index, line] of lines.entries()) {
    const mark = SEPARATED.exec(line)?.groups?.mark;
    if (mark === undefined) continue;
    const separators = mark === ';' ? 'semicolons' : 'tabs';
    throw new CommandError(
      `${file}:${index + 1}: The cells are separated by ${separators}: save the file with commas between them`,
      EXIT.usage,
    );
  }
  return { body: [key, ...lines.map((line) => line.replace(/\s*[#;].*$/, '').trim())].join('\n'), added: 1 };
}
