import { LRUCache } from 'lru-cache';
import type { ChangePageQuery } from '../../api/revisions/diff.ts';
import type { HeldDiff } from '../../api/lists/held-modules.ts';
import { Problem } from '../../api/problems/problem.ts';
import { storedAs } from '../../core/tables/stored-table.ts';
import { type PrefixTable, emptyTable } from '../../core/tables/prefix-table.ts';
import { readTable } from '../../store/contents/read-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { getModule } from '../../store/modules/modules.ts';
import { findLatestReadyRevision } from '../../store/revisions/revisions.ts';
import { RAILS } from '../../api/revisions/apply.ts';
import { type DiffSide, pageOfDiff } from './diff-revisions.ts';
import type { ModuleDraft } from '../drafts/draft-module.ts';
import { type RevisionDraft, buildDraft, draftReaderIn, draftRevision } from '../drafts/revision-draft.ts';
import { tableCache } from '../tables/table-cache.ts';
import { hashOfGuardrails } from '../guards/guardrails.ts';
import { requireHeld } from './release-module.ts';

/** What was built for a page serves the next ones. */
const built = new LRUCache<string, DiffSide>({ max: 4 });

/**
 * What a release of the module would change beside the latest ready revision: the revision is built as it would be then, from all that
 * there is now, and not stored.
 * @throws {Problem} `conflict` when the module is not held, or disabled; `invalid_cursor`
 */
export async function diffHeldModule(
  tx: TenantTx,
  moduleId: string,
  query: ChangePageQuery,
): Promise<HeldDiff> {
  const { resource: module } = await getModule(tx, moduleId);
  const { snapshot } = await requireHeld(tx, module);
  if (!module.enabled)
    throw new Problem(
      'conflict',
      `The module ${module.name} is disabled, so a release changes nothing. Enable it (PATCH {"enabled": true}) first.`,
    );
  const latest = await findLatestReadyRevision(tx);
  const hash = latest?.content_hash ?? null;
  const before: DiffSide =
    latest === null || hash === null
      ? { content_hash: '', table: emptyTable(), communities: [] }
      : { ...latest, content_hash: hash, table: await tableCache.load(tx, hash) };
  const draft = await draftRevision(tx, null);
  const released = {
    ...draft,
    modules: draft.modules.map((one) => (one.module.id === module.id ? letThrough(one) : one)),
  };
  return { snapshot, ...pageOfDiff(before, await buildReleased(tx, released, module.id), query) };
}

/** As if somebody had let it through, whatever it breaks. */
function letThrough(draft: ModuleDraft): ModuleDraft {
  return { ...draft, latest: { ...draft.latest, input: { ...draft.latest.input, released: RAILS } } };
}

async function buildReleased(tx: TenantTx, draft: RevisionDraft, moduleId: string): Promise<DiffSide> {
  const shares = draft.modules.map(({ latest, accepted }) => [
    latest.key,
    accepted?.key,
    latest.input.released,
  ]);
  const name = JSON.stringify([
    tx.tenantId,
    moduleId,
    shares,
    draft.inputs.communities,
    hashOfGuardrails(draft.against.guardrails),
  ]);
  const known = built.get(name);
  if (known !== undefined) return known;
  const { content, communities } = await buildDraft(draft, draftReaderIn(tx));
  const { contentHash, prefixCount, encoded } = content;
  const stored = storedAs(encoded, draft.parent?.stored ?? null);
  const table: PrefixTable = await readTable(stored, prefixCount.ipv4 + prefixCount.ipv6);
  const side = { content_hash: contentHash, table, communities: [...communities] };
  built.set(name, side);
  return side;
}
