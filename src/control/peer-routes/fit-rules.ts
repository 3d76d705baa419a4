/** What the tenant lets covers be that are sent to peers over their `max_prefixes_out` (speakers/fit-peers.ts). */
import type { ForbiddenAddresses } from '../../core/fitting/forbidden-addresses.ts';
import type { FitRules } from '../../speakers/fit-peers.ts';
import type { SpeakerModel } from '../../speakers/speaker.ts';
import { countContentRows, loadStored } from '../../store/contents/contents.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listRevisionInputs } from '../../store/revisions/revision-history.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { readGuardrails } from '../guards/guardrails.ts';
import { fitRoutesOf } from '../tables/table-threads.ts';

/** Excluded prefixes that a bundle has room for: each takes some twenty bytes of the 16 MiB that `speaker.json` may have. */
const MOST_EXCLUDED_ON_NODE = 200_000;

/** The rules, without the contents that are excluded. */
export interface FitRuling {
  readonly maxAddedPercent: number;
  /** Of the tenant; in the order of texts. */
  readonly protected: readonly string[];
  /** Of the machine that this process runs on. */
  readonly own: readonly string[];
  readonly avoidsBogons: boolean;
  readonly allowed: readonly string[] | null;
  readonly shortest: FitRules['shortest'];
  /** Contents, by hash. */
  readonly excluded: readonly string[];
}

/** As the tenant has them now. Null: no peer of these models has anything fitted. */
export async function readFitRules(
  tx: TenantTx,
  models: readonly SpeakerModel[],
  revisionId: string | null,
): Promise<FitRules | null> {
  if (!hasFittingPeers(models)) return null;
  return rulesOf(tx, await readFitRuling(tx, revisionId));
}

/** {@link readFitRules} of a speaker, which may be on a node: null as well where a bundle has no room for them. */
export async function readFitRulesOf(
  tx: TenantTx,
  { model, isOnNode }: { readonly model: SpeakerModel; readonly isOnNode: boolean },
  revisionId: string | null,
): Promise<FitRules | null> {
  if (!hasFittingPeers([model])) return null;
  const ruling = await readFitRuling(tx, revisionId);
  return isOnNode && !(await hasRoomOnNode(tx, ruling)) ? null : rulesOf(tx, ruling);
}

export function hasFittingPeers(models: readonly SpeakerModel[]): boolean {
  return models.some(({ peers }) => peers.some(({ fits }) => fits === true));
}

/** @param revisionId whose routes are covered; null: there are none */
export async function readFitRuling(tx: TenantTx, revisionId: string | null): Promise<FitRuling> {
  const { protected: all, bogons, minLength, policy } = await readGuardrails(tx);
  const inputs = revisionId === null ? [] : await listRevisionInputs(tx, revisionId);
  const excluding = inputs.filter(({ purpose }) => purpose === 'exclude');
  const own = tx.ownAddresses ?? [];
  return {
    maxAddedPercent: await getSetting(tx, 'fit_max_added_percent'),
    protected: all
      .filter(({ isOfService }) => isOfService !== true)
      .map(({ prefix }) => prefix)
      .sort(),
    own: own.map(({ prefix }) => prefix),
    avoidsBogons: bogons === 'drop',
    allowed: policy.prefixes,
    // No cover is a default route.
    shortest: { ipv4: Math.max(1, minLength.ipv4), ipv6: Math.max(1, minLength.ipv6) },
    excluded: excluding.map(({ content_hash: hash }) => hash),
  };
}

export async function hasRoomOnNode(tx: TenantTx, { excluded }: FitRuling): Promise<boolean> {
  return excluded.length === 0 || (await countContentRows(tx, excluded)) <= MOST_EXCLUDED_ON_NODE;
}

/** What no cover takes in, with the contents read. */
export async function forbiddenBy(
  tx: TenantTx,
  { protected: some, own, avoidsBogons, allowed, excluded: hashes }: FitRuling,
): Promise<ForbiddenAddresses> {
  const excluded: ForbiddenAddresses['excluded'][number][] = [];
  for (const hash of hashes) excluded.push((await loadStored(tx, hash)).stored);
  return { protected: [...some, ...own], excluded, avoidsBogons, allowed };
}

async function rulesOf(tx: TenantTx, ruling: FitRuling): Promise<FitRules> {
  const { maxAddedPercent, shortest } = ruling;
  return { maxAddedPercent, shortest, forbidden: await forbiddenBy(tx, ruling), fit: fitRoutesOf };
}
