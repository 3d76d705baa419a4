import { type RawBuilder, sql } from 'kysely';
import type { Module } from '../../api/lists/modules.ts';
import type { Family } from '../../core/address.ts';
import type { TenantTx } from '../database/database.ts';

/** A snapshot of a module, and which of its entries counted. */
export interface UsedSnapshot {
  readonly module_id: string;
  readonly content_hash: string;
  /** Of the list of entries that contributed; null: nothing of the module changes by itself. */
  readonly entries_hash: string | null;
  /** Entries of the snapshot that were disabled or gone when it was used. */
  readonly left_out: readonly string[];
}

/** A snapshot that a revision was built from. */
export interface RevisionInput extends UsedSnapshot {
  /** Of the module then; null: of before that was written down. */
  readonly name: string | null;
  /** What the module was for then. */
  readonly purpose: Module['purpose'];
  readonly families: readonly Family[];
  /** The guardrails that this snapshot was let through for. */
  readonly released: readonly string[];
  /** Of the communities that its entries carried; null: of before that was written down. */
  readonly policy_hash: string | null;
}

/** What the revision was built from, by module. */
export async function listRevisionInputs(tx: TenantTx, revisionId: string): Promise<RevisionInput[]> {
  const rows = await selectInputs(tx).where('revision_id', '=', revisionId).orderBy('module_id').execute();
  return rows.map(presentInput);
}

/** Of these modules, what each of the revisions was built from. */
export async function listInputsOf(
  tx: TenantTx,
  revisionIds: readonly string[],
  moduleIds: readonly string[],
): Promise<(RevisionInput & { readonly revision_id: string })[]> {
  if (revisionIds.length === 0 || moduleIds.length === 0) return [];
  const rows = await selectInputs(tx)
    .select('revision_id')
    .where('revision_id', 'in', revisionIds)
    .where('module_id', 'in', moduleIds)
    .execute();
  return rows.map((row) => ({ revision_id: row.revision_id, ...presentInput(row) }));
}

function selectInputs(tx: TenantTx) {
  return tx.sql
    .selectFrom('revision_input')
    .select(['module_id', 'purpose', 'families', 'content_hash', 'entries_hash', 'left_out', 'released'])
    .select(['policy_hash', 'name'])
    .where('tenant_id', '=', tx.tenantId);
}

export type InputRow = Awaited<ReturnType<ReturnType<typeof selectInputs>['executeTakeFirstOrThrow']>>;

export function presentInput({ content_hash, entries_hash, policy_hash, ...row }: InputRow): RevisionInput {
  const { module_id, name, purpose, families, left_out, released } = row;
  return {
    ...{ module_id, name, purpose, families, left_out, released },
    content_hash: content_hash.toString('hex'),
    entries_hash: entries_hash?.toString('hex') ?? null,
    policy_hash: policy_hash?.toString('hex') ?? null,
  };
}

/** What feeds, rules and lookups draw from an input, beside the entries that are left out. */
const DRAWN = ['module_id', 'purpose', 'families', 'content_hash'] as const;

/**
 * Whether some module brought another list to one of these revisions than to this one. Their routes may be the same: what is drawn from a module
 * alone, such as a feed, is not.
 */
export async function isBuiltOtherwise(
  tx: TenantTx,
  revisionId: string,
  others: readonly string[],
): Promise<boolean> {
  if (others.length === 0) return false;
  const drawn = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`SELECT ${sql.join(DRAWN.map((column) => sql.ref(column)))}, ARRAY(SELECT unnest(left_out) ORDER BY 1)
          FROM revision_input WHERE tenant_id = ${tx.tenantId} AND revision_id = ${id}`;
  const [ofThis, ofOther] = [drawn(sql`${revisionId}::uuid`), drawn(sql.ref('other.id'))];
  const { rows } = await sql<{ readonly found: boolean }>`
    SELECT EXISTS (SELECT FROM unnest(${[...others]}::uuid[]) AS other (id)
                    WHERE EXISTS (${ofThis} EXCEPT ${ofOther}) OR EXISTS (${ofOther} EXCEPT ${ofThis})) AS found`.execute(
    tx.sql,
  );
  return rows[0]!.found;
}

/** The same of an input that is not stored yet: equal texts, equal lists. */
export function drawnFrom(input: RevisionInput): string {
  return JSON.stringify([...DRAWN.map((column) => input[column]), [...input.left_out].sort()]);
}

/** Writes down what the revision was built from: contents, lists of entries and policies that are stored. */
export async function saveRevisionInputs(
  tx: TenantTx,
  revisionId: string,
  inputs: readonly RevisionInput[],
): Promise<void> {
  await insertInputs(tx, revisionId, inputs).execute(tx.sql);
}

/** {@link saveRevisionInputs} as a statement, which is the same however many there are. */
export function insertInputs(
  tx: TenantTx,
  revisionId: string,
  inputs: readonly RevisionInput[],
): RawBuilder<Readonly<Record<string, never>>> {
  return sql<Readonly<Record<string, never>>>`
    INSERT INTO revision_input (tenant_id, revision_id, module_id, name, purpose, families, content_hash, entries_hash,
                                policy_hash, left_out, released)
    SELECT ${tx.tenantId}::uuid, ${revisionId}::uuid, i.module_id, i.name, i.purpose, i.families,
           decode(i.content_hash, 'hex'), decode(i.entries_hash, 'hex'), decode(i.policy_hash, 'hex'),
           i.left_out, i.released
      FROM jsonb_to_recordset(${JSON.stringify(inputs)}::jsonb) AS i
           (module_id uuid, name text, purpose text, families text[], content_hash text, entries_hash text,
            policy_hash text, left_out uuid[], released text[])`;
}

/** The entries of each list, as `id version,id version…`, by hash. */
export async function readEntryLists(
  tx: TenantTx,
  hashes: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (hashes.length === 0) return new Map();
  const rows = await tx.sql
    .selectFrom('entry_list')
    .select(['hash', 'entries'])
    .where('tenant_id', '=', tx.tenantId)
    .where(
      'hash',
      'in',
      hashes.map((hash) => Buffer.from(hash, 'hex')),
    )
    .execute();
  return new Map(rows.map(({ hash, entries }) => [hash.toString('hex'), entries]));
}

/** The guardrails by which the findings of a revision were found; null: never checked. */
export async function findGuardrailsHash(tx: TenantTx, revisionId: string): Promise<string | null> {
  const row = await tx.sql
    .selectFrom('revision')
    .select(sql<Buffer | null>`rails_hash`.as('rails_hash'))
    .where('tenant_id', '=', tx.tenantId)
    .where('id', '=', revisionId)
    .executeTakeFirst();
  return row?.rails_hash?.toString('hex') ?? null;
}
