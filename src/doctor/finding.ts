import type pg from 'pg';
import type { Config } from '../config/config.ts';

export type Verdict = 'ok' | 'warning' | 'fault';

/** What one look found. */
export interface Finding {
  readonly check: string;
  readonly verdict: Verdict;
  readonly found: string;
  /** What to do; null: nothing. */
  readonly remedy: string | null;
}

/** What checks look at. */
export interface Patient {
  readonly config: Config;
  /** Null: it cannot be reached, which the check of the database says. */
  readonly database: pg.Client | null;
  /** Where the API answers on this machine; null: it does not. */
  readonly api: string | null;
  /** A key for the API; null: none is known here. */
  readonly apiKey: string | null;
}

/** A check never changes anything. What it throws is a finding too. */
export interface Check {
  readonly name: string;
  examine(patient: Patient): Promise<readonly Finding[]>;
}

export function ok(check: string, found: string): Finding {
  return { check, verdict: 'ok', found, remedy: null };
}

export function warning(check: string, found: string, remedy: string): Finding {
  return { check, verdict: 'warning', found, remedy };
}

export function fault(check: string, found: string, remedy: string): Finding {
  return { check, verdict: 'fault', found, remedy };
}

/** Nothing was tried, and why. */
export function skipped(check: string, why: string): Finding {
  return { check, verdict: 'ok', found: `not tried: ${why}`, remedy: null };
}

const WITHOUT_DATABASE = 'the database cannot be reached';

/** For checks of what the database holds. */
export async function asSystem(
  name: string,
  { database }: Patient,
  look: (client: pg.Client) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  if (database === null) return [skipped(name, WITHOUT_DATABASE)];
  await database.query('BEGIN READ ONLY');
  try {
    await database.query('SET LOCAL ROLE prefixcast_system');
    return await look(database);
  } finally {
    await database.query('ROLLBACK').catch(() => undefined);
  }
}
