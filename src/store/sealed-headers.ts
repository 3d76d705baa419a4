import type { TenantTx } from './database/database.ts';
import type { SecretBox } from './secrets.ts';

/**
 * Header fields of requests that we send: names in clear, so that they can be shown, and values in one encrypted JSON object that
 * opens only in the row it was made for.
 */
export function sealHeaders(
  tx: TenantTx,
  secrets: SecretBox,
  owner: HeadersOwner,
  headers: Readonly<Record<string, string>> | undefined,
): { header_names?: string[]; headers_sealed?: Buffer | null } {
  if (headers === undefined) return {};
  const names = Object.keys(headers);
  const sealed = names.length === 0 ? null : secrets.seal(JSON.stringify(headers), contextOf(tx, owner));
  return { header_names: names, headers_sealed: sealed };
}

export interface HeadersOwner {
  readonly table: 'cdn_source' | 'doh_profile';
  readonly id: string;
}

export function openHeaders(
  tx: TenantTx,
  secrets: SecretBox,
  owner: HeadersOwner,
  sealed: Buffer,
): Record<string, string> {
  return JSON.parse(secrets.open(sealed, contextOf(tx, owner)).toString()) as Record<string, string>;
}

function contextOf(tx: TenantTx, { table, id }: HeadersOwner): string {
  return `${table} ${tx.tenantId} ${id}`;
}
