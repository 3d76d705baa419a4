import type { Family } from '../core/address.ts';
import { diffTables } from '../core/tables/diff.ts';
import type { RowsDiff, TableDiff } from '../core/tables/diff.ts';
import type { PrefixTable } from '../core/tables/prefix-table.ts';
import type { RoutesModel, UnfittedPeer } from './speaker.ts';

/** The routes of one apply, with what is derived from them once for all peers. Numbers ascend with time. */
export class RoutesVersion {
  static #last = 0;
  readonly number = ++RoutesVersion.#last;
  readonly model: RoutesModel;
  /** How many rows each label set has. */
  readonly counts: Readonly<Record<Family, Uint32Array>>;
  readonly #diffs = new WeakMap<RoutesVersion, WeakRef<TableDiff>>();
  readonly #shared = new Map<string, WeakRef<object>>();
  /** Created after this version, so that a peer that has been sent the later one has been sent this one's routes for it. */
  readonly #reverted: ReadonlyMap<string, RoutesVersion>;
  readonly #fitted: ReadonlyMap<string, RoutesVersion>;
  readonly #unfitted: readonly UnfittedPeer[];

  /** @param unfitted of the routes that these are a part of */
  constructor(model: RoutesModel, unfitted: readonly UnfittedPeer[] = model.unfitted ?? []) {
    this.model = model;
    this.#unfitted = unfitted;
    this.counts = { ipv4: countLabelSets(model.table, 'ipv4'), ipv6: countLabelSets(model.table, 'ipv6') };
    this.#reverted = versionsOf(model.reverted, []);
    this.#fitted = versionsOf(model.fitted, unfitted);
  }

  /** The routes for the peer: these, unless it was reverted to others, or is sent a cover of them. */
  forPeer(peerId: string): RoutesVersion {
    return this.#reverted.get(peerId) ?? this.#fitted.get(peerId) ?? this;
  }

  /** Why the peer is not sent a cover of its routes, though it should be; null: it is, or needs none. */
  unfittedReason(peerId: string): string | null {
    return this.#unfitted.find((one) => one.peerId === peerId)?.reason ?? null;
  }

  /** Peers that were reverted to other routes. */
  get revertedPeers(): string[] {
    return [...this.#reverted.keys()];
  }

  /** These routes and all those of single peers. */
  get versions(): RoutesVersion[] {
    return [this, ...new Set([...this.#reverted.values(), ...this.#fitted.values()])];
  }

  get table(): PrefixTable {
    return this.model.table;
  }

  diffFrom(before: RoutesVersion): TableDiff {
    let diff = this.#diffs.get(before)?.deref();
    if (diff === undefined) {
      diff = diffTables(before.table, this.table);
      this.#diffs.set(before, new WeakRef(diff));
    }
    return diff;
  }

  rowsDiffFrom(before: RoutesVersion, family: Family): RowsDiff {
    return this.diffFrom(before)[family];
  }

  /**
   * Returns one value for all callers with the same key, for as long as somebody uses it: peers of equal settings share Adj-RIBs-Out and
   * plans, and no plan outlives the feeds that follow it.
   */
  share<T extends object>(key: string, make: () => T): T {
    const known = this.#shared.get(key)?.deref() as T | undefined;
    if (known !== undefined) return known;
    for (const [old, reference] of this.#shared)
      if (reference.deref() === undefined) this.#shared.delete(old);
    const value = make();
    this.#shared.set(key, new WeakRef(value));
    return value;
  }
}

function versionsOf(
  some: readonly { readonly peerIds: readonly string[]; readonly routes: RoutesModel }[] | undefined,
  unfitted: readonly UnfittedPeer[],
): ReadonlyMap<string, RoutesVersion> {
  return new Map(
    (some ?? []).flatMap(({ peerIds, routes }) => {
      const version = new RoutesVersion(routes, unfitted);
      return peerIds.map((id) => [id, version] as const);
    }),
  );
}

function countLabelSets(table: PrefixTable, family: Family): Uint32Array {
  const counts = new Uint32Array(table.labelSets.length);
  const { labels, size } = table[family];
  for (let row = 0; row < size; row++) counts[labels[row]!]!++;
  return counts;
}
