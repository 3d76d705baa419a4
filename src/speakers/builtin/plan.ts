/**
 * From what a peer has heard to what it is to hear, for one family: which rows to announce, gathered by attributes, and
 * which to withdraw. Only row numbers are kept, 4 octets a route; UPDATEs are made from them when the socket has room.
 */
import { widthOf } from '../../core/address.ts';
import type { Family } from '../../core/address.ts';
import type { PrefixRows } from '../../core/prefix-table.ts';
import { sameMeaning } from './view.ts';
import type { View } from './view.ts';

/** Rows looked at in one piece of work: well under a millisecond. */
const PIECE = 1 << 15;

export class FamilyPlan {
  readonly family: Family;
  readonly before: View | null;
  readonly after: View;
  done = false;
  /** Rows of `after` to announce, group by group; group g ends where `ends[g]` says. */
  order = new Uint32Array(0);
  readonly ends: Uint32Array;
  /** Rows of `before` to withdraw. */
  withdraw = new Uint32Array(0);
  /** Of the announced ones, those that the peer does not have yet. */
  fresh = 0;
  readonly #beforeIds: Int32Array;
  readonly #afterIds: Int32Array;
  #announced = 0;
  #withdrawn = 0;
  readonly #work: Iterator<void>;

  private constructor(family: Family, before: View | null, after: View) {
    this.family = family;
    this.before = before;
    this.after = after;
    const ids = new Map<string, number>();
    this.#beforeIds = before === null ? new Int32Array(0) : attributeIds(before, family, ids);
    this.#afterIds = attributeIds(after, family, ids);
    this.ends = new Uint32Array(after.families[family].groups.length);
    this.#work = this.#build();
  }

  /** The plan from one view to another, shared between peers that make the same step. */
  static of(family: Family, before: View | null, after: View): FamilyPlan {
    const from = before === null ? 'nothing' : `${before.routes.number} ${before.key}`;
    return after.routes.share(
      `plan ${family} ${from} > ${after.key}`,
      () => new FamilyPlan(family, before, after),
    );
  }

  /** Works for less than a millisecond; sets `done` in the end. */
  step(): void {
    if (!this.done) this.done = this.#work.next().done === true;
  }

  *#build(): Generator<void> {
    const { family, before, after } = this;
    const rows = after.routes.table[family];
    if (before === null) {
      this.order = new Uint32Array(rows.size);
      for (let row = 0; row < rows.size; row++) {
        this.#consider(-1, row);
        if (row % PIECE === 0) yield;
      }
    } else if (before.routes === after.routes) {
      this.order = new Uint32Array(rows.size);
      this.withdraw = new Uint32Array(rows.size);
      for (let row = 0; row < rows.size; row++) {
        this.#consider(row, row);
        if (row % PIECE === 0) yield;
      }
    } else if (sameMeaning(before, after)) {
      yield* this.#followDiff(before);
    } else {
      yield* this.#walkBoth(before.routes.table[family], rows);
    }
    this.withdraw = this.withdraw.slice(0, this.#withdrawn);
    yield* this.#gather(rows);
  }

  /** The usual case: rows that are the same in both tables mean the same, so only the difference counts. */
  *#followDiff(before: View): Generator<void> {
    const { announced, changed, withdrawn } = this.after.routes.rowsDiffFrom(before.routes, this.family);
    this.order = new Uint32Array(announced.length + changed.length / 2);
    this.withdraw = new Uint32Array(withdrawn.length + changed.length / 2);
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

  /** A community or next hop now means something else: every row of both tables is looked at. */
  *#walkBoth(before: PrefixRows, after: PrefixRows): Generator<void> {
    this.order = new Uint32Array(after.size);
    this.withdraw = new Uint32Array(before.size);
    for (let b = 0, a = 0, steps = 0; b < before.size || a < after.size; steps++) {
      const order = b === before.size ? 1 : a === after.size ? -1 : compareRows(before, b, after, a);
      this.#consider(order <= 0 ? b : -1, order >= 0 ? a : -1);
      if (order <= 0) b++;
      if (order >= 0) a++;
      if (steps % PIECE === 0) yield;
    }
  }

  /** One prefix: its row before and its row after, -1 for none. */
  #consider(before: number, after: number): void {
    const { family } = this;
    const had = before < 0 ? -1 : this.#beforeIds[this.before!.routes.table[family].labels[before]!]!;
    const has = after < 0 ? -1 : this.#afterIds[this.after.routes.table[family].labels[after]!]!;
    if (had === has) return;
    if (has < 0) this.withdraw[this.#withdrawn++] = before;
    else {
      this.order[this.#announced++] = after;
      if (had < 0) this.fresh++;
    }
  }

  /** Orders the announced rows by group, keeping the order of addresses within: a counting sort. */
  *#gather(rows: PrefixRows): Generator<void> {
    const found = this.order.subarray(0, this.#announced);
    const { groupOf } = this.after.families[this.family];
    const next = new Uint32Array(this.ends.length + 1);
    for (let i = 0; i < found.length; i++) {
      next[groupOf[rows.labels[found[i]!]!]! + 1]!++;
      if (i % PIECE === 0) yield;
    }
    for (let group = 1; group < next.length; group++) next[group]! += next[group - 1]!;
    this.ends.set(next.subarray(1));
    if (this.ends.length === 1) {
      this.order = found.length === this.order.length ? this.order : found.slice();
      return;
    }
    const order = new Uint32Array(found.length);
    for (let i = 0; i < found.length; i++) {
      const row = found[i]!;
      order[next[groupOf[rows.labels[row]!]!]!++] = row;
      if (i % PIECE === 0) yield;
    }
    this.order = order;
  }
}

/** Label set -> number of its attributes, the same in both views of a plan; -1: not heard. */
function attributeIds(view: View, family: Family, ids: Map<string, number>): Int32Array {
  const { groupOf, keys } = view.families[family];
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
