/** A session of a speaker as an apply left it. */
export interface AppliedSession {
  readonly peer_id: string;
  /** Since when it is up; null: it was not. */
  readonly since: string | null;
  /** Routes that it holds then, both families together; null: nobody can say. */
  readonly routes: number | null;
}
