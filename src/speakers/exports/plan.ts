/**
 * The step from the routes that a peer has received to those that it should receive, for one family: rows to announce, grouped by
 * attributes, and rows to withdraw. Only row numbers are kept, 4 octets a route; UPDATEs are made from them when the socket has room.
 */
import { widthOf } from '../../core/address.ts';
import type { Family } from '../../core/address.ts';
import type { PrefixRows } from '../../core/tables/prefix-table.ts';
import { MIN_ROWS_TO_ORDER, birdOrder } from './bird-order.ts';
import { sameMeaning } from './adj-rib-out.ts';
import type { AdjRibOut } from './adj-rib-out.ts';

/** Rows per piece of work: well under a millisecond. */
const PIECE = 1 << 15;

const NO_ROWS = new Uint32Array(0);

export class FamilyPlan {
  readonly family: Family;
  readonly before: AdjRibOut | null;
  readonly after: AdjRibOut;
  done = false;
  /** Rows of `after` to announce, group by group; null: every row, in one group. Group g ends at `ends[g]`. */
  order: Uint32Array | null = NO_ROWS;
  readonly ends: Uint32Array;
  /** Rows of `before` to withdraw. */
  withdraw = NO_ROWS;
  /** Rows to announce. */
  size = 0;
  /** Of these, those that the peer does not hold yet. */
  fresh = 0;
  readonly #beforeIds: Int32Array;
  readonly #afterIds: Int32Array;
  #withdrawn = 0;
  /** Rows to announce, in the order of addresses, while the plan is being made. */
  #found = NO_ROWS;
  readonly #work: Iterator<void>;

  private constructor(family: Family, before: AdjRibOut | null, after: AdjRibOut) {
    this.family = family;
    this.before = before;
    this.after = after;
    const ids = new Map<string, number>();
    this.#beforeIds = before === null ? new Int32Array(0) : attributeIds(before, family, ids);
    this.#afterIds = attributeIds(after, family, ids);
    this.ends = new Uint32Array(after.families[family].groups.length);
    this.#work = this.#build();
  }

  /** The plan from one Adj-RIB-Out to another, shared between peers that take the same step. */
  static of(family: Family, before: AdjRibOut | null, after: AdjRibOut): FamilyPlan {
    // A peer that received an empty table is like one that received nothing: no comparison is needed.
    if (before?.families[family].count === 0) return FamilyPlan.of(family, null, after);
    const from = before === null ? 'nothing' : `${before.routes.number} ${before.key}`;
    return after.routes.share(
      `plan ${family} ${from} > ${after.key}`,
      () => new FamilyPlan(family, before, after),
    );
  }

  /** Works for less than a millisecond; sets `done` at the end. */
  step(): void {
    if (!this.done) this.done = this.#work.next().done === true;
  }

  *#build(): Generator<void> {
    const { family, before, after } = this;
    const rows = after.routes.table[family];
    if (before === null) {
      yield* this.#takeAll(rows);
      return;
    }
    if (before.routes === after.routes) yield* this.#compareRibs(rows.size);
    else if (sameMeaning(before, after)) yield* this.#followDiff(before);
    else yield* this.#walkBoth(before.routes.table[family], rows);
    this.withdraw = this.withdraw.slice(0, this.#withdrawn);
    yield* this.#gather(rows);
  }

  /** Announces every row of the peer: sizes of groups are known without looking at the rows. */
  *#takeAll(rows: PrefixRows): Generator<void> {
    const { groupOf, groups, count } = this.after.families[this.family];
    const counts = this.after.routes.counts[this.family];
    const next = new Uint32Array(groups.length + 1);
    groupOf.forEach((group, set) => {
      if (group >= 0) next[group + 1]! += counts[set]!;
    });
    this.#closeGroups(next);
    this.size = count;
    this.fresh = count;
    const visit = this.after.isBird && rows.size >= MIN_ROWS_TO_ORDER ? yield* birdOrder(rows) : null;
    if (groups.length === 1 && count === rows.size) {
      this.order = visit;
      return;
    }
    const order = new Uint32Array(count);
    for (let i = 0; i < rows.size; i++) {
      const row = visit === null ? i : visit[i]!;
      const group = groupOf[rows.labels[row]!]!;
      if (group >= 0) order[next[group]!++] = row;
      if (i % PIECE === 0) yield;
    }
    this.order = order;
  }

  /** The peer's settings changed, the routes did not. */
  *#compareRibs(size: number): Generator<void> {
    this.#makeRoom(size, size);
    for (let row = 0; row < size; row++) {
      this.#consider(row, row);
      if (row % PIECE === 0) yield;
    }
  }

  /** The usual case: rows that are equal in both tables mean the same, so only the difference counts. */
  *#followDiff(before: AdjRibOut): Generator<void> {
    const { announced, changed, withdrawn } = this.after.routes.rowsDiffFrom(before.routes, this.family);
    this.#makeRoom(announced.length + changed.length / 2, withdrawn.length + changed.length / 2);
    for (let i = 0; i < announced.length; i++) {
      this.#consider(-1, announced[i]!);
      if (i % PIECE === 0) yield;
    }
    for (let i = 0; i < changed.length; i += 2) {
      this.#consider(changed[i]!, changed[i + 1]!);
      if (i % PIECE === 0) yield;
    }
    for (let i = 0; i < withdrawn.length; i++) {
      this.#consider(withdrawn[i]!, -1);
      if (i % PIECE === 0) yield;
    }
  }

  /** A community or next hop now means something else: every row of both tables is compared. */
  *#walkBoth(before: PrefixRows, after: PrefixRows): Generator<void> {
    this.#makeRoom(after.size, before.size);
    for (let b = 0, a = 0, steps = 0; b < before.size || a < after.size; steps++) {
      const order = b === before.size ? 1 : a === after.size ? -1 : compareRows(before, b, after, a);
      this.#consider(order <= 0 ? b : -1, order >= 0 ? a : -1);
      if (order <= 0) b++;
      if (order >= 0) a++;
      if (steps % PIECE === 0) yield;
    }
  }

  #makeRoom(announcements: number, withdrawals: number): void {
    this.#found = new Uint32Array(announcements);
    this.withdraw = new Uint32Array(withdrawals);
  }

  /** One prefix: its row before and its row after, -1 for none. */
  #consider(before: number, after: number): void {
    const { family } = this;
    const had = before < 0 ? -1 : this.#beforeIds[this.before!.routes.table[family].labels[before]!]!;
    const has = after < 0 ? -1 : this.#afterIds[this.after.routes.table[family].labels[after]!]!;
    if (had === has) return;
    if (has < 0) this.withdraw[this.#withdrawn++] = before;
    else {
      this.#found[this.size++] = after;
      if (had < 0) this.fresh++;
    }
  }

  /** Orders the found rows by group, keeping the order of addresses within a group: a counting sort. */
  *#gather(rows: PrefixRows): Generator<void> {
    const { groupOf } = this.after.families[this.family];
    const next = new Uint32Array(this.ends.length + 1);
    for (let i = 0; i < this.size; i++) {
      next[groupOf[rows.labels[this.#found[i]!]!]! + 1]!++;
      if (i % PIECE === 0) yield;
    }
    this.#closeGroups(next);
    const order = new Uint32Array(this.size);
    for (let i = 0; i < this.size; i++) {
      const row = this.#found[i]!;
      order[next[groupOf[rows.labels[row]!]!]!++] = row;
      if (i % PIECE === 0) yield;
    }
    this.order = order;
    this.#found = NO_ROWS;
  }

  /** Turns sizes, each stored one place after its group, into starts of groups, and notes their ends. */
  #closeGroups(next: Uint32Array): void {
    for (let group = 1; group < next.length; group++) next[group]! += next[group - 1]!;
    this.ends.set(next.subarray(1));
  }
}

/** Label set -> number of its attributes, the same in both Adj-RIBs-Out of a plan; -1: not received. */
function attributeIds(ribOut: AdjRibOut, family: Family, ids: Map<string, number>): Int32Array {
  const { groupOf, keys } = ribOut.families[family];
  const idOfGroup = keys.map((key) => {
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    return id;
  });
  return groupOf.map((group) => (group < 0 ? -1 : idOfGroup[group]!));
}

function compareRows(before: PrefixRows, b: number, after: PrefixRows, a: number): number {
  const width = widthOf(before.family);
  for (let i = 0; i < width; i++) {
    const order = before.words[b * width + i]! - after.words[a * width + i]!;
    if (order !== 0) return order;
  }
  return before.lengths[b]! - after.lengths[a]!;
}
