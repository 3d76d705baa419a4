/** Times of a session that are not negotiated, in milliseconds. */
export interface SessionTiming {
  /**
   * How long a connection may take from its start to the peer's OPEN, and with hold time 0 to the session; RFC 4271 section 8.2.2
   * suggests four minutes.
   */
  readonly openHold: number;
  /** First pause before connecting again; doubles with each failure in a row. */
  readonly retryFirst: number;
  readonly retryLast: number;
  /** Who hurries does not shorten a pause that lasts no longer: it ends by itself soon enough. */
  readonly hurryAbove: number;
  /** A session that lasted less counts as another failure. */
  readonly stableAfter: number;
  /** How long a peer may read nothing while there is something to read (RFC 9687); at least twice the hold time. */
  readonly sendHold: number;
  /**
   * A peer that connects again when the session is older than this has restarted (RFC 4724 section 5); otherwise the connections collided.
   */
  readonly restartAfter: number;
}

export const DEFAULT_TIMING: SessionTiming = {
  openHold: 240_000,
  retryFirst: 1_000,
  retryLast: 60_000,
  hurryAbove: 5_000,
  stableAfter: 30_000,
  sendHold: 480_000,
  restartAfter: 5_000,
};
