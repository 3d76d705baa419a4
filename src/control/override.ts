/** A wish to apply what a guardrail holds. */
export interface Override {
  /** Codes of all the guardrails that the revision breaks. */
  readonly override?: readonly string[];
  readonly reason?: string;
}
