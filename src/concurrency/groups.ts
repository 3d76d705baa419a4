/** For whom work is done: whatever is shared takes turns among groups. Whoever begins work for a group says so once, for all that follows from it. */
import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** Runs `work`, and all that it starts, for the group. */
export function forGroup<T>(group: string, work: () => T): T {
  return current.run(group, work);
}

/** For whom this is done; empty for nobody in particular. */
export function currentGroup(): string {
  return current.getStore() ?? '';
}

/** Those who wait for something, served in turns: one of each group, in the order in which groups came. */
export class GroupQueue<Waiting> {
  readonly #groups = new Map<string, Set<Waiting>>();

  add(group: string, waiting: Waiting): void {
    const others = this.#groups.get(group);
    if (others === undefined) this.#groups.set(group, new Set([waiting]));
    else others.add(waiting);
  }

  /** Leaves the queue; nothing where it has left before. */
  remove(group: string, waiting: Waiting): void {
    const others = this.#groups.get(group);
    others?.delete(waiting);
    if (others?.size === 0) this.#groups.delete(group);
  }

  /** Whose turn it is among the groups that may have one; the group goes to the end of the line. */
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
