/**
 * For whom work is done: shared resources are divided among groups. Whoever starts work for a group names it once, for everything that
 * follows from it.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** Runs `work`, and all that it starts, for the group. */
export function forGroup<T>(group: string, work: () => T): T {
  return current.run(group, work);
}

/** The group of the present work; empty: none. */
export function currentGroup(): string {
  return current.getStore() ?? '';
}

/** Waiting items, served in turns: one of each group, in the order in which the groups came. */
export class GroupQueue<Waiting> {
  readonly #groups = new Map<string, Set<Waiting>>();

  add(group: string, waiting: Waiting): void {
    const others = this.#groups.get(group);
    if (others === undefined) this.#groups.set(group, new Set([waiting]));
    else others.add(waiting);
  }

  /** Leaves the queue; does nothing if it has left before. */
  remove(group: string, waiting: Waiting): void {
    const others = this.#groups.get(group);
    others?.delete(waiting);
    if (others?.size === 0) this.#groups.delete(group);
  }

  /** The next item of the groups that may have a turn; its group goes to the end of the line. */
  next(may: (group: string) => boolean): { readonly group: string; readonly waiting: Waiting } | null {
    for (const [group, all] of this.#groups) {
      if (!may(group)) continue;
      const waiting = all.values().next().value!;
      this.#groups.delete(group);
      all.delete(waiting);
      if (all.size > 0) this.#groups.set(group, all);
      return { group, waiting };
    }
    return null;
  }
}
