import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import type {
  FirewallApplyStatus,
  FirewallClient,
  FirewallClientPatch,
  FirewallClientQuery,
  FirewallPolicy,
} from '../../api/firewall/firewall-clients.ts';
import type { Page } from '../../api/shapes/page.ts';
import { mapConstraintErrors } from '../database/constraint-problem.ts';
import type { TenantTx, Versioned } from '../database/database.ts';
import { containing, readPage } from '../database/pagination.ts';
import { requireUnreferenced } from '../references.ts';
import { found, lockForChange, nextVersion, versioned } from '../versions.ts';

/** A client that has neither asked nor reported for this long is not online: it asks every 20 s, and reports between where it is at work for longer. */
export const SILENT_SECONDS = 35;
/** Often enough for `online`, without a write for every question. */
const SEEN_SECONDS = 5;

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'name',
  'hostname',
  'policy',
  'protected',
  'client_version',
  'last_seen_at',
  'applied_ruleset_hash',
  'ruleset_hash',
  'status',
  'last_error',
  'counters',
  'version',
] as const;
const ONLINE = sql<boolean>`coalesce(last_seen_at > now() - make_interval(secs => ${SILENT_SECONDS}), false)`;

function select(tx: TenantTx) {
  return tx.sql
    .selectFrom('firewall_client')
    .select(COLUMNS)
    .select(ONLINE.as('online'))
    .where('tenant_id', '=', tx.tenantId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

function present({ version: _, client_version: version, ...row }: Row): FirewallClient {
  return {
    ...row,
    version,
    applied_ruleset_hash: row.applied_ruleset_hash?.toString('hex') ?? null,
    ruleset_hash: row.ruleset_hash?.toString('hex') ?? null,
  };
}

export function listFirewallClients(tx: TenantTx, query: FirewallClientQuery): Promise<Page<FirewallClient>> {
  const { policy, status, q } = query;
  const fetch = (after: string, limit: number) =>
    select(tx)
      .$if(policy !== undefined, (rows) => rows.where('policy', '=', policy!))
      .$if(status !== undefined, (rows) => rows.where('status', '=', status!))
      .$if(q !== undefined, (rows) =>
        rows.where((eb) =>
          eb.or([eb('name', 'ilike', containing(q!)), eb('hostname', 'ilike', containing(q!))]),
        ),
      )
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
  return readPage(tx, 'firewall-clients', query, fetch, present);
}

export async function getFirewallClient(tx: TenantTx, id: string): Promise<Versioned<FirewallClient>> {
  const row = await select(tx).where('id', '=', id).executeTakeFirst();
  return found('firewall_client', id, row === undefined ? null : versioned(row, present));
}

export interface NewFirewallClient {
  readonly name: string;
  readonly hostname: string;
  readonly policy: FirewallPolicy;
  readonly client_version: string;
}

export async function insertFirewallClient(tx: TenantTx, client: NewFirewallClient): Promise<FirewallClient> {
  const id = uuidv7();
  const insert = tx.sql
    .insertInto('firewall_client')
    .values({ tenant_id: tx.tenantId, id, ...client })
    .execute();
  await mapConstraintErrors('firewall_client', { name: client.name }, insert);
  return (await getFirewallClient(tx, id)).resource;
}

/** Records the machine on which the client runs now. */
export async function moveFirewallClient(
  tx: TenantTx,
  id: string,
  { hostname, client_version }: Pick<NewFirewallClient, 'hostname' | 'client_version'>,
): Promise<void> {
  await tx.sql
    .updateTable('firewall_client')
    .set({ hostname, client_version, applied_ruleset_hash: null, status: 'pending', last_error: null })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}

export async function updateFirewallClient(
  tx: TenantTx,
  id: string,
  patch: FirewallClientPatch,
  version: number | null,
): Promise<Versioned<FirewallClient>> {
  await lockForChange(tx, 'firewall_client', id, version);
  const update = tx.sql
    .updateTable('firewall_client')
    .set({ ...patch, ...nextVersion })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
  await mapConstraintErrors('firewall_client', patch, update);
  return getFirewallClient(tx, id);
}

/** @throws {Problem} `in_use`, naming the rules that are for this client alone or among others */
export async function deleteFirewallClient(tx: TenantTx, id: string, version: number | null): Promise<void> {
  await lockForChange(tx, 'firewall_client', id, version);
  await requireUnreferenced(tx, 'client_ids', id);
  await tx.sql
    .deleteFrom('firewall_client')
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .execute();
}

/**
 * Records a client's report. If it has verified a ruleset with a higher number than any it was given, the database has been restored since:
 * its next ruleset gets a higher number. Numbers are times, so one in the future proves nothing.
 * @returns the hash of the ruleset that it was last given
 */
export async function reportFirewallClient(
  tx: TenantTx,
  id: string,
  {
    ruleset_hash: hash,
    status,
    error,
    highest_sequence = null,
    hostname,
    version,
    counters,
  }: FirewallApplyStatus,
): Promise<string | null> {
  const row = await tx.sql
    .updateTable('firewall_client')
    .set({
      applied_ruleset_hash: hash === null ? null : Buffer.from(hash, 'hex'),
      ...{ status, last_error: error, hostname, client_version: version },
      counters: JSON.stringify(counters),
      ruleset_hash: sql<Buffer | null>`CASE WHEN ruleset_sequence < ${highest_sequence}::bigint
        AND ${highest_sequence}::bigint <= extract(epoch FROM now()) THEN NULL ELSE ruleset_hash END`,
      last_seen_at: sql<string>`now()`,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .returning('ruleset_hash')
    .executeTakeFirst();
  return row?.ruleset_hash?.toString('hex') ?? null;
}

/** Records that the clients have asked what they are to apply; in one statement, since a thousand of them do so all the time. */
export async function noteFirewallClients(tx: TenantTx, ids: readonly string[]): Promise<void> {
  await sql`
    UPDATE firewall_client SET last_seen_at = now()
     WHERE tenant_id = ${tx.tenantId} AND id = ANY(${[...ids]}::uuid[])
       AND last_seen_at < now() - make_interval(secs => ${SEEN_SECONDS})`.execute(tx.sql);
}

/** A client with what its ruleset is made from. */
export interface RuledClient {
  readonly id: string;
  readonly policy: FirewallPolicy;
  readonly protected: readonly string[];
  readonly sequence: number;
  readonly hash: string | null;
}

export async function listRuledClients(tx: TenantTx, ids: readonly string[]): Promise<RuledClient[]> {
  if (ids.length === 0) return [];
  const rows = await tx.sql
    .selectFrom('firewall_client')
    .select(['id', 'policy', 'protected', 'ruleset_sequence as sequence', 'ruleset_hash'])
    .where('tenant_id', '=', tx.tenantId)
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ ruleset_hash: hash, ...row }) => ({ ...row, hash: hash?.toString('hex') ?? null }));
}

/**
 * Gives the client a ruleset of another content. Its number is seconds since 1970, or one more than before, so that it also rises when the
 * database is restored from a backup.
 * @returns the number; if another process was first with the same content, its number. Null: the client was deleted
 */
export async function giveRuleset(tx: TenantTx, id: string, hash: string): Promise<number | null> {
  const bytes = Buffer.from(hash, 'hex');
  const row = await tx.sql
    .updateTable('firewall_client')
    .set({
      ruleset_sequence: sql<number>`CASE WHEN ruleset_hash IS NOT DISTINCT FROM ${bytes} THEN ruleset_sequence
        ELSE greatest(ruleset_sequence + 1, extract(epoch FROM now())::bigint) END`,
      ruleset_hash: bytes,
    })
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', id)
    .returning('ruleset_sequence as sequence')
    .executeTakeFirst();
  return row?.sequence ?? null;
}
