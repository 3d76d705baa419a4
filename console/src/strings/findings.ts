import { formatNumber } from './format.ts';

interface FindingWords {
  readonly title: string;
  /** A number as it was measured, in its unit. */
  readonly unit: (value: number) => string;
}

const percent = (value: number): string => `${formatNumber(value)} %`;
const ofAllAddresses = (value: number): string => `${percent(value)} of all addresses`;
const prefixes = (value: number): string => `${formatNumber(value)} prefixes`;

const WORDS: Readonly<Record<string, FindingWords>> = {
  default_route_forbidden: { title: 'A default route', unit: ofAllAddresses },
  coverage_exceeded: { title: 'Covers too much of the address space', unit: ofAllAddresses },
  prefix_too_short: { title: 'Prefixes are too short', unit: (length) => `/${length}` },
  bogon_prefix: { title: 'Bogons', unit: prefixes },
  protected_prefix: { title: 'Protected addresses', unit: prefixes },
  max_change_exceeded: { title: 'Changes too much', unit: percent },
  rolled_back: { title: 'Taken back by a rollback', unit: formatNumber },
  large_withdrawal: { title: 'Withdraws too much', unit: percent },
  max_prefixes_exceeded: { title: 'Too many prefixes', unit: prefixes },
  tenant_policy: { title: 'Not allowed by the policy of the tenant', unit: prefixes },
  unreadable_lines: { title: 'Lines cannot be read', unit: (lines) => `${formatNumber(lines)} lines` },
  source_stale: { title: 'Not read for too long', unit: (hours) => `${formatNumber(hours)} hours` },
};

/** What people call a finding; of a code that has no words, itself. */
export function findingTitle(code: string): string {
  return WORDS[code]?.title ?? code;
}

/** Of a small list, prefixes are counted where others have a share of them; the sentence says which. */
const COUNTS_PREFIXES = / gained \d+ IPv[46] prefixes /;

/** @param detail the finding in a sentence */
export function findingNumber(code: string, value: number, detail: string): string {
  if (code === 'max_change_exceeded' && COUNTS_PREFIXES.test(detail)) return prefixes(value);
  return (WORDS[code]?.unit ?? formatNumber)(value);
}
