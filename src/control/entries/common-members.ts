/** What every kind of entry is checked for, beside what its schema says. */
import type { FieldFault } from '../../api/problems/problem.ts';
import { databaseTime } from '../../store/database/database-clock.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findUnknownCommunities, refuseFaults } from '../body-faults.ts';

export interface CommonMembers {
  readonly community_id?: string | null | undefined;
  readonly community_ids?: readonly string[] | undefined;
  readonly expires_at?: string | null | undefined;
}

/** What is wrong with the members of bodies that every kind of entry has. */
export async function findCommonFaults(
  tx: TenantTx,
  bodies: readonly CommonMembers[],
  pointerOf: (index: number) => string,
): Promise<FieldFault[]> {
  const faults = await findUnknownCommunities(tx, bodies, pointerOf);
  // Few entries have an end, and the time is asked only for those.
  const hasEnds = bodies.some(({ expires_at: end }) => typeof end === 'string');
  const now = hasEnds ? await databaseTime(tx) : null;
  for (const [index, body] of bodies.entries()) {
    const contradiction = findContradiction(body);
    if (contradiction !== null)
      faults.push({ pointer: `${pointerOf(index)}/community_id`, detail: contradiction });
    const over = now === null ? null : findOver(body.expires_at, now);
    if (over !== null) faults.push({ pointer: `${pointerOf(index)}/expires_at`, detail: over });
  }
  return faults;
}

/** @throws {Problem} `validation_failed` */
export async function refuseCommonFaults(tx: TenantTx, patch: CommonMembers): Promise<void> {
  refuseFaults(await findCommonFaults(tx, [patch], () => ''));
}

/** What is wrong with an end of an entry at this time. Pure. */
export function findOver(end: string | null | undefined, now: Date): string | null {
  if (typeof end !== 'string' || Date.parse(end) > now.getTime()) return null;
  return `${end} is over: the database has ${now.toISOString()}. Give a time to come, or null for an entry that stays.`;
}

function findContradiction({ community_id: one, community_ids: all }: CommonMembers): string | null {
  if (one === undefined || all === undefined) return null;
  if ((one?.toLowerCase() ?? null) === (all[0]?.toLowerCase() ?? null)) return null;
  return 'It is not the first of community_ids, which says all communities of the entry. Leave community_id out.';
}
