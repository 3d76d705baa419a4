import { Problem } from '../api/problem.ts';
import type { PrefixTable } from '../core/prefix-table.ts';
import { blockHashes, decodeTable, type EncodedTable } from '../core/table-codec.ts';
import type { TenantTx } from './database.ts';

/** Blocks of one INSERT; each row takes three of the 65,535 parameters of a statement, and some kilobytes. */
const BLOCKS_AT_ONCE = 500;

/**
 * Stores a table, unless the tenant has it already; blocks that other tables hold are not stored again.
 * @returns the content hash, by which {@link loadTable} finds it
 */
export async function storeTable(
  tx: TenantTx,
  encoded: EncodedTable,
  counts: { readonly ipv4: number; readonly ipv6: number },
): Promise<string> {
  const { tenantId } = tx;
  const contentHash = Buffer.from(encoded.contentHash, 'hex');
  const missing = await withoutStored(tx, encoded);
  for (let at = 0; at < missing.length; at += BLOCKS_AT_ONCE) {
    const values = missing.slice(at, at + BLOCKS_AT_ONCE).map((block) => ({
      tenant_id: tenantId,
      hash: Buffer.from(block.hash, 'hex'),
      bytes: asBuffer(block.bytes),
    }));
    await tx.sql
      .insertInto('content_block')
      .values(values)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
  await tx.sql
    .insertInto('content')
    .values({
      tenant_id: tenantId,
      content_hash: contentHash,
      manifest: asBuffer(encoded.manifest),
      block_hashes: encoded.blocks.map((block) => Buffer.from(block.hash, 'hex')),
      prefix_count_ipv4: counts.ipv4,
      prefix_count_ipv6: counts.ipv6,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return encoded.contentHash;
}

async function withoutStored(tx: TenantTx, encoded: EncodedTable): Promise<EncodedTable['blocks']> {
  if (encoded.blocks.length === 0) return [];
  const hashes = encoded.blocks.map((block) => Buffer.from(block.hash, 'hex'));
  const rows = await tx.sql
    .selectFrom('content_block')
    .select('hash')
    .where('tenant_id', '=', tx.tenantId)
    .where('hash', 'in', hashes)
    .execute();
  const stored = new Set(rows.map((row) => row.hash.toString('hex')));
  return encoded.blocks.filter((block) => !stored.has(block.hash));
}

/**
 * Reads a table back.
 * @throws {TableCodecError} when what is stored is damaged
 */
export async function loadTable(tx: TenantTx, contentHash: string): Promise<PrefixTable> {
  const content = await tx.sql
    .selectFrom('content')
    .select('manifest')
    .where('tenant_id', '=', tx.tenantId)
    .where('content_hash', '=', Buffer.from(contentHash, 'hex'))
    .executeTakeFirst();
  if (content === undefined) {
    throw new Problem('not_found', `The content ${contentHash} is not stored. Its revision has been pruned.`);
  }
  const hashes = blockHashes(content.manifest);
  const blocks = new Map<string, Uint8Array>();
  if (hashes.length > 0) {
    const rows = await tx.sql
      .selectFrom('content_block')
      .select(['hash', 'bytes'])
      .where('tenant_id', '=', tx.tenantId)
      .where(
        'hash',
        'in',
        hashes.map((hash) => Buffer.from(hash, 'hex')),
      )
      .execute();
    for (const row of rows) blocks.set(row.hash.toString('hex'), row.bytes);
  }
  return decodeTable(content.manifest, blocks);
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
