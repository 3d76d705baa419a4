/** `prefixcast aggregate`: the fewest prefixes that cover exactly what some lists hold. */
import { FAMILIES, type Family } from '../../core/address.ts';
import { type FittedSet, fitSet } from '../../core/fit.ts';
import { type PrefixSet, PrefixSetBuilder, coveredAddresses, subtract } from '../../core/prefix-set.ts';
import { EXIT, exitCodesHelp, outputFormat, readArguments, usageError } from '../prefixes/command.ts';
import { type ReadList, readSets } from '../prefixes/input.ts';
import type { Output } from '../prefixes/output.ts';
import { tellRejects } from '../prefixes/rejects.ts';
import { writeSets } from '../prefixes/write-sets.ts';

const HELP = `usage: prefixcast aggregate [options] FILE…

Prints the fewest prefixes that cover exactly the addresses of the lists, IPv4 and then IPv6, each in ascending order.
FILE - is standard input. A line holds a prefix, an address or a range a-b; comments begin with #, ; or //.

Options:
  --exclude FILE       leave out the addresses of this list (may be given several times)
  --max-prefixes N     print at most N prefixes of each family, covering as few other addresses as may be; how many
                       these are is told on standard error
  --ipv4, --ipv6       print this family only
  --output FORMAT      text (default), json (with --max-prefixes also what that costs), or csv
  --help               this text

${exitCodesHelp()}`;

const OPTIONS = {
  exclude: { type: 'string', multiple: true, default: [] as string[] },
  'max-prefixes': { type: 'string' },
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
  if (positionals.length === 0) throw usageError('No list is named: write a file, or - for standard input');
  const excluded = values.exclude as readonly string[];
  if ([...positionals, ...excluded].filter((path) => path === '-').length > 1) {
    throw usageError('Standard input can be read once only: write - once');
  }
  const format = outputFormat(values.output);
  const max = maxPrefixes(values['max-prefixes'] as string | undefined);
  const families = FAMILIES.filter((family) => values[family] === true || values.ipv4 === values.ipv6);

  const lists: ReadList[] = [];
  const wanted = setsOf(positionals, lists);
  const unwanted = setsOf(excluded, lists);
  const fits: Fit[] = [];
  const sets = families.map((family) => {
    const set = unwanted[family].size === 0 ? wanted[family] : subtract(wanted[family], unwanted[family]);
    if (set.size <= max) return set;
    const fitted = fitSet(set, max);
    fits.push({ listed: set, fitted });
    return fitted.set;
  });
  for (const fit of fits) errors.text(`${told(fit)}\n`);
  const rejects = lists.map((list) => tellRejects(errors, list));
  errors.flush();
  writeSets(out, sets, format, max === Infinity ? undefined : factsOf(fits));
  return rejects.includes(true) ? EXIT.rejects : EXIT.ok;
}

function maxPrefixes(value: string | undefined): number {
  if (value === undefined) return Infinity;
  if (!/^[1-9][0-9]{0,8}$/.test(value)) {
    throw usageError(`--max-prefixes ${value} is no number of prefixes: write 1 or more`);
  }
  return Number(value);
}

function setsOf(paths: readonly string[], lists: ReadList[]): Record<Family, PrefixSet> {
  const builders = { ipv4: new PrefixSetBuilder('ipv4'), ipv6: new PrefixSetBuilder('ipv6') };
  for (const path of paths) lists.push(readSets(path, builders));
  return { ipv4: builders.ipv4.build(), ipv6: builders.ipv6.build() };
}

/** A set that had too many prefixes, and what it became. */
interface Fit {
  readonly listed: PrefixSet;
  readonly fitted: FittedSet;
}

function told({ listed, fitted }: Fit): string {
  const near = fitted.optimal ? '' : ' (near the fewest that are possible)';
  return (
    `${listed.family}: ${listed.size} prefixes became ${fitted.set.size}, which cover ${fitted.foreign} addresses ` +
    `beside the ${coveredAddresses(listed)} of the lists${near}`
  );
}

/** The same for programs, by family. Numbers of addresses are text, since they may have 39 digits. */
function factsOf(fits: readonly Fit[]): Record<string, unknown> {
  const facts = fits.map(({ listed, fitted }) => [
    listed.family,
    {
      prefixes_before: listed.size,
      prefixes: fitted.set.size,
      listed_addresses: String(coveredAddresses(listed)),
      foreign_addresses: String(fitted.foreign),
      fewest_possible: fitted.optimal,
    },
  ]);
  return { fitted: Object.fromEntries(facts) as Record<string, unknown> };
}
