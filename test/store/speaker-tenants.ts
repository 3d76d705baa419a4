/** Tenants with speakers, and who holds these. */
import { randomUUID } from 'node:crypto';
import type { TenantTx } from '../../src/store/database/database.ts';
import { claimLeases } from '../../src/store/holding/leases.ts';
import type { SessionReport } from '../../src/store/holding/sessions.ts';
import { insertSpeaker } from '../../src/store/speakers/speakers.ts';
import type { TestDatabase } from '../database.ts';

export type Run = <T>(work: (tx: TenantTx) => Promise<T>) => Promise<T>;

/** A tenant of its own with speakers of these names. */
export async function speakersOf(
  database: TestDatabase,
  ...names: string[]
): Promise<{ tenantId: string; run: Run; speakers: string[] }> {
  const tenantId = await database.createTenant();
  const run: Run = (work) => database.db.inTenant(tenantId, work);
  const speakers: string[] = [];
  for (const name of names)
    speakers.push((await run((tx) => insertSpeaker(tx, { name, local_asn: 64_512 }))).resource.id);
  return { tenantId, run, speakers };
}

export function report(
  peerId: string,
  state: SessionReport['state'],
  since = '2026-01-01T00:00:00.000Z',
): SessionReport {
  return { peerId, state, since, routesExported: 5, routesReceived: 1, updatesSent: 2, lastError: null };
}

/** The speakers that the holder holds, which takes those that nobody has. */
export async function holdSpeakers({ db }: TestDatabase, holder: string = randomUUID()): Promise<string[]> {
  const { leases } = await db.inSystem((tx) => claimLeases(tx, holder, 60, ['builtin']));
  return leases.map((lease) => lease.speaker_id);
}
