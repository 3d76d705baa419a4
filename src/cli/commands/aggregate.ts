/** `prefixcast aggregate`: the fewest prefixes that cover exactly what some lists hold. */
import { counted } from '../../api/shapes/counted.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import { type FittedSet, fitSet } from '../../core/sets/fit.ts';
import { type PrefixSet, PrefixSetBuilder, coveredAddresses, subtract } from '../../core/sets/prefix-set.ts';
import { type ReadList, readSets, readTwice } from '../prefixes/input.ts';
import type { OutputFormat } from '../prefixes/output-formats.ts';
import { EXIT } from '../process/command-error.ts';
import type { Output } from '../process/output.ts';
import type { Input } from '../table/command.ts';
import { reportRejects } from '../prefixes/rejects.ts';
import { writeSets } from '../prefixes/write-sets.ts';

interface Options {
  readonly exclude: readonly string[];
  readonly 'max-prefixes': number | undefined;
  readonly ipv4: boolean;
  readonly ipv6: boolean;
  readonly output: OutputFormat;
}

/** Returns the exit code. Throws UsageError and CommandError. */
export function run({ options, args }: Input<Options>, out: Output, errors: Output): number {
  const { exclude, 'max-prefixes': max = Infinity, output: format } = options;
  if ([...args, ...exclude].filter((path) => path === '-').length > 1) throw readTwice();
  const families = FAMILIES.filter((family) => options[family] || options.ipv4 === options.ipv6);

  const lists: ReadList[] = [];
  const wanted = setsOf(args, lists);
  const unwanted = setsOf(exclude, lists);
  const fits: Fit[] = [];
  const sets = families.map((family) => {
    const set = unwanted[family].size === 0 ? wanted[family] : subtract(wanted[family], unwanted[family]);
    if (set.size <= max) return set;
    const fitted = fitSet(set, max);
    fits.push({ listed: set, fitted });
    return fitted.set;
  });
  for (const fit of fits) errors.text(`${fitText(fit)}\n`);
  const rejects = lists.map((list) => reportRejects(errors, list));
  errors.flush();
  writeSets(out, sets, format, max === Infinity ? undefined : factsOf(fits));
  return rejects.includes(true) ? EXIT.rejects : EXIT.ok;
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

function fitText({ listed, fitted }: Fit): string {
  const near = fitted.optimal ? '' : ' (near the fewest that are possible)';
  return (
    `${listed.family}: ${counted(listed.size, 'prefix')} became ${fitted.set.size}, which cover ${fitted.overCoverage} addresses ` +
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
      foreign_addresses: String(fitted.overCoverage),
      fewest_possible: fitted.optimal,
    },
  ]);
  return { fitted: Object.fromEntries(facts) as Record<string, unknown> };
}
