import { LRUCache } from 'lru-cache';
import type { ChangePageQuery } from '../../api/revisions/diff.ts';
import type { HeldDiff } from '../../api/lists/held-modules.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { emptyTable } from '../../core/tables/prefix-table.ts';
import { readTable } from '../../store/contents/read-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findLatestReadyRevision } from '../../store/revisions/revisions.ts';
import { readAgainst } from '../drafts/guard-revision.ts';
import { readRevisionFacts } from '../drafts/revision-draft.ts';
import { tableCache } from '../tables/table-cache.ts';
import { hashOfGuardrails } from '../guards/guardrails.ts';
import { type DiffSide, pageOfDiff } from '../differences/diff-revisions.ts';
import { type FoundHeld, buildReleased, requireHeld } from './held-module.ts';

interface ReleasedSide extends DiffSide {
  readonly findings: readonly Finding[];
}

/** What was built for a page serves the next ones. */
const sides = new LRUCache<string, ReleasedSide>({ max: 4 });

/**
 * What a release of the module would change beside the latest ready revision, and all that it has to override: the revision is built as it
 * would be then, from all that there is now, and not stored.
 * @throws {Problem} `not_found`; `conflict` when the module is not held, or disabled; `invalid_cursor`
 */
export async function diffHeldModule(
  tx: TenantTx,
  moduleId: string,
  query: ChangePageQuery,
): Promise<HeldDiff> {
  const found = await requireHeld(tx, moduleId);
  const latest = await findLatestReadyRevision(tx);
  const hash = latest?.content_hash ?? null;
  const before: DiffSide =
    latest === null || hash === null
      ? { content_hash: '', table: emptyTable(), communities: [] }
      : { ...latest, content_hash: hash, table: await tableCache.load(tx, hash) };
  const { findings, ...after } = await sideOf(tx, found, latest?.id ?? null);
  return {
    ...{ name: found.name, snapshot: found.held.snapshot, findings: [...findings] },
    ...pageOfDiff(before, after, query),
  };
}

async function sideOf(tx: TenantTx, found: FoundHeld, latestId: string | null): Promise<ReleasedSide> {
  const { guardrails, applied } = await readAgainst(tx);
  const running = applied.map(({ content_hash: hash }) => hash);
  const { inputs } = await readRevisionFacts(tx);
  const name = JSON.stringify([tx.tenantId, found, latestId, inputs, running, hashOfGuardrails(guardrails)]);
  const known = sides.get(name);
  if (known !== undefined) return known;
  const { built, findings, stored } = await buildReleased(tx, found);
  const { contentHash, prefixCount } = built.content;
  const side = {
    ...{ content_hash: contentHash, communities: [...built.communities], findings },
    table: await readTable(stored, prefixCount.ipv4 + prefixCount.ipv6),
  };
  sides.set(name, side);
  return side;
}
