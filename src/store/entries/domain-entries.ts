import { sql } from 'kysely';
import type { DomainAddress, DomainEntry, DomainEntryCreate } from '../../api/entries/domain-entries.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { COLLECTED_COLUMNS, ENTRY_COLUMNS, entryStore } from './entries.ts';
import { newEntryColumns } from './entry-communities.ts';
import { newEntryIds } from './entry-ids.ts';
import type { RefreshOutcome } from './entry-statuses.ts';

const entries = entryStore({
  table: 'domain_entry',
  path: 'domain-entries',
  columns: [...ENTRY_COLUMNS, ...COLLECTED_COLUMNS, 'domain', 'note', 'addresses'],
  key: 'domain',
  present: ({ version: _, prefix_count_ipv4: ipv4, prefix_count_ipv6: ipv6, ...entry }): DomainEntry => ({
    ...entry,
    prefix_count: { ipv4, ipv6 },
  }),
  describeDuplicate: (domain) => `The module holds ${String(domain)} already. Leave it out.`,
});

export const {
  list: listDomainEntries,
  get: getDomainEntry,
  update: updateDomainEntry,
  remove: deleteDomainEntry,
  many: manyDomainEntries,
} = entries;

/** All or none, as {@link entryStore} says; domains are canonical. */
export async function insertDomainEntries(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly DomainEntryCreate[],
  pointerOf: (index: number) => string = () => '',
): Promise<Versioned<DomainEntry>[]> {
  const ids = newEntryIds(bodies.length);
  const rows = bodies.map(({ domain, note = null, ...common }, index) => ({
    id: ids[index]!,
    domain,
    note,
    ...newEntryColumns(common),
  }));
  return entries.insert(tx, moduleId, rows, pointerOf);
}

/** What collecting an entry needs, with its earlier answers. */
export interface DomainToCollect {
  readonly id: string;
  /** Version at which the domain was last edited, or the entry enabled. */
  readonly questionVersion: number;
  readonly domain: string;
  readonly addresses: readonly DomainAddress[];
}

/** The module's enabled entries. */
export function listDomainsToCollect(tx: TenantTx, moduleId: string): Promise<DomainToCollect[]> {
  return tx.sql
    .selectFrom('domain_entry')
    .select(['id', 'question_version as questionVersion', 'domain', 'addresses'])
    .where('tenant_id', '=', tx.tenantId)
    .where('module_id', '=', moduleId)
    .where('enabled', '=', true)
    .orderBy('id')
    .execute();
}

/** By the clock that all processes share. */
export async function readDatabaseTime(tx: TenantTx): Promise<string> {
  const { rows } = await sql<{ now: string }>`SELECT clock_timestamp()::timestamptz(3) AS now`.execute(
    tx.sql,
  );
  return rows[0]!.now;
}

/** Entries of one statement: each may bring many addresses. */
const OUTCOMES_AT_ONCE = 1_000;

/**
 * Records the outcomes of a module's entries in a refresh. It is not an operator's change, so versions stay.
 * @param addresses of the entries with a new answer
 */
export async function recordDomainOutcomes(
  tx: TenantTx,
  outcomes: readonly RefreshOutcome[],
  addresses: ReadonlyMap<string, readonly DomainAddress[]>,
): Promise<void> {
  for (let at = 0; at < outcomes.length; at += OUTCOMES_AT_ONCE)
    await recordSome(tx, outcomes.slice(at, at + OUTCOMES_AT_ONCE), addresses);
}

async function recordSome(
  tx: TenantTx,
  outcomes: readonly RefreshOutcome[],
  addresses: ReadonlyMap<string, readonly DomainAddress[]>,
): Promise<void> {
  const rows = outcomes.map(({ id, modified, status, error, prefixCount }) => ({
    ...{ id, status, error, ...prefixCount },
    addresses: modified ? addresses.get(id) : null,
  }));
  await sql`
    UPDATE domain_entry e
       SET status = o.status, last_error = o.error, prefix_count_ipv4 = o.ipv4, prefix_count_ipv6 = o.ipv6,
           addresses = coalesce(o.addresses, e.addresses),
           last_refreshed_at = CASE WHEN o.status = 'ok' THEN now() ELSE e.last_refreshed_at END
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS o
           (id uuid, status text, error text, ipv4 integer, ipv6 integer, addresses jsonb)
     WHERE e.tenant_id = ${tx.tenantId} AND e.id = o.id`.execute(tx.sql);
}
