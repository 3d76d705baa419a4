import { sql } from 'kysely';
import { Problem } from '../../api/problems/problem.ts';
import type { PrefixCount } from '../../api/shapes/page.ts';
import type { PrefixTable } from '../../core/tables/prefix-table.ts';
import { MAX_DELTAS, type StoredTable, type TableDelta } from '../../core/stored/stored-table.ts';
import { type EncodedTable, TableCodecError, blockHashes } from '../../core/stored/table-codec.ts';
import type { TenantTx } from '../database/database.ts';
import { readDiffering, readTable } from './read-table.ts';

/** Blocks that are written or read at once: about a megabyte, handled in a few milliseconds. */
const BLOCKS_AT_ONCE = 64;

/**
 * Stores a table, unless the tenant has it already; blocks of other tables are not stored again. The base of a delta must be stored
 * already: it stays as long as the delta does.
 * @returns the content hash, by which {@link loadTable} finds it
 */
export async function storeTable(
  tx: TenantTx,
  encoded: EncodedTable | TableDelta,
  counts: PrefixCount,
): Promise<string> {
  const { tenantId } = tx;
  const isWhole = 'manifest' in encoded;
  if (isWhole) await storeBlocks(tx, encoded.blocks);
  await tx.sql
    .insertInto('content')
    .values({
      tenant_id: tenantId,
      content_hash: Buffer.from(encoded.contentHash, 'hex'),
      manifest: isWhole ? asBuffer(encoded.manifest) : null,
      block_hashes: isWhole ? encoded.blocks.map((block) => Buffer.from(block.hash, 'hex')) : [],
      base_hash: isWhole ? null : Buffer.from(encoded.baseHash, 'hex'),
      delta: isWhole ? null : asBuffer(encoded.bytes),
      step: isWhole ? 0 : encoded.step,
      prefix_count_ipv4: counts.ipv4,
      prefix_count_ipv6: counts.ipv6,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return encoded.contentHash;
}

/** The steps at which those of the contents that the tenant has are stored, by hash; 0 is whole. */
export async function stepsOfStored(
  tx: TenantTx,
  contentHashes: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.sql
    .selectFrom('content')
    .select(['content_hash', 'step'])
    .where('tenant_id', '=', tx.tenantId)
    .where(
      'content_hash',
      'in',
      contentHashes.map((hash) => Buffer.from(hash, 'hex')),
    )
    .execute();
  return new Map(rows.map(({ content_hash: hash, step }) => [hash.toString('hex'), step]));
}

/** Arrays that the server unpacks: a thousand parameters cost more than the blocks that they carry. */
async function storeBlocks(tx: TenantTx, blocks: EncodedTable['blocks']): Promise<void> {
  for (let at = 0; at < blocks.length; at += BLOCKS_AT_ONCE) {
    const some = blocks.slice(at, at + BLOCKS_AT_ONCE);
    const hashes = Buffer.from(some.map(({ hash }) => hash).join(''), 'hex');
    const bytes = Buffer.concat(some.map((block) => block.bytes));
    let end = 1;
    const starts = some.map((block) => (end += block.bytes.length) - block.bytes.length);
    const lengths = some.map((block) => block.bytes.length);
    await sql`
      INSERT INTO content_block (tenant_id, hash, bytes)
      SELECT ${tx.tenantId}::uuid,
             substring(${hashes}::bytea FROM (place::int - 1) * 32 + 1 FOR 32),
             substring(${bytes}::bytea FROM start FOR length)
        FROM unnest(${starts}::int[], ${lengths}::int[]) WITH ORDINALITY AS block (start, length, place)
          ON CONFLICT DO NOTHING`.execute(tx.sql);
  }
}

/** The bytes of a table, and how many prefixes they hold. */
export interface StoredContent {
  readonly stored: StoredTable;
  readonly prefixCount: PrefixCount;
}

/**
 * Reads a table back.
 * @throws {TableCodecError} when what is stored is damaged; {Problem} `not_found` when it was pruned
 */
export async function loadTable(tx: TenantTx, contentHash: string): Promise<PrefixTable> {
  const { stored, prefixCount } = await loadStored(tx, contentHash);
  return readTable(stored, prefixCount.ipv4 + prefixCount.ipv6);
}

/** The rows in which two tables differ; blocks that both have are not even loaded. Throws as {@link loadTable}. */
export async function loadDiffering(
  tx: TenantTx,
  beforeHash: string,
  afterHash: string,
): Promise<{ readonly before: PrefixTable; readonly after: PrefixTable }> {
  const [before, after] = [await chainTo(tx, beforeHash), await chainTo(tx, afterHash)];
  const isSameWhole = before.whole.content_hash.equals(after.whole.content_hash);
  // Applying deltas to a whole table may need any of its blocks.
  const areWhole = before.deltas.length + after.deltas.length === 0;
  const others = (of: Chain): Chain['whole'] | null => (areWhole ? of.whole : null);
  const blocks = await blocksOf(tx, before, isSameWhole ? null : others(after));
  const stored = {
    before: storedTable(before, blocks),
    after: storedTable(after, isSameWhole ? blocks : await blocksOf(tx, after, others(before))),
  };
  return readDiffering(stored, { before: rowsOf(before), after: rowsOf(after) });
}

function rowsOf({ content }: Chain): number {
  return content.prefix_count_ipv4 + content.prefix_count_ipv6;
}

/** {@link loadTable} without decoding the bytes, which may take long. */
export async function loadStored(tx: TenantTx, contentHash: string): Promise<StoredContent> {
  const chain = await chainTo(tx, contentHash);
  const { prefix_count_ipv4: ipv4, prefix_count_ipv6: ipv6 } = chain.content;
  return { stored: storedTable(chain, await blocksOf(tx, chain, null)), prefixCount: { ipv4, ipv6 } };
}

/** How many prefixes these contents have together, without reading them. */
export async function countContentRows(tx: TenantTx, contentHashes: readonly string[]): Promise<number> {
  const hashes = contentHashes.map((hash) => Buffer.from(hash, 'hex'));
  const { rows } = await sql<{ readonly count: number }>`
    SELECT coalesce(sum(prefix_count_ipv4 + prefix_count_ipv6), 0)::float8 AS count FROM content
     WHERE tenant_id = ${tx.tenantId} AND content_hash = ANY(${hashes}::bytea[])`.execute(tx.sql);
  return rows[0]!.count;
}

/** A content, and how it is stored: the whole one that it comes from, and the deltas from there. */
interface Chain {
  readonly content: ChainRow;
  readonly whole: ChainRow & { readonly manifest: Buffer };
  readonly deltas: readonly ChainRow[];
}

async function chainTo(tx: TenantTx, contentHash: string): Promise<Chain> {
  const chain = await chainOf(tx, contentHash);
  const [content] = chain;
  if (content === undefined) {
    throw new Problem('not_found', `The content ${contentHash} is not stored. Its revision has been pruned.`);
  }
  const whole = chain.at(-1)!;
  const { manifest } = whole;
  if (manifest === null) {
    throw new TableCodecError(
      `The content ${contentHash} is based on no whole one within ${MAX_DELTAS} steps`,
    );
  }
  return { content, whole: { ...whole, manifest }, deltas: chain.slice(0, -1).reverse() };
}

function storedTable({ whole, deltas }: Chain, blocks: ReadonlyMap<string, Uint8Array>): StoredTable {
  return {
    whole: { contentHash: whole.content_hash.toString('hex'), manifest: whole.manifest, blocks },
    deltas: deltas.map((delta) => ({
      contentHash: delta.content_hash.toString('hex'),
      baseHash: delta.base_hash!.toString('hex'),
      step: delta.step,
      bytes: delta.delta!,
    })),
  };
}

interface ChainRow {
  readonly content_hash: Buffer;
  readonly base_hash: Buffer | null;
  readonly manifest: Buffer | null;
  readonly delta: Buffer | null;
  readonly step: number;
  readonly block_count: number;
  readonly prefix_count_ipv4: number;
  readonly prefix_count_ipv6: number;
}

/** The content and its bases, down to the whole one, limited to what a table may need. */
async function chainOf(tx: TenantTx, contentHash: string): Promise<ChainRow[]> {
  const { rows } = await sql<ChainRow>`
    WITH RECURSIVE chain AS (
      SELECT content_hash, base_hash, 0 AS depth FROM content
       WHERE tenant_id = ${tx.tenantId} AND content_hash = ${Buffer.from(contentHash, 'hex')}
       UNION ALL
      SELECT base.content_hash, base.base_hash, chain.depth + 1 FROM chain
        JOIN content base ON base.tenant_id = ${tx.tenantId} AND base.content_hash = chain.base_hash
       WHERE chain.depth < ${MAX_DELTAS}
    )
    SELECT content_hash, content.base_hash, manifest, delta, step, cardinality(block_hashes) AS block_count,
           prefix_count_ipv4, prefix_count_ipv6
      FROM chain JOIN content USING (content_hash)
     WHERE tenant_id = ${tx.tenantId}
     ORDER BY depth`.execute(tx.sql);
  return rows;
}

/**
 * The blocks of the whole content by their hashes, without those of `other`.
 * @throws {Problem} `not_found` when some were pruned after the chain was read
 */
async function blocksOf(
  tx: TenantTx,
  { content, whole }: Chain,
  other: Chain['whole'] | null,
): Promise<Map<string, Uint8Array>> {
  const blocks = new Map<string, Uint8Array>();
  for (let from = 1; from <= whole.block_count; from += BLOCKS_AT_ONCE) {
    const to = from + BLOCKS_AT_ONCE - 1;
    const { rows } = await sql<BlockRow>`
      SELECT block.hash, block.bytes FROM content
        JOIN content_block block
          ON block.tenant_id = content.tenant_id AND block.hash = ANY (content.block_hashes[${from}:${to}])
       WHERE content.tenant_id = ${tx.tenantId} AND content_hash = ${whole.content_hash}
         AND NOT EXISTS (
               SELECT FROM content other
                WHERE other.tenant_id = content.tenant_id AND other.content_hash = ${other?.content_hash ?? null}
                  AND block.hash = ANY (other.block_hashes)
             )`.execute(tx.sql);
    keepShared(rows, blocks);
  }
  const others = new Set(other === null ? [] : blockHashes(other.manifest));
  const isMissing = (hash: string): boolean => !blocks.has(hash) && !others.has(hash);
  if (blocks.size < whole.block_count && blockHashes(whole.manifest).some(isMissing)) {
    await chainTo(tx, content.content_hash.toString('hex'));
  }
  return blocks;
}

interface BlockRow {
  readonly hash: Buffer;
  readonly bytes: Buffer;
}

/** In shared memory: large tables are decoded in a thread, and their bytes would otherwise be copied at once. */
function keepShared(rows: readonly BlockRow[], blocks: Map<string, Uint8Array>): void {
  const memory = new Uint8Array(
    new SharedArrayBuffer(rows.reduce((sum, { bytes }) => sum + bytes.length, 0)),
  );
  let at = 0;
  for (const { hash, bytes } of rows) {
    memory.set(bytes, at);
    blocks.set(hash.toString('hex'), memory.subarray(at, at + bytes.length));
    at += bytes.length;
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
