import { LRUCache } from 'lru-cache';
import type { ChangePageQuery } from '../../api/revisions/diff.ts';
import type { AlsoHeld, HeldDiff } from '../../api/lists/held-modules.ts';
import type { Finding } from '../../api/revisions/revisions.ts';
import { type PrefixTable, emptyTable } from '../../core/tables/prefix-table.ts';
import { readTable } from '../../store/contents/read-table.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { heldTogether } from '../../store/revisions/held-modules.ts';
import { findLatestReadyRevision } from '../../store/revisions/stored-revisions.ts';
import { readAgainst } from '../drafts/guard-revision.ts';
import { contributionsOf } from '../drafts/judge-modules.ts';
import type { BuiltDraft } from '../drafts/build-draft.ts';
import { type RevisionDraft, readRevisionFacts } from '../drafts/revision-draft.ts';
import { tableCache } from '../tables/table-cache.ts';
import { hashOfGuardrails } from '../guards/guardrails.ts';
import { type DiffSide, pageOfDiff } from '../differences/diff-revisions.ts';
import { alsoHeld } from './also-held.ts';
import { type FoundHeld, type Released, buildReleased, requireHeld } from './held-module.ts';

interface ReleasedSide extends DiffSide {
  readonly findings: readonly Finding[];
  readonly also: readonly AlsoHeld[];
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
  const { findings, also, ...after } = await sideOf(tx, found, latest?.id ?? null, before.table);
  return {
    ...{ name: found.name, snapshot: found.held.snapshot, findings: [...findings] },
    also_held: [...also],
    ...(await pageOfDiff(before, after, query)),
  };
}

async function sideOf(
  tx: TenantTx,
  found: FoundHeld,
  latestId: string | null,
  before: PrefixTable,
): Promise<ReleasedSide> {
  const { guardrails, applied } = await readAgainst(tx);
  const running = applied.map(({ content_hash: hash }) => hash);
  const { inputs } = await readRevisionFacts(tx);
  const name = JSON.stringify([tx.tenantId, found, latestId, inputs, running, hashOfGuardrails(guardrails)]);
  const known = sides.get(name);
  if (known !== undefined) return known;
  const released = await buildReleased(tx, found);
  const { built, findings, stored } = released;
  const { contentHash, prefixCount } = built.content;
  const table = await readTable(stored, prefixCount.ipv4 + prefixCount.ipv6);
  const also = await alsoHeldWith(found.id, released, before, table);
  const side = {
    ...{ content_hash: contentHash, communities: [...built.communities], findings, table, also },
  };
  sides.set(name, side);
  return side;
}

async function alsoHeldWith(
  id: string,
  { draft, built }: Released,
  before: PrefixTable,
  after: PrefixTable,
): Promise<AlsoHeld[]> {
  const ids = heldTogether(built.held, built.withdrawals).map(({ module_id }) => module_id);
  const otherIds = new Set(ids.filter((one) => one !== id));
  if (otherIds.size === 0 || built.open === null) return [];
  const drafts = draft.modules.filter(({ module }) => otherIds.has(module.id));
  const latest = new Map(drafts.map(({ module, latest: share }) => [module.id, share]));
  const { before: own, shares } = built.open;
  const made = await contributionsOf([...latest.values(), ...(own === null ? [] : [own])]);
  const others = [...otherIds].map((moduleId) => {
    const share = latest.get(moduleId);
    const isAnnounced = share?.policy.purpose === 'announce';
    return {
      moduleId,
      name: nameOf(moduleId, draft, built),
      wanted: isAnnounced ? made.get(share.key)!.contributions : [],
    };
  });
  const ofOwn = own?.policy.purpose === 'announce' ? made.get(own.key)!.contributions : [];
  const found = alsoHeld(before, after, { moduleId: id, before: ofOwn, shares }, others);
  return found.sort((a, b) => a.name.localeCompare(b.name, 'en'));
}

/** What the module is called, or was before it was deleted. */
function nameOf(id: string, { names }: RevisionDraft, { withdrawals }: BuiltDraft): string {
  return names.get(id) ?? withdrawals.find(({ module_id }) => module_id === id)?.name ?? id;
}
