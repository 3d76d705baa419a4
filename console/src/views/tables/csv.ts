/** Rows as a file for a spreadsheet (RFC 4180). */
interface CsvColumn<Row> {
  readonly name: string;
  readonly value: (row: Row) => string | number;
}

/** @param name of the file, without `.csv` */
export function downloadCsv<Row>(
  name: string,
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
): void {
  const lines = [
    columns.map(({ name: title }) => title),
    ...rows.map((row) => columns.map(({ value }) => value(row))),
  ];
  const csv = lines.map((cells) => cells.map(csvCell).join(',')).join('\r\n');
  saveFile(`${name}.csv`, `${csv}\r\n`, 'text/csv');
}

/** @param name may be anything that somebody has typed */
export function saveFile(name: string, content: string, type: string): void {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = safeName(name);
  link.click();
  URL.revokeObjectURL(url);
}

/** Letters, digits, `_`, `.` and `-`; no hidden file, and no option of a command. The end of a long one, which says what it is. */
function safeName(name: string): string {
  const safe = name
    .replace(/[^\w.-]+/g, '-')
    .slice(-80)
    .replace(/^[.-]+/, '');
  return safe.includes('.') ? safe : `list.${safe}`;
}

/** A text that a spreadsheet would compute has an apostrophe in front. */
function csvCell(value: string | number): string {
  if (typeof value === 'number') return String(value);
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
