/** Histories of prefixes as a plain oracle has them, which reads whole revisions: routes as texts, addresses as BigInt ranges. */
import type { HistoryItem } from '../../../src/api/lookup/history.ts';
import { parsePrefix } from '../../../src/core/prefix.ts';
import type { RevisionInput } from '../../../src/store/revisions/revision-history.ts';
import { BigPrefix } from '../../oracle/big-prefix.ts';

export type Labelled = Readonly<Record<string, readonly string[]>>;

interface PlainModule {
  readonly purpose: RevisionInput['purpose'];
  readonly families: RevisionInput['families'];
  /** Numbers of entries by prefix. */
  readonly rows: Labelled;
  readonly leftOut: readonly string[];
}

/** A revision as the oracle has it. */
export interface Plain {
  readonly routes: Labelled;
  /** Null: the module has no part in it. */
  readonly modules: readonly (PlainModule | null)[];
}

export function valueOf(text: string) {
  const parsed = parsePrefix(text);
  if (!parsed.ok) throw new Error(parsed.reason);
  return parsed.value;
}

function bigOf(text: string): BigPrefix {
  const { family, words, length } = valueOf(text);
  return BigPrefix.of(family, words, length);
}

function meet(one: string, other: string): boolean {
  const [a, b] = [bigOf(one), bigOf(other)];
  return a.family === b.family && (a.contains(b.first) || b.contains(a.first));
}

/** What an item is to say of the two revisions, in lines. */
export function expectedOf(
  number: number,
  plain: Plain,
  previous: [number, Plain] | null,
  asked: string,
  kept: number,
) {
  const routesOf = (one: Plain | null): string[] =>
    Object.entries(one?.routes ?? {})
      .filter(([prefix]) => meet(prefix, asked))
      .map(([prefix, labels]) => `${prefix} ${[...labels].sort().join(' ')}`.trim())
      .sort();
  const sharesOf = (one: Plain | null): Map<string, string[]> => {
    const shares = new Map<string, string[]>();
    one?.modules.forEach((module, place) => {
      if (module?.families.includes(bigOf(asked).family) !== true) return;
      for (const [prefix, entries] of Object.entries(module.rows))
        for (const entry of entries)
          if (meet(prefix, asked) && !module.leftOut.includes(entry)) {
            const name = `m${place} ${module.purpose} ${entry}`;
            shares.set(name, [...(shares.get(name) ?? []), prefix].sort());
          }
    });
    return shares;
  };
  const [before, after] = [previous?.[1] ?? null, plain];
  const [was, is] = [routesOf(before), routesOf(after)];
  const [had, has] = [sharesOf(before), sharesOf(after)];
  const contributors = [...new Set([...had.keys(), ...has.keys()])]
    .map((name) => {
      const [earlier, later] = [had.get(name)?.join(' '), has.get(name)?.join(' ')];
      const other = earlier === later ? 'kept' : 'changed';
      const change = earlier === undefined ? 'added' : later === undefined ? 'removed' : other;
      return `${change} ${name}: ${later ?? earlier}`;
    })
    .sort();
  const isSame = was.join() === is.join();
  if (isSame && contributors.every((line) => line.startsWith('kept'))) return null;
  const isWhole = is.some((line) => bigOf(line.split(' ')[0]!).length <= bigOf(asked).length);
  return {
    revision: number,
    previous: previous?.[0] ?? null,
    pruned: previous === null ? 0 : number - previous[0] - 1 - kept,
    change: isSame
      ? 'contributed'
      : was.length === 0
        ? 'announced'
        : is.length === 0
          ? 'withdrawn'
          : 'changed',
    announced: is.length === 0 ? 'none' : isWhole ? 'whole' : 'part',
    routes: is,
    before: was,
    contributors,
  };
}

export function foundOf(item: HistoryItem) {
  const lines = (routes: HistoryItem['routes']): string[] =>
    routes
      .map(({ prefix, communities }) =>
        [prefix, ...communities.map(({ community }) => community).sort()].join(' '),
      )
      .sort();
  return {
    revision: item.revision,
    previous: item.previous_revision,
    pruned: item.pruned_between,
    change: item.change,
    announced: item.announced,
    routes: lines(item.routes),
    before: lines(item.routes_before),
    contributors: item.contributors
      .map(
        ({ module, purpose, entry, change, prefixes }) =>
          `${change} ${module.name} ${purpose} ${entry.id}: ${[...prefixes].sort().join(' ')}`,
      )
      .sort(),
  };
}
