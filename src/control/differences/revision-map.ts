import { LRUCache } from 'lru-cache';
import { type DiffMap, type MapQuery, type RevisionMap, WHOLE_MAP } from '../../api/revisions/map.ts';
import { fieldProblem } from '../../api/problems/problem.ts';
import { formatPrefix, parsePrefix, type Prefix } from '../../core/prefix.ts';
import { CELL_BITS, hasCells } from '../../core/sets/coverage-cells.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { drawMapOf } from '../tables/difference-threads.ts';
import { withContent } from './diff-revisions.ts';
import { requireRevision } from '../../store/revisions/stored-revisions.ts';

/** Maps in base64, of 88 or 175 kB. */
const drawn = new LRUCache<string, readonly string[]>({ max: 64 });

/** What share of each part of the address space the revision announces. @throws {Problem} `not_found`, `revision_not_ready`, `validation_failed` */
export async function mapRevision(tx: TenantTx, id: string, query: MapQuery): Promise<RevisionMap> {
  const within = readFrame(query);
  const { content_hash: hash } = withContent(await requireRevision(tx, id));
  const [covered] = await draw(tx, [hash], within);
  return { ...frameOf(within), covered: covered! };
}

/** Addresses that one of two revisions announces, and the other one does not. Throws as {@link mapRevision}. */
export async function mapDifference(tx: TenantTx, a: string, b: string, query: MapQuery): Promise<DiffMap> {
  const within = readFrame(query);
  const before = withContent(await requireRevision(tx, a));
  const after = withContent(await requireRevision(tx, b));
  const [added, removed] = await draw(tx, [after.content_hash, before.content_hash], within);
  return { ...frameOf(within), added: added!, removed: removed! };
}

async function draw(
  tx: TenantTx,
  [hash, before]: readonly [string, string?],
  within: Prefix,
): Promise<readonly string[]> {
  const name = [tx.tenantId, hash, before, formatPrefix(within)].join(' ');
  const known = drawn.get(name);
  if (known !== undefined) return known;
  const content = await loadStored(tx, hash);
  const other = before === undefined ? null : await loadStored(tx, before);
  const cells = (await drawMapOf(content, other, within)).map((bytes) =>
    Buffer.from(bytes).toString('base64'),
  );
  drawn.set(name, cells);
  return cells;
}

function frameOf(within: Prefix): Pick<RevisionMap, 'family' | 'within' | 'cell_length'> {
  const { family, length } = within;
  return { family, within: formatPrefix(within), cell_length: length + CELL_BITS };
}

function readFrame({ family, within }: MapQuery): Prefix {
  const parsed = parsePrefix(within ?? WHOLE_MAP[family ?? 'ipv4']);
  if (!parsed.ok) throw fieldProblem('?within', parsed.reason);
  const prefix = parsed.value;
  if (family !== undefined && family !== prefix.family)
    throw fieldProblem('?within', `is not a prefix of ${family}. Leave family out, or give another prefix.`);
  if (!hasCells(prefix))
    throw fieldProblem(
      '?within',
      'is too long for 65,536 parts. Give one up to /16 of IPv4, or /112 of IPv6.',
    );
  return prefix;
}
