import { sql, type RawBuilder } from 'kysely';
import type { Database, TenantTx } from './database.ts';

const ASK_MILLISECONDS = 10_000;
/** An answer that took longer does not say well enough what time it is. */
const SOON_MILLISECONDS = 1_000;

/**
 * What time it is by the database, which is what leases and bundles go by: the clocks of processes may be hours apart from it and from each
 * other. It is asked now and then, and in between a clock counts that nobody sets.
 */
export class DatabaseClock {
  readonly #db: Database;
  readonly #timer: NodeJS.Timeout;
  /** What to add to the steady clock, in milliseconds; null: no answer yet. */
  #offset: number | null = null;

  constructor(db: Database) {
    this.#db = db;
    this.#timer = setInterval(() => void this.learn(), ASK_MILLISECONDS).unref();
  }

  /** Asks. A database that does not answer changes nothing: others tell of it. */
  async learn(): Promise<void> {
    const asked = performance.now();
    try {
      const time = await this.#db.alone(async (tx) => {
        const { rows } = await sql<{ time: string }>`SELECT clock_timestamp() AS time`.execute(tx.sql);
        return Date.parse(rows[0]!.time);
      });
      const answered = performance.now();
      if (answered - asked < SOON_MILLISECONDS) this.#offset = time - (asked + answered) / 2;
    } catch {
      // What was known goes on.
    }
  }

  /** Null: the database has not answered yet. */
  now(): Date | null {
    const time = this.toReference(performance.now());
    return time === null ? null : new Date(time);
  }

  /** A time of the process's clock, as it is now, by a clock that nobody can set; both in milliseconds. */
  toSteady(machineTime: number): number {
    return machineTime - Date.now() + performance.now();
  }

  /** A time of that clock by the database; null: it has not answered yet. */
  toReference(steadyTime: number): number | null {
    return this.#offset === null ? null : steadyTime + this.#offset;
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** By the database's clock, which is right where those of processes are not. */
export async function databaseTime(tx: TenantTx): Promise<Date> {
  const { rows } = await sql<{ now: string }>`SELECT now()::timestamptz(3) AS now`.execute(tx.sql);
  return new Date(rows[0]!.now);
}

/** Seconds from now, by the database's clock. @param column of a time, or of null where there is none */
export function secondsUntil<Seconds extends number | null = number | null>(
  moment: string | RawBuilder<string>,
): RawBuilder<Seconds> {
  const time = typeof moment === 'string' ? sql.ref(moment) : moment;
  return sql<Seconds>`extract(epoch FROM ${time} - now())::float8`;
}
