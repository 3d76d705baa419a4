/** What feeds serve: made when it is asked for first, and kept in memory. */
import { forGroup } from '../../concurrency/groups.ts';
import { hash } from 'node:crypto';
import { type FeedPreview, isDifferenceFormat } from '../../api/feeds/feeds.ts';
import { canonicalJson } from '../../bundle/canonical-json.ts';
import { ValueCache } from '../../concurrency/value-cache.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { Database, TenantTx } from '../../store/database/database.ts';
import { type FeedToServe, recordFeedOutcome } from '../../store/feeds/feeds.ts';
import type { FeedRecipe, ServedFeed } from '../../api/feeds/served-feed.ts';
import { listRevisionInputs } from '../../store/revisions/revision-history.ts';
import { findRevision, findSettledRevision } from '../../store/revisions/stored-revisions.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { readGuardrails } from '../guards/guardrails.ts';
import type { FeedAnswer } from '../tables/feed-work.ts';
import { feedOf, type StoredFeed } from '../tables/table-threads.ts';
import { recipeOf as recipeOfServed, remember, remembered } from './feed-history.ts';

/** Some feeds of a million prefixes. */
const CAPACITY_BYTES = 256 * 1024 * 1024;
const PREVIEWED_CHARACTERS = 4_096;

/** Bytes to send, by the recipe that they follow from. */
export interface FeedBytes {
  readonly tag: string;
  readonly bytes: Buffer;
  readonly recipe: FeedRecipe;
  /** Only what changed since this revision; null: all of it. */
  readonly since: number | null;
}

export type FeedConfiguration = Pick<
  FeedToServe,
  'name' | 'community_ids' | 'module_ids' | 'families' | 'format' | 'max_prefixes' | 'when_too_many'
>;

export class FeedContents {
  readonly #db: Database;
  readonly #kept = new ValueCache<FeedBytes>(
    CAPACITY_BYTES,
    ({ bytes }) => bytes.length,
    (name) => name.slice(0, name.indexOf(' ')), // the tenant, as nameOf puts it
  );

  constructor(db: Database) {
    this.#db = db;
  }

  /** The content that the feed has now; null: it has never had any. An update that fails leaves the last one. */
  async current(feed: FeedToServe): Promise<FeedBytes | null> {
    const { tenant_id: tenantId } = feed;
    const inTenant = <T>(work: (tx: TenantTx) => Promise<T>): Promise<T> => this.#db.inTenant(tenantId, work);
    const recipe = await inTenant((tx) => recipeOf(tx, feed));
    if (recipe === null) return feed.served === null ? null : this.#load(tenantId, feed.served);
    const tried = `${recipe.revision_id} ${feed.version} ${hash('sha256', canonicalJson(recipe))}`;
    if (tried === feed.tried) return feed.served === null ? null : this.#load(tenantId, feed.served);
    const answer = await this.#make(tenantId, recipe);
    const made = answer.ok
      ? { ok: true as const, served: servedOf(recipe, answer) }
      : { ok: false as const, error: answer.reason };
    await inTenant((tx) => recordFeedOutcome(tx, feed, { tried, made }, remember));
    if (made.ok) return this.#load(tenantId, made.served, answer);
    return feed.served === null ? null : this.#load(tenantId, feed.served);
  }

  #load(tenantId: string, served: ServedFeed, known?: FeedAnswer): Promise<FeedBytes> {
    const recipe = recipeOfServed(served);
    return this.#kept.load(nameOf(tenantId, recipe), async () => {
      const answer = known ?? (await this.#make(tenantId, served));
      if (!answer.ok) throw new Error(`A feed that was made before cannot be made again: ${answer.reason}`);
      return feedBytes(answer, recipe, null);
    });
  }

  /**
   * What brings whoever has that revision of the feed to the content. Null: its format cannot say that, or nobody knows any more what was served then,
   * or in which of two ways.
   */
  async difference(
    { tenant_id: tenantId, served }: FeedToServe,
    { recipe: now }: FeedBytes,
    since: number,
  ): Promise<FeedBytes | null> {
    if (!isDifferenceFormat(now.format)) return null;
    const before = remembered(served, since, now);
    if (before === null) return null;
    const name = `${nameOf(tenantId, now)} since ${nameOf(tenantId, before)}`;
    const known = await this.#kept.load(name, async () => {
      const stored = await this.#db.inTenant(tenantId, async (tx) =>
        (await isKept(tx, before))
          ? ([await readStored(tx, now), await readStored(tx, before)] as const)
          : null,
      );
      const answer = stored === null ? null : await forGroup(tenantId, () => feedOf(...stored));
      return answer?.ok === true ? feedBytes(answer, now, since) : feedBytes(NOTHING, now, null);
    });
    return known.since === null ? null : known;
  }

  async #make(tenantId: string, recipe: FeedRecipe): Promise<FeedAnswer> {
    const stored = await this.#db.inTenant(tenantId, (tx) => readStored(tx, recipe));
    return forGroup(tenantId, () => feedOf(stored));
  }
}

/** What the feed would be now, as it is set. */
export async function previewFeed(tx: TenantTx, feed: FeedConfiguration): Promise<FeedPreview> {
  const recipe = await recipeOf(tx, feed);
  if (recipe === null)
    return {
      content: null,
      error: 'No enabled speaker runs a revision yet. Apply one with POST /v1/apply.',
      text: '',
    };
  const answer = await feedOf(await readStored(tx, recipe));
  if (!answer.ok) return { content: null, error: answer.reason, text: '' };
  const { revision_id, number: revision, prefix_count, bytes, fitted } = servedOf(recipe, answer);
  const text = Buffer.from(answer.bytes.subarray(0, PREVIEWED_CHARACTERS)).toString('latin1');
  return { content: { revision_id, revision, prefix_count, bytes, fitted }, error: null, text };
}

function nameOf(tenantId: string, recipe: FeedRecipe): string {
  return `${tenantId} ${hash('sha256', canonicalJson(recipe))}`;
}

const NOTHING = { bytes: new Uint8Array(), tag: '' };

/** Whether the revision has not been pruned. */
async function isKept(tx: TenantTx, { revision_id: id }: FeedRecipe): Promise<boolean> {
  return ((await findRevision(tx, id))?.content_hash ?? null) !== null;
}

function feedBytes(
  { bytes: { buffer, byteOffset, byteLength }, tag }: Pick<FeedAnswer & { ok: true }, 'bytes' | 'tag'>,
  recipe: FeedRecipe,
  since: number | null,
): FeedBytes {
  return { bytes: Buffer.from(buffer, byteOffset, byteLength), tag, recipe, since };
}

function servedOf(recipe: FeedRecipe, answer: FeedAnswer & { readonly ok: true }): ServedFeed {
  const { bytes, prefixCount: prefix_count, fitted } = answer;
  return { ...recipe, prefix_count, bytes: bytes.length, fitted };
}

/** Null: no revision is applied, or only tried on canaries. */
async function recipeOf(tx: TenantTx, feed: FeedConfiguration): Promise<FeedRecipe | null> {
  const revision = await findSettledRevision(tx);
  if (revision === null) return null;
  const { name, community_ids: ids, module_ids, families, format, max_prefixes, when_too_many } = feed;
  const isWhole = ids.length + module_ids.length === 0;
  const communities = revision.communities.filter(({ community_id: id }) => ids.includes(id));
  return {
    ...{ name, revision_id: revision.id, number: revision.number },
    communities: isWhole ? null : communities.map(({ community }) => community).sort(),
    ...{ module_ids: [...module_ids].sort(), families, format, max_prefixes, when_too_many },
    fit: max_prefixes === null || when_too_many === 'fail' ? null : await readFit(tx),
  };
}

async function readFit(tx: TenantTx): Promise<FeedRecipe['fit']> {
  const guardrails = await readGuardrails(tx);
  return {
    max_added_percent: await getSetting(tx, 'fit_max_added_percent'),
    protected: [...new Set(guardrails.protected.map(({ prefix }) => prefix))].sort(),
    avoids_bogons: guardrails.bogons === 'drop',
    avoids_others: true,
  };
}

async function readStored(tx: TenantTx, recipe: FeedRecipe): Promise<StoredFeed> {
  const { revision_id: id, communities, module_ids: moduleIds, fit } = recipe;
  const revision = await findRevision(tx, id);
  const contentHash = revision?.content_hash ?? null;
  if (contentHash === null) throw new Error(`The revision ${id} of a feed has no content`);
  const inputs = moduleIds.length > 0 || fit !== null ? await listRevisionInputs(tx, id) : [];
  const modules: StoredFeed['modules'][number][] = [];
  const excluded: StoredFeed['excluded'][number][] = [];
  for (const { module_id: moduleId, families, left_out, purpose, content_hash: hashOfSnapshot } of inputs) {
    const isExcluding = purpose === 'exclude';
    const isDrawn = moduleIds.includes(moduleId);
    if (!isDrawn && !(isExcluding && fit !== null)) continue;
    const snapshot = await loadStored(tx, hashOfSnapshot);
    if (isDrawn) modules.push({ snapshot, families, left_out, isExcluding });
    if (isExcluding) excluded.push(snapshot);
  }
  return {
    recipe,
    revision: await loadStored(tx, contentHash),
    ...{ communities: communities ?? [], isWhole: communities === null, modules, excluded },
  };
}
