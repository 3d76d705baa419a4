/**
 * Values that are encrypted for their row, and what it means that one cannot be opened any more, say after a restore with another key: a fault
 * of its owner alone, which says so and stops, while everything else goes on.
 */
import type { EntryType } from '../api/entries/entry-kinds.ts';
import type { TenantTx } from './database/database.ts';
import { SecretError, type SecretBox } from './secrets.ts';

/** The row that a value belongs to. */
export interface SealedFor {
  readonly table:
    | EntryType
    | 'doh_profile'
    | 'idempotency'
    | 'peer'
    | 'signing_key'
    | 'speaker_bundle'
    | 'webhook';
  readonly id: string;
}

type Owner = Pick<TenantTx, 'tenantId'>;

/** What the value is bound to, so that nobody can move it to another row. */
export function contextOf(tenantId: string, { table, id }: { readonly table: string; readonly id: string }) {
  return `${table} ${tenantId} ${id}`;
}

export function sealFor(
  { tenantId }: Owner,
  secrets: SecretBox,
  owner: SealedFor,
  clear: string | Uint8Array,
): Buffer {
  return secrets.seal(clear, contextOf(tenantId, owner));
}

/** Null: it cannot be opened, see {@link unreadable}. */
export function openFor(
  { tenantId }: Owner,
  secrets: SecretBox,
  owner: SealedFor,
  sealed: Uint8Array,
): Buffer | null {
  try {
    return secrets.open(sealed, contextOf(tenantId, owner));
  } catch (error) {
    if (error instanceof SecretError) return null;
    throw error;
  }
}

/**
 * What the owner says.
 * @param what such as `its stored password`
 * @param stops what it does not do for now, such as `there is no session with it`
 * @param remedy how to store the value again
 */
export function unreadable(what: string, stops: string, remedy: string): string {
  return `${what} cannot be opened, so ${stops}: ${remedy}, or start every process with the APP_SECRET_KEY that sealed it`;
}
