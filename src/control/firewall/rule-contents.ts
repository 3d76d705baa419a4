import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { FirewallRule } from '../../api/firewall/firewall-rules.ts';
import { canonicalJson } from '../../bundle/canonical-json.ts';
import { ValueCache } from '../../concurrency/value-cache.ts';
import { loadStored } from '../../store/contents/contents.ts';
import type { Database, TenantTx } from '../../store/database/database.ts';
import { listRevisionInputs } from '../../store/revisions/revision-history.ts';
import type { SetsByFamily } from '../tables/rule-sets.ts';
import { ruleSetsOf, type StoredSources } from '../tables/table-threads.ts';
import type { StoredRevision } from '../../store/revisions/stored-revisions.ts';

/** Some contents of a million prefixes. */
const CAPACITY_BYTES = 64 * 1024 * 1024;
/** A few hundred bytes each. */
const CAPACITY_NAMES = 20_000;

/** What of a rule decides which prefixes it lists. */
export type RuleDraws = Pick<FirewallRule, 'module_ids' | 'community_ids' | 'cidrs'>;

/** A set by the hash of its prefixes, and how many there are. */
export interface SetName {
  readonly hash: string;
  readonly size: number;
}

export interface SetNames {
  readonly ipv4: SetName;
  readonly ipv6: SetName;
}

/**
 * The prefixes that rules list, by tenant, revision and what they draw on: a revision never changes, so nothing here can be stale. The names of
 * sets are kept long, since every look asks for them; sets themselves until others need the room.
 */
export class RuleContents {
  readonly #db: Database;
  readonly #names = new LRUCache<string, SetNames>({ max: CAPACITY_NAMES });
  readonly #sets = new ValueCache<SetsByFamily>(
    CAPACITY_BYTES,
    ({ ipv4, ipv6 }) => ipv4.set.size * 5 + ipv6.set.size * 17,
  );

  constructor(db: Database) {
    this.#db = db;
  }

  /** @throws {Problem} `not_found` when the revision has been pruned */
  async names(tenantId: string, revision: StoredRevision | null, rule: RuleDraws): Promise<SetNames> {
    const key = keyOf(tenantId, revision, rule);
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const { ipv4, ipv6 } = await this.sets(tenantId, revision, rule);
    const names = {
      ipv4: { hash: ipv4.hash, size: ipv4.set.size },
      ipv6: { hash: ipv6.hash, size: ipv6.set.size },
    };
    this.#names.set(key, names);
    return names;
  }

  /** @throws {Problem} `not_found` when the revision has been pruned */
  sets(tenantId: string, revision: StoredRevision | null, rule: RuleDraws): Promise<SetsByFamily> {
    return this.#sets.load(keyOf(tenantId, revision, rule), async () => {
      const sources = await this.#db.inTenant(tenantId, (tx) => readSources(tx, revision, rule));
      return ruleSetsOf(sources);
    });
  }
}

function keyOf(tenantId: string, revision: StoredRevision | null, rule: RuleDraws): string {
  const { module_ids, community_ids, cidrs } = rule;
  const drawsOnRevision = module_ids.length + community_ids.length > 0;
  const of = drawsOnRevision ? (revision?.id ?? 'none') : 'any';
  return `${tenantId} ${of} ${hash('sha256', canonicalJson({ module_ids, community_ids, cidrs }))}`;
}

/** What is gone from the revision, or was never in it, contributes nothing. */
async function readSources(
  tx: TenantTx,
  revision: StoredRevision | null,
  rule: RuleDraws,
): Promise<StoredSources> {
  const { module_ids: moduleIds, community_ids: communityIds, cidrs } = rule;
  const none = { revision: null, communities: [], modules: [], cidrs };
  const contentHash = revision?.content_hash ?? null;
  if (revision === null || contentHash === null || moduleIds.length + communityIds.length === 0) return none;
  const inputs = moduleIds.length === 0 ? [] : await listRevisionInputs(tx, revision.id);
  const modules: StoredSources['modules'][number][] = [];
  for (const { module_id: id, purpose, families, left_out, content_hash: hashOfSnapshot } of inputs)
    if (moduleIds.includes(id)) {
      const snapshot = await loadStored(tx, hashOfSnapshot);
      modules.push({ snapshot, families, left_out, isExcluding: purpose === 'exclude' });
    }
  return {
    revision: await loadStored(tx, contentHash),
    communities: revision.communities
      .filter(({ community_id: id }) => communityIds.includes(id))
      .map(({ community }) => community),
    modules,
    cidrs,
  };
}
