/** Ends of entries that were over, as `past_expiry` remembers them. */
import { sql } from 'kysely';

/** Days for which expired entries are remembered. */
export const REMEMBERED_DAYS = 7;

/** Of a row of `past_expiry`: its entry has left by itself. By the clock: the transaction may have waited for a lock since it began. */
export const HAS_EXPIRED = sql<boolean>`(
  at <= clock_timestamp() AND (is_open OR at > now() - make_interval(days => ${sql.lit(REMEMBERED_DAYS)})))`;
