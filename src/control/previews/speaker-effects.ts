import { isDeepStrictEqual } from 'node:util';
import type { PeerEffect, SpeakerEffect } from '../../api/revisions/plan.ts';
import type { Speaker } from '../../api/speakers/speakers.ts';
import {
  type PeerRoutes,
  expectedRoutes,
  noRoutes,
  previewRoutes,
  updatedRoutes,
} from '../../speakers/exports/preview.ts';
import { presentNamedCost } from '../../speakers/exports/fitted-cost.ts';
import { RoutesVersion } from '../../speakers/routes-version.ts';
import { sessionChange } from '../../speakers/session-settings.ts';
import type { RoutesModel, SpeakerModel } from '../../speakers/speaker.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listPeersOf } from '../../store/speakers/peers.ts';
import { listAllSpeakers } from '../../store/speakers/speakers.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import { getSettings } from '../../store/tenants/settings.ts';
import { type CommunityNextHops, communityLabels } from '../models/community-labels.ts';
import { SESSION_SETTINGS, speakerModel } from '../models/speaker-model.ts';
import { tableCache } from '../tables/table-cache.ts';
import { fitPeers } from '../../speakers/fit-peers.ts';
import { readFitRulesOf } from '../peer-routes/fit-rules.ts';
import { loadRoutes } from '../peer-routes/load-routes.ts';
import { previewReverted, withReverted } from '../peer-routes/reverted-routes.ts';

/** A speaker as it is to run, and what it announces. */
export interface ModelledSpeaker {
  readonly model: SpeakerModel;
  readonly name: string;
  readonly appliedId: string | null;
  readonly isOnNode: boolean;
}

/** All that says how speakers announce their routes, beside the routes themselves. */
export interface Modelled {
  readonly speakers: readonly ModelledSpeaker[];
  readonly nextHops: readonly CommunityNextHops[];
}

/** Enabled speakers as their daemons would get them now. */
export async function readSpeakerModels(
  tx: TenantTx,
  secrets: SecretBox,
  maximum: number,
): Promise<Modelled> {
  const speakers = (await listAllSpeakers(tx)).filter(({ enabled }) => enabled).slice(0, maximum);
  const communities = await listAllCommunities(tx);
  const labels = communityLabels(communities, []);
  const sources = await getSettings(tx, SESSION_SETTINGS);
  const models: ModelledSpeaker[] = [];
  for (const speaker of speakers) {
    const peers = await listPeersOf(tx, speaker.id, secrets);
    models.push({
      model: speakerModel(tx.tenantId, speaker, peers, labels, sources),
      ...appliedTo(speaker),
    });
  }
  const nextHops = communities.map(({ id, next_hop_ipv4, next_hop_ipv6 }) => ({
    ...{ id, next_hop_ipv4, next_hop_ipv6 },
  }));
  return { speakers: models, nextHops };
}

function appliedTo({ name, mode, applied_revision_id: appliedId }: Speaker): Omit<ModelledSpeaker, 'model'> {
  return { name, appliedId, isOnNode: mode === 'agent' };
}

/** The id of the revision that a speaker, by its id, would come to run; null: what it runs stays. */
export type ComingRevision = (speakerId: string) => string | null;

/**
 * What each speaker, and each of its peers, would announce otherwise.
 * @param comingTo null: what is applied stays everywhere
 */
export async function speakerEffects(
  tx: TenantTx,
  before: Modelled,
  after: Modelled,
  comingTo: ComingRevision | null,
): Promise<SpeakerEffect[]> {
  const isSameWire = isDeepStrictEqual(before.nextHops, after.nextHops);
  const then = routesReader(tx, before.nextHops);
  const now = isSameWire ? then : routesReader(tx, after.nextHops);
  const ids = new Set([...before.speakers, ...after.speakers].map(({ model }) => model.speakerId));
  const effects: SpeakerEffect[] = [];
  for (const id of ids) {
    const was = before.speakers.find(({ model }) => model.speakerId === id);
    const is = after.speakers.find(({ model }) => model.speakerId === id);
    const isSame = was !== undefined && is !== undefined && isDeepStrictEqual(was.model, is.model);
    const nextId = comingTo?.(id) ?? null;
    if (nextId === null && isSame && isSameWire) continue;
    const running = await then(was?.appliedId ?? null);
    const coming = is === undefined ? noRoutes() : await now(nextId ?? is.appliedId);
    const { outcome } = previewRoutes({ ...(is ?? was)!.model, peers: [] }, coming, running);
    const peers = comparePeers(await sentNow(tx, was, running), await sentTo(tx, is, coming));
    if (outcome.announced + outcome.withdrawn + outcome.changed + peers.length === 0) continue;
    const { announced, withdrawn, changed } = outcome;
    effects.push({ speaker_id: id, name: (is ?? was)!.name, announced, withdrawn, changed, peers });
  }
  return effects;
}

/** Routes of revisions, each read once, with these next hops of communities. */
function routesReader(
  tx: TenantTx,
  nextHops: readonly CommunityNextHops[],
): (id: string | null) => Promise<RoutesVersion> {
  const versions = new Map<string | null, RoutesVersion>([[null, noRoutes()]]);
  return async (id) => {
    const known = versions.get(id);
    if (known !== undefined) return known;
    const routes = await loadRoutes(tx, id!, (hash) => tableCache.load(tx, hash), nextHops);
    const made = new RoutesVersion(routes);
    versions.set(id, made);
    return made;
  };
}

type Sent = ReadonlyMap<
  string,
  PeerRoutes & { readonly counts: PeerEffect['after'] } & Pick<
      PeerEffect,
      'fitted' | 'unfitted' | 'unfitted_cost'
    >
>;

async function sentNow(
  tx: TenantTx,
  speaker: ModelledSpeaker | undefined,
  running: RoutesVersion,
): Promise<Sent> {
  if (speaker === undefined) return new Map();
  // What a cover costs was allowed when it was sent.
  return sentOf(tx, speaker, running, await withReverted(tx, speaker.model, running.model), Infinity);
}

async function sentTo(
  tx: TenantTx,
  speaker: ModelledSpeaker | undefined,
  coming: RoutesVersion,
): Promise<Sent> {
  if (speaker === undefined) return new Map();
  const { model, appliedId } = speaker;
  return sentOf(tx, speaker, coming, await previewReverted(tx, model, coming.model, appliedId));
}

/**
 * @param whole with what reverted peers hold instead
 * @param maxAddedPercent of a cover, if not as the setting has it
 */
async function sentOf(
  tx: TenantTx,
  { model, isOnNode }: ModelledSpeaker,
  routes: RoutesVersion,
  whole: RoutesModel,
  maxAddedPercent?: number,
): Promise<Sent> {
  const rules = await readFitRulesOf(tx, { model, isOnNode }, routes.model.revisionId || null);
  const fitted = await fitPeers(
    model,
    whole,
    rules === null ? null : { ...rules, maxAddedPercent: maxAddedPercent ?? rules.maxAddedPercent },
  );
  const version = fitted === routes.model ? routes : new RoutesVersion(fitted);
  const expected = expectedRoutes(model, version);
  return new Map(
    model.peers.map((peer, index) => {
      const { routes: counts, fitted, unfittedCost, ...one } = expected[index]!;
      const unfitted = one.unfitted ?? overLimitText(counts, one.limit);
      const cost = fitted === null ? null : presentNamedCost(fitted);
      const unfitted_cost = unfittedCost === null ? null : presentNamedCost(unfittedCost);
      const sent = {
        model,
        peer,
        routes: version,
        counts: { ...counts },
        fitted: cost,
        unfitted,
        unfitted_cost,
      };
      return [peer.id, sent] as const;
    }),
  );
}

/** Why a peer without a cover is sent less than these routes; null: it is sent all of them. */
function overLimitText(counts: PeerEffect['after'], limit: number | null): string | null {
  return limit === null ? null : `${total(counts)} routes are more than its limit, ${limit}`;
}

const NONE = { ipv4: 0, ipv6: 0 };

function comparePeers(before: Sent, after: Sent): PeerEffect[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].flatMap((id) => {
    const [was, is] = [before.get(id), after.get(id)];
    const effect = {
      peer_id: id,
      name: (is ?? was)!.peer.name,
      before: was?.counts ?? NONE,
      after: is?.counts ?? NONE,
      updated: was === undefined || is === undefined ? total(is?.counts ?? NONE) : updatedRoutes(was, is),
      ...{ fitted: is?.fitted ?? null, unfitted: is?.unfitted ?? null },
      unfitted_cost: is?.unfitted_cost ?? null,
      session: sessionEffect(was, is),
    };
    const isSame =
      effect.session === 'same' &&
      (effect.updated === 0 || effect.unfitted !== null) &&
      isDeepStrictEqual(effect.before, effect.after) &&
      isDeepStrictEqual(effect.fitted, was?.fitted ?? null) &&
      effect.unfitted === (was?.unfitted ?? null);
    return isSame ? [] : [effect];
  });
}

function sessionEffect(was: ReturnType<Sent['get']>, is: ReturnType<Sent['get']>): PeerEffect['session'] {
  if (was === undefined || is === undefined) return 'same';
  return sessionChange({ speaker: was.model, peer: was.peer }, { speaker: is.model, peer: is.peer });
}

function total({ ipv4, ipv6 }: PeerEffect['after']): number {
  return ipv4 + ipv6;
}
