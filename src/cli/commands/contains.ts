/** `prefixcast contains`: whether a list holds some addresses, and by which of its prefixes. */
import { matchesOf } from '../../core/tables/lookup.ts';
import { type PrefixSet, PrefixSetBuilder, subtract } from '../../core/sets/prefix-set.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../core/tables/prefix-table.ts';
import {
  type Prefix,
  type PrefixList,
  formatPrefix,
  formatPrefixAt,
  parsePrefix,
} from '../../core/prefix.ts';
import { readList } from '../prefixes/input.ts';
import type { OutputFormat } from '../prefixes/output-formats.ts';
import { reportRejects } from '../prefixes/rejects.ts';
import { EXIT, UsageError } from '../process/command-error.ts';
import type { Output } from '../process/output.ts';
import type { Input } from '../table/command.ts';

interface Options {
  readonly output: OutputFormat;
}

/** Returns the exit code. Throws UsageError and CommandError. */
export function run({ options, args }: Input<Options>, out: Output, errors: Output): number {
  const [path, ...texts] = args;
  const format = options.output;
  const queries = texts.map(parseQuery);

  const builder = new PrefixTableBuilder();
  const list = readList(path!, (rows) => builder.addSet(rows, null));
  const rejects = reportRejects(errors, list);
  errors.flush();
  const table = builder.build();
  const sets = { ipv4: minimalSet(table.ipv4), ipv6: minimalSet(table.ipv6) };
  if (format === 'csv') out.text('query,contained,prefixes\n');
  let all = true;
  for (const query of queries) {
    const contained = isCovered(sets[query.family], query);
    all &&= contained;
    writeAnswer(out, formatQuery(query), contained, prefixesAround(table, query), format);
  }
  out.flush();
  return rejects ? EXIT.rejects : all ? EXIT.ok : EXIT.no;
}

function parseQuery(text: string): Prefix {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new UsageError(parsed.reason);
  return parsed.value;
}

function formatQuery(query: Prefix): string {
  return formatPrefix(query).replace(query.family === 'ipv4' ? /\/32$/ : /\/128$/, '');
}

/** The prefixes of the list that hold the whole query, innermost first. */
function prefixesAround(table: PrefixTable, query: Prefix): string[] {
  const rows = table[query.family];
  return matchesOf(rows, query)
    .filter((row) => rows.lengths[row]! <= query.length)
    .map((row) => formatPrefixAt(rows, row));
}

function isCovered(list: PrefixSet, query: Prefix): boolean {
  const wanted = new PrefixSetBuilder(query.family);
  wanted.add(query.words, query.length);
  return subtract(wanted.build(), list).size === 0;
}

function minimalSet(list: PrefixList): PrefixSet {
  const builder = new PrefixSetBuilder(list.family);
  builder.addSet(list);
  return builder.build();
}

function writeAnswer(
  out: Output,
  query: string,
  contained: boolean,
  prefixes: readonly string[],
  format: OutputFormat,
): void {
  if (format === 'json') out.text(`${JSON.stringify({ query, contained, prefixes })}\n`);
  else if (format === 'csv') out.text(`${query},${contained},${prefixes.join(' ')}\n`);
  else if (!contained) out.text(`${query} is not in the list\n`);
  else
    out.text(`${query} is in ${prefixes.length === 0 ? 'several prefixes together' : prefixes.join(', ')}\n`);
}
