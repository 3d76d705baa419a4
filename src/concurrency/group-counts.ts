/** How much of something each group has, such as running work or held bytes. A group that has nothing takes no memory. */
export class GroupCounts {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** Sum over all groups. */
  get total(): number {
    return this.#total;
  }

  /** The groups that have something. */
  groups(): Iterable<string> {
    return this.#counts.keys();
  }

  of(group: string): number {
    return this.#counts.get(group) ?? 0;
  }

  /** @param change negative where the group has less than before */
  add(group: string, change: number): void {
    this.#total += change;
    const count = this.of(group) + change;
    if (count > 0) this.#counts.set(group, count);
    else this.#counts.delete(group);
  }
}
