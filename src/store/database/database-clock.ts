import { sql, type RawBuilder } from 'kysely';
import type { Database, TenantTx } from './database.ts';

const ASK_MILLISECONDS = 10_000;
/** An answer that took longer is too imprecise, unless it is the first: the process's own clock may be hours off. */
const SOON_MILLISECONDS = 1_000;
const FIRST_MILLISECONDS = 10_000;

/**
 * The time by the database's clock, which leases and bundles use: the clocks of processes may be hours apart from it and from each other.
 * It is queried now and then, and a steady clock counts in between.
 */
export class DatabaseClock {
  readonly #db: Database;
  readonly #timer: NodeJS.Timeout;
  /** Difference to the steady clock, in milliseconds; null: no answer yet. */
  #offset: number | null = null;

  constructor(db: Database) {
    this.#db = db;
    this.#timer = setInterval(() => void this.learn(), ASK_MILLISECONDS).unref();
  }

  /** Queries the time. If the database does not answer, nothing changes: others report that. */
  async learn(): Promise<void> {
    const asked = performance.now();
    try {
      const time = await this.#db.alone(async (tx) => {
        const { rows } = await sql<{ time: string }>`SELECT clock_timestamp() AS time`.execute(tx.sql);
        return Date.parse(rows[0]!.time);
      });
      const answered = performance.now();
      const limit = this.#offset === null ? FIRST_MILLISECONDS : SOON_MILLISECONDS;
      if (answered - asked < limit) this.#offset = time - (asked + answered) / 2;
    } catch {
      // The last known offset stays.
    }
  }

  /** Null: the database has not answered yet. */
  now(): Date | null {
    const time = this.toReference(performance.now());
    return time === null ? null : new Date(time);
  }

  /** Converts a time of the process's clock, as set now, to a steady clock; both in milliseconds. */
  toSteady(machineTime: number): number {
    return machineTime - Date.now() + performance.now();
  }

  /** Converts a time of that clock to the database's; null: it has not answered yet. */
  toReference(steadyTime: number): number | null {
    return this.#offset === null ? null : steadyTime + this.#offset;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** By the database's clock, which is right even if those of processes are not. */
export async function databaseTime(tx: TenantTx): Promise<Date> {
  const { rows } = await sql<{ now: string }>`SELECT now()::timestamptz(3) AS now`.execute(tx.sql);
  return new Date(rows[0]!.now);
}

/** Seconds from now, by the database's clock. @param column of a time, or null */
export function secondsUntil<Seconds extends number | null = number | null>(
  moment: string | RawBuilder<string>,
): RawBuilder<Seconds> {
  const time = typeof moment === 'string' ? sql.ref(moment) : moment;
  return sql<Seconds>`extract(epoch FROM ${time} - now())::float8`;
}
