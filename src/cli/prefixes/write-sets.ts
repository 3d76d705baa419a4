/** Sets of prefixes on the output, in each format. */
import { formatWords, widthOf } from '../../core/address.ts';
import { setHostBits } from '../../core/bits.ts';
import { linesOf } from '../../core/prefix-format.ts';
import { type PrefixList, formatPrefixAt } from '../../core/prefix.ts';
import type { OutputFormat } from './output-formats.ts';
import type { Output } from '../process/output.ts';

/**
 * text: a prefix a line. csv: `prefix,first,last`, the last two being the ends of its range. json: one object, a list of prefixes
 * for each family, and `facts`.
 */
export function writeSets(
  out: Output,
  sets: readonly PrefixList[],
  format: OutputFormat,
  facts: Readonly<Record<string, unknown>> = {},
): void {
  if (format === 'text') for (const set of sets) for (const part of linesOf(set)) out.bytes(part);
  else if (format === 'csv') {
    out.text('prefix,first,last\n');
    for (const set of sets) writeCsv(out, set);
  } else {
    out.text('{');
    sets.forEach((set, i) => {
      out.text(`${i === 0 ? '' : ','}\n  "${set.family}": [`);
      for (let row = 0; row < set.size; row++) {
        out.text(`${row === 0 ? '' : ','}\n    "${formatPrefixAt(set, row)}"`);
      }
      out.text(set.size === 0 ? ']' : '\n  ]');
    });
    for (const [name, fact] of Object.entries(facts)) out.text(`,\n  "${name}": ${JSON.stringify(fact)}`);
    out.text('\n}\n');
  }
  out.flush();
}

function writeCsv(out: Output, set: PrefixList): void {
  const width = widthOf(set.family);
  for (let row = 0; row < set.size; row++) {
    const last = set.words.slice(row * width, (row + 1) * width);
    setHostBits(last, 0, set.lengths[row]!, width);
    const first = formatWords(set.family, set.words, row * width);
    out.text(`${first}/${set.lengths[row]!},${first},${formatWords(set.family, last, 0)}\n`);
  }
}
