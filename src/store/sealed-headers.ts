import { sql } from 'kysely';
import type { EntryType } from '../api/entries/entry-kinds.ts';
import { fieldProblem } from '../api/problems/problem.ts';
import { type HeadersPatch, MAXIMUM_HEADERS } from '../api/shapes/request-headers.ts';
import type { TenantTx } from './database/database.ts';
import { openFor, sealFor, type SealedFor, unreadable } from './sealed-values.ts';
import type { SecretBox } from './secrets.ts';

/**
 * Header fields of our requests: names in clear, so that they can be shown, and values in one encrypted JSON object that opens only in its
 * own row.
 */
export function sealHeaders(
  tx: TenantTx,
  secrets: SecretBox,
  owner: HeadersOwner,
  headers: Readonly<Record<string, string>> | undefined,
): { header_names?: string[]; headers_sealed?: Buffer | null } {
  if (headers === undefined) return {};
  const names = Object.keys(headers);
  const sealed = names.length === 0 ? null : sealFor(tx, secrets, owner, JSON.stringify(headers));
  return { header_names: names, headers_sealed: sealed };
}

/**
 * {@link sealHeaders} of what a row has with the patch: those it does not name stay, null removes one. Names have no case.
 * @throws {Problem} `validation_failed` when there would be too many, or some would stay that cannot be opened
 */
export async function sealMergedHeaders(
  tx: TenantTx,
  secrets: SecretBox,
  owner: HeadersOwner,
  patch: HeadersPatch | undefined,
): Promise<ReturnType<typeof sealHeaders>> {
  if (patch === undefined) return {};
  const { rows } = await sql<{ sealed: Buffer | null; names: string[] }>`
    SELECT headers_sealed AS sealed, header_names AS names FROM ${sql.table(owner.table)}
     WHERE tenant_id = ${tx.tenantId} AND id = ${owner.id} FOR UPDATE`.execute(tx.sql);
  const { sealed = null, names = [] } = rows[0] ?? {};
  const { headers: known, headersFault: fault } = openHeaders(tx, secrets, owner, sealed);
  const named = new Set(Object.keys(patch).map((name) => name.toLowerCase()));
  const lost = fault === null ? [] : names.filter((name) => !named.has(name.toLowerCase()));
  if (lost.length > 0) {
    const detail = `The stored headers cannot be opened. Set each of them again, or null to remove it: ${lost.join(', ')} as well.`;
    throw fieldProblem('/headers', detail);
  }
  const merged = [
    ...Object.entries(known).filter(([name]) => !named.has(name.toLowerCase())),
    ...Object.entries(patch).flatMap(([name, value]) => (value === null ? [] : [[name, value] as const])),
  ];
  if (merged.length > MAXIMUM_HEADERS) {
    const detail = `There would be ${merged.length} headers, and ${MAXIMUM_HEADERS} is the most. Set those to null that are not needed.`;
    throw fieldProblem('/headers', detail);
  }
  return sealHeaders(tx, secrets, owner, Object.fromEntries(merged));
}

export interface HeadersOwner extends SealedFor {
  readonly table: EntryType | 'doh_profile';
}

export interface OpenedHeaders {
  readonly headers: Readonly<Record<string, string>>;
  /** Why they are not known, which is a fault of their owner alone; null: they are. */
  readonly headersFault: string | null;
}

/** @param sealed null: there are none */
export function openHeaders(
  tx: TenantTx,
  secrets: SecretBox,
  owner: HeadersOwner,
  sealed: Buffer | null,
): OpenedHeaders {
  if (sealed === null) return { headers: {}, headersFault: null };
  const text = openFor(tx, secrets, owner, sealed);
  if (text === null) return { headers: {}, headersFault: UNREADABLE_HEADERS };
  return { headers: JSON.parse(text.toString()) as Record<string, string>, headersFault: null };
}

const UNREADABLE_HEADERS = unreadable(
  'the stored headers',
  'that nothing is asked',
  'set each of them again',
);
