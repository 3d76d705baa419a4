/**
 * What the release of a held module has to do with others that are held: after a list moved from one module into another, and a rollback, both
 * are held, and the order of their releases decides whether routers lose the list in between. Pure.
 */
import type { AlsoHeld } from '../../api/lists/held-modules.ts';
import { FAMILIES, type Family } from '../../core/address.ts';
import type { PrefixList } from '../../core/prefix.ts';
import {
  emptySet,
  intersect,
  type PrefixSet,
  PrefixSetBuilder,
  setOfRows,
  subtract,
} from '../../core/sets/prefix-set.ts';
import { meets } from '../../core/sets/within.ts';
import { diffTables } from '../../core/tables/diff.ts';
import {
  pickMarkedRows,
  pickRows,
  pickRowsAt,
  type PrefixRows,
  type PrefixTable,
} from '../../core/tables/prefix-table.ts';
import type { Contribution } from '../../core/tables/revision-table.ts';

/** A module in the revision that is built as if another one were let through. */
export interface Share {
  readonly moduleId: string;
  readonly purpose: 'announce' | 'exclude';
  readonly contributions: readonly Contribution[];
}

/** What is built as if the module were let through. */
export interface ReleasedShares {
  readonly moduleId: string;
  /** What it contributes to the latest ready revision. */
  readonly before: readonly Contribution[];
  /** Of all modules of the built revision. */
  readonly shares: readonly Share[];
}

/** Another module that is held. */
export interface OtherHeld {
  readonly moduleId: string;
  readonly name: string;
  /** What it would contribute if that were let through; empty where it takes addresses out. */
  readonly wanted: readonly Contribution[];
}

/**
 * Those of the other held modules that have what the release withdraws, or because of which what it brings is announced already. Addresses
 * count as those of any community, and of each: a blackhole inside of a network is a route of its own. O(rows of both tables) for each
 * community of the held modules.
 */
export function alsoHeld(
  before: PrefixTable,
  after: PrefixTable,
  released: ReleasedShares,
  others: readonly OtherHeld[],
): AlsoHeld[] {
  const difference = others.length === 0 ? null : diffTables(before, after);
  return others.flatMap(({ moduleId, name, wanted }) => {
    const own = released.shares.filter(
      (share) => share.moduleId === moduleId && share.purpose === 'announce',
    );
    const used = own.flatMap(({ contributions }) => contributions);
    const kinds: readonly Kind[] = [ANY, ...new Set([...wanted, ...used].map(({ community }) => community))];
    let [bringsBack, keeps] = [0, 0];
    for (const family of FAMILIES) {
      const gone = pickRowsAt(before[family], difference![family].withdrawn);
      const isBack = new Uint8Array(gone.size);
      const isKept = new Uint8Array(after[family].size);
      for (const community of kinds) {
        const near = new Nearby(released, family, community);
        const has = near.cut(wanted);
        near.mark(isBack, gone, before, intersect(near.lost(gone, before, after), has));
        const alone = near.gainedBeside(moduleId, subtract(near.cut(used), has));
        near.mark(isKept, after[family], after, alone);
      }
      bringsBack += count(isBack);
      keeps += count(isKept);
    }
    return bringsBack + keeps === 0 ? [] : [{ module_id: moduleId, name, brings_back: bringsBack, keeps }];
  });
}

/** Whatever community a route has. */
const ANY: unique symbol = Symbol('any community');
type Kind = string | null | typeof ANY;

/** One community, or all, of one family. */
class Nearby {
  readonly #released: ReleasedShares;
  readonly #family: Family;
  readonly #community: Kind;

  constructor(released: ReleasedShares, family: Family, community: Kind) {
    this.#released = released;
    this.#family = family;
    this.#community = community;
  }

  #setOf(contributions: readonly Contribution[]): PrefixSet {
    const builder = new PrefixSetBuilder(this.#family);
    for (const { community, set } of contributions)
      if (set.family === this.#family && (this.#community === ANY || community === this.#community))
        builder.addSet(set);
    return builder.build();
  }

  /** What is left of contributions after what modules exclude. */
  cut(contributions: readonly Contribution[]): PrefixSet {
    return this.#released.shares.reduce(
      (rest, { purpose, contributions: cut }) => (purpose === 'exclude' ? this.#without(rest, cut) : rest),
      this.#setOf(contributions),
    );
  }

  /** The addresses that no route has any more. A prefix that is merged or split goes as a route, and its addresses stay. */
  lost(gone: PrefixRows, before: PrefixTable, after: PrefixTable): PrefixSet {
    const was = setOfRows(this.#rowsOf(gone, before));
    if (was.size === 0) return was;
    const rows = after[this.#family];
    const isNear = new Uint8Array(rows.size);
    this.mark(isNear, rows, after, was);
    return subtract(was, setOfRows(pickMarkedRows(rows, isNear)));
  }

  /** What the release brings of the addresses that only this module has else. */
  gainedBeside(moduleId: string, addresses: PrefixSet): PrefixSet {
    if (addresses.size === 0) return addresses;
    const { moduleId: releasedId, before, shares } = this.#released;
    const own = shares.find((share) => share.moduleId === releasedId);
    if (own?.purpose !== 'announce') return emptySet(this.#family);
    const gained = intersect(subtract(this.#setOf(own.contributions), this.#setOf(before)), addresses);
    return shares
      .filter(({ moduleId: id, purpose }) => purpose === 'announce' && id !== releasedId && id !== moduleId)
      .reduce((rest, { contributions }) => this.#withoutOwn(rest, contributions), gained);
  }

  /** Marks the rows of the community that have some of the addresses. */
  mark(isMarked: Uint8Array, rows: PrefixRows, { labelSets }: PrefixTable, addresses: PrefixSet): void {
    if (addresses.size === 0) return;
    const isOf = labelSets.map((labels) => this.#isOf(labels));
    for (let row = 0; row < rows.size; row++)
      if (isOf[rows.labels[row]!]! && meets(rows, row, addresses)) isMarked[row] = 1;
  }

  #rowsOf(rows: PrefixRows, { labelSets }: PrefixTable): PrefixList {
    return pickRows(
      rows,
      labelSets.map((labels) => this.#isOf(labels)),
    );
  }

  #isOf(labels: readonly string[]): boolean {
    if (this.#community === ANY) return true;
    return this.#community === null ? labels.length === 0 : labels.includes(this.#community);
  }

  #without(rest: PrefixSet, contributions: readonly Contribution[]): PrefixSet {
    return contributions.reduce(
      (some, { set }) => (set.family === this.#family && some.size > 0 ? subtract(some, set) : some),
      rest,
    );
  }

  #withoutOwn(rest: PrefixSet, contributions: readonly Contribution[]): PrefixSet {
    return this.#without(
      rest,
      contributions.filter(({ community }) => this.#community === ANY || community === this.#community),
    );
  }
}

function count(isMarked: Uint8Array): number {
  return isMarked.reduce((sum, one) => sum + one, 0);
}
