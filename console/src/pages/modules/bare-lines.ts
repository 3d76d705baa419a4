/** What is not yet CSV as an import takes it: values alone or with a note, as who pastes prefixes writes them, and the separator of some spreadsheets. */

/** The text with empty cells behind lines that have fewer than the header; null: there are none. */
export function completeLines(text: string): { readonly text: string; readonly completed: number } | null {
  const [header = '', ...lines] = text.split('\n');
  const wanted = cellsOf(header).length;
  let completed = 0;
  /** In a cell that has several lines. */
  let isQuoted = false;
  const whole = lines.map((line) => {
    const value = line.trim();
    const isPart = isQuoted;
    if (value.split('"').length % 2 === 0) isQuoted = !isQuoted;
    const missing = wanted - value.replaceAll(QUOTED, '').split(',').length;
    if (value === '' || missing <= 0 || isPart || isQuoted) return line;
    completed++;
    return value + ','.repeat(missing);
  });
  return completed === 0 ? null : { text: [header, ...whole].join('\n'), completed };
}

/** The text below that header, where its own first line is none; null: it is one. */
export function withHeader(text: string, header: string): string | null {
  const columns = new Set(cellsOf(header));
  const [first = ''] = text.split('\n', 1);
  return first.trim() === '' || cellsOf(first).some((cell) => columns.has(cell))
    ? null
    : `${header}\n${withoutLine(text, header)}`;
}

/** A header that lies further down is none, and no entry either: something was pasted above it. */
function withoutLine(text: string, header: string): string {
  return text
    .split('\n')
    .filter((line) => line.trim() !== header.trim())
    .join('\n');
}

const QUOTED = /("(?:[^"]|"")*")/g;

/** The text with commas between its cells, where that is a semicolon; null: it is none. */
export function withCommas(text: string): string | null {
  const [first = ''] = text.split('\n', 1);
  if (!first.includes(';') || first.includes(',')) return null;
  return text
    .split(QUOTED)
    .map((part, at) =>
      at % 2 === 1
        ? part
        : part
            .replaceAll(/[^;\r\n]+/g, (cell) => (cell.includes(',') ? `"${cell}"` : cell))
            .replaceAll(';', ','),
    )
    .join('');
}

/** As the service says which prefixes a range of addresses is. */
const PREFIXES = /\bprefix(?:es, each as an entry of its own)?: ([\da-f.:/ ]+)$/i;

interface RangeFault {
  readonly line: number;
  readonly detail: string;
}

/** The text with a line for each prefix of a range, with what else stands in its line; null: no line at fault has a range. */
export function withPrefixes(
  text: string,
  faults: readonly RangeFault[],
): { readonly text: string; readonly ranges: number } | null {
  const lines = text.split('\n');
  let ranges = 0;
  for (const { line, detail } of faults) {
    const prefixes = PREFIXES.exec(detail)?.[1]?.split(' ');
    const [range, ...rest] = lines[line - 1]?.split(',') ?? [];
    if (prefixes === undefined || range?.includes('-') !== true) continue;
    ranges++;
    lines[line - 1] = prefixes.map((prefix) => [prefix, ...rest].join(',')).join('\n');
  }
  return ranges === 0 ? null : { text: lines.join('\n'), ranges };
}

function cellsOf(line: string): string[] {
  return line.split(',').map((cell) => cell.trim().replaceAll('"', ''));
}
