/** Routes beside other routes. */
import { isIPv4 } from 'node:net';
import type { Family } from '../../src/core/address.ts';
import type { Routes } from './model.ts';

/** Prefix and communities as one line each, sorted: equal routes are equal lines. */
export function linesOf(routes: Routes): string[] {
  return Array.from(routes, ([prefix, communities]) => `${prefix} ${communities.join(' ')}`.trim()).sort();
}

/** What the first lacks of the second, and the other way round, in a few lines; null: they are equal. */
export function differenceOf(found: Routes, wanted: Routes): string | null {
  const [has, needs] = [linesOf(found), linesOf(wanted)].map((lines) => new Set(lines)) as [
    Set<string>,
    Set<string>,
  ];
  const missing = [...needs].filter((line) => !has.has(line));
  const extra = [...has].filter((line) => !needs.has(line));
  if (missing.length + extra.length === 0) return null;
  const some = (lines: string[]): string =>
    lines.length === 0
      ? 'none'
      : `${lines.slice(0, 8).join(', ')}${lines.length > 8 ? ` … (${lines.length})` : ''}`;
  return `missing: ${some(missing)}; too much: ${some(extra)}`;
}

/** Announced, withdrawn and changed from one to the other. */
export function changesBetween(
  before: Routes,
  after: Routes,
): Record<'announced' | 'withdrawn' | 'changed', number> {
  const keys = [...after.keys()];
  return {
    announced: keys.filter((prefix) => !before.has(prefix)).length,
    withdrawn: [...before.keys()].filter((prefix) => !after.has(prefix)).length,
    changed: keys.filter(
      (prefix) =>
        before.get(prefix) !== undefined && before.get(prefix)!.join() !== after.get(prefix)!.join(),
    ).length,
  };
}

export function familyOf(address: string): Family {
  return isIPv4(address.split('/')[0]!) ? 'ipv4' : 'ipv6';
}
