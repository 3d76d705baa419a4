/** `prefixcast diff`: what one list has that another has not. */
import { FAMILIES } from '../../core/address.ts';
import { type PrefixList, formatPrefixAt } from '../../core/prefix.ts';
import { PrefixSetBuilder, coveredAddresses, subtract } from '../../core/prefix-set.ts';
import {
  type OutputFormat,
  EXIT,
  exitCodesHelp,
  outputFormat,
  readArguments,
  usageError,
} from '../prefixes/command.ts';
import { readSets } from '../prefixes/input.ts';
import type { Output } from '../prefixes/output.ts';
import { tellRejects } from '../prefixes/rejects.ts';

const HELP = `usage: prefixcast diff [options] A B

Prints the addresses that only one of two lists holds, as the fewest prefixes: "- prefix" for those of A, "+ prefix" for
those of B. How the lists write them makes no difference: two halves equal the whole. FILE - is standard input.

Options:
  --ipv4, --ipv6       compare this family only
  --output FORMAT      text (default), json (an object a line), or csv
  --help               this text

${exitCodesHelp('the lists differ')}`;

const OPTIONS = {
  ipv4: { type: 'boolean', default: false },
  ipv6: { type: 'boolean', default: false },
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
  const [before, after] = positionals;
  if (before === undefined || after === undefined || positionals.length > 2) {
    throw usageError(`diff compares two lists, and ${positionals.length} are named`);
  }
  if (before === '-' && after === '-') throw usageError('Standard input can be read once only: write - once');
  const format = outputFormat(values.output);
  const families = FAMILIES.filter((family) => values[family] === true || values.ipv4 === values.ipv6);

  const [a, b] = [before, after].map((path) => {
    const builders = { ipv4: new PrefixSetBuilder('ipv4'), ipv6: new PrefixSetBuilder('ipv6') };
    const list = readSets(path, builders);
    return { rejects: tellRejects(errors, list), builders };
  }) as [Side, Side];
  errors.flush();
  if (format === 'csv') out.text('change,prefix\n');
  let changes = 0;
  for (const family of families) {
    const setA = a.builders[family].build();
    const setB = b.builders[family].build();
    const removed = subtract(setA, setB);
    const added = subtract(setB, setA);
    changes += removed.size + added.size;
    writeChanges(out, removed, 'removed', format);
    writeChanges(out, added, 'added', format);
    if (removed.size + added.size > 0) {
      errors.text(
        `${family}: ${coveredAddresses(removed)} addresses removed, ${coveredAddresses(added)} added\n`,
      );
    }
  }
  out.flush();
  errors.flush();
  return a.rejects || b.rejects ? EXIT.rejects : changes > 0 ? EXIT.no : EXIT.ok;
}

interface Side {
  readonly rejects: boolean;
  readonly builders: Record<'ipv4' | 'ipv6', PrefixSetBuilder>;
}

function writeChanges(
  out: Output,
  list: PrefixList,
  change: 'removed' | 'added',
  format: OutputFormat,
): void {
  const sign = change === 'removed' ? '-' : '+';
  for (let i = 0; i < list.size; i++) {
    const prefix = formatPrefixAt(list, i);
    if (format === 'text') out.text(`${sign} ${prefix}\n`);
    else if (format === 'csv') out.text(`${change},${prefix}\n`);
    else out.text(`{"change":"${change}","prefix":"${prefix}"}\n`);
  }
}
