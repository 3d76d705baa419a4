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
  /** A service of this environment has to answer, and does not. */
  readonly isDown: boolean;
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

/** Findings of one kind that are reported one by one; a service may have thousands. */
const NAMED = 20;

/** A finding for each of many, up to a number, and then one for the rest. */
export function findingsOf<T>(
  check: string,
  found: readonly T[],
  words: {
    /** What is well where nothing was found. */
    readonly none: string;
    readonly toFinding: (one: T) => Finding;
    readonly more: (count: number) => string;
    /** How to see all of them. */
    readonly all: string;
  },
): readonly Finding[] {
  if (found.length === 0) return [ok(check, words.none)];
  const rest = found.length - NAMED;
  return [
    ...found.slice(0, NAMED).map(words.toFinding),
    ...(rest > 0 ? [warning(check, words.more(rest), words.all)] : []),
  ];
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
