/** What is removed, or would be. */
export interface Removal {
  readonly count: number;
  /** As stored. */
  readonly bytes: number;
  /** Some of them, the oldest first; an estimate names the first hundred. */
  readonly names: readonly string[];
}
