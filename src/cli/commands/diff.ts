/** `prefixcast diff`: what one list has that another has not. */
import { FAMILIES } from '../../core/address.ts';
import { type PrefixList, formatPrefixAt } from '../../core/prefix.ts';
import { PrefixSetBuilder, coveredAddresses, subtract } from '../../core/sets/prefix-set.ts';
import { readSets, readTwice } from '../prefixes/input.ts';
import type { OutputFormat } from '../prefixes/output-formats.ts';
import { reportRejects } from '../prefixes/rejects.ts';
import { EXIT } from '../process/command-error.ts';
import type { Output } from '../process/output.ts';
import type { Input } from '../table/command.ts';

interface Options {
  readonly ipv4: boolean;
  readonly ipv6: boolean;
  readonly output: OutputFormat;
}

/** Returns the exit code. Throws UsageError and CommandError. */
export function run({ options, args }: Input<Options>, out: Output, errors: Output): number {
  if (args.every((path) => path === '-')) throw readTwice();
  const format = options.output;
  const families = FAMILIES.filter((family) => options[family] || options.ipv4 === options.ipv6);

  const [a, b] = args.map((path) => {
    const builders = { ipv4: new PrefixSetBuilder('ipv4'), ipv6: new PrefixSetBuilder('ipv6') };
    const list = readSets(path, builders);
    return { rejects: reportRejects(errors, list), builders };
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
