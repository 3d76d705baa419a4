/** `prefixcast contains`: whether a list holds some addresses, and by which of its prefixes. */
import { matchesOf } from '../../core/lookup.ts';
import { type PrefixSet, PrefixSetBuilder, subtract } from '../../core/prefix-set.ts';
import { type PrefixTable, PrefixTableBuilder } from '../../core/tables/prefix-table.ts';
import {
  type Prefix,
  type PrefixList,
  formatPrefix,
  formatPrefixAt,
  parsePrefix,
} from '../../core/prefix.ts';
import {
  type OutputFormat,
  EXIT,
  exitCodesHelp,
  outputFormat,
  readArguments,
  usageError,
} from '../prefixes/command.ts';
import { readList } from '../prefixes/input.ts';
import type { Output } from '../prefixes/output.ts';
import { tellRejects } from '../prefixes/rejects.ts';

const HELP = `usage: prefixcast contains [options] FILE ADDRESS…

Tells for each address, or prefix, whether the list holds it, and all prefixes of the list around it, innermost first.
A prefix is held when the list covers all of its addresses, be it in pieces. FILE - is standard input.

Options:
  --output FORMAT      text (default), json (an object a line), or csv
  --help               this text

${exitCodesHelp('the list does not hold all of them')}`;

const OPTIONS = {
  output: { type: 'string', default: 'text' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** Returns the exit code. Throws CommandError. */
export function run(args: readonly string[], out: Output, errors: Output): number {
  const { values, positionals } = readArguments(args, OPTIONS);
  if (values.help === true) {
    out.text(HELP);
    return EXIT.ok;
  }
  const [path, ...texts] = positionals;
  if (path === undefined || texts.length === 0) throw usageError('Write a list and at least one address');
  const format = outputFormat(values.output);
  const queries = texts.map(parseQuery);

  const builder = new PrefixTableBuilder();
  const list = readList(path, (rows) => builder.addSet(rows, null));
  const rejects = tellRejects(errors, list);
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
  if (!parsed.ok) throw usageError(parsed.reason);
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
