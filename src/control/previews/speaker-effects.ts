import { isDeepStrictEqual } from 'node:util';
import { FAMILIES } from '../../core/address.ts';
import type { PeerEffect, SpeakerEffect } from '../../api/revisions/plan.ts';
import { grouped } from '../../api/shapes/grouped.ts';
import {
  type PeerRoutes,
  expectedRoutes,
  noRoutes,
  peerChanges,
  previewRoutes,
} from '../../speakers/exports/preview.ts';
import { presentNamedCost } from '../../speakers/exports/fitted-cost.ts';
import { RoutesVersion } from '../../speakers/routes-version.ts';
import { sessionChange } from '../../speakers/session-settings.ts';
import {
  EMPTY_ROUTES,
  type LimitedPeer,
  type RoutesModel,
  type SpeakerModel,
} from '../../speakers/speaker.ts';
import { countKept, keptRoutes } from '../../speakers/limited-peers.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { listRevisionsOnRouters } from '../../store/rollout/revisions-on-routers.ts';
import { listPeersOf } from '../../store/speakers/peers.ts';
import type { RouteAttributes } from '../../store/rollout/sent-attributes.ts';
import { listAllSpeakers } from '../../store/speakers/speakers.ts';
import type { SecretBox } from '../../store/secrets.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import { getSettings } from '../../store/tenants/settings.ts';
import { communityLabels } from '../models/community-labels.ts';
import { SESSION_SETTINGS, speakerModel } from '../models/speaker-model.ts';
import { tableCache } from '../tables/table-cache.ts';
import { fitPeers } from '../../speakers/fit-peers.ts';
import { readFitRulesOf } from '../peer-routes/fit-rules.ts';
import { loadLimited } from '../peer-routes/limited-routes.ts';
import { loadRoutes } from '../peer-routes/load-routes.ts';
import { previewReverted, withReverted } from '../peer-routes/reverted-routes.ts';
import { currentAttributes } from '../peer-routes/route-attributes.ts';

/** A speaker as it is to run, and what it announces. */
export interface ModelledSpeaker {
  readonly model: SpeakerModel;
  readonly name: string;
  /** The revision that its routers have, or are being brought to. */
  readonly appliedId: string | null;
  readonly isOnNode: boolean;
}

/** All that says how speakers announce their routes, beside the routes themselves. */
export interface Modelled {
  readonly speakers: readonly ModelledSpeaker[];
  readonly attributes: RouteAttributes;
}

/** Enabled speakers as their daemons would get them now. */
export async function readSpeakerModels(
  tx: TenantTx,
  secrets: SecretBox,
  maximum: number,
): Promise<Modelled> {
  const speakers = (await listAllSpeakers(tx)).filter(({ enabled }) => enabled).slice(0, maximum);
  const onRouters = await listRevisionsOnRouters(tx);
  const communities = await listAllCommunities(tx);
  const labels = communityLabels(communities, []);
  const sources = await getSettings(tx, SESSION_SETTINGS);
  const models: ModelledSpeaker[] = [];
  for (const speaker of speakers) {
    const peers = await listPeersOf(tx, speaker.id, secrets);
    models.push({
      model: speakerModel(tx.tenantId, speaker, peers, labels, sources),
      name: speaker.name,
      appliedId: onRouters.get(speaker.id) ?? null,
      isOnNode: speaker.mode === 'agent',
    });
  }
  return { speakers: models, attributes: await currentAttributes(tx, communities) };
}

/** What an apply would come to bring that this write asks for. */
interface Coming {
  /** Null: what is applied stays everywhere. */
  readonly revisionOf: ComingRevision | null;
  /** All speakers are to get once more what they run, with the present attributes. */
  readonly reapplies: boolean;
}

/** The id of the revision that a speaker, by its id, would come to run; null: what it runs stays. */
export type ComingRevision = (speakerId: string) => string | null;

/**
 * What each speaker, and each of its peers, would announce otherwise.
 * @param sent by the speaker, before all of it; others were sent what there was then
 */
export async function speakerEffects(
  tx: TenantTx,
  before: Modelled,
  after: Modelled,
  { revisionOf, reapplies }: Coming,
  sent: ReadonlyMap<string, RouteAttributes>,
): Promise<SpeakerEffect[]> {
  const read = routesReaders(tx);
  // A change of what a community or a peer is leads to an apply of what all speakers run.
  const isForAll = reapplies || !isDeepStrictEqual(before, after);
  const ids = new Set([...before.speakers, ...after.speakers].map(({ model }) => model.speakerId));
  const effects: SpeakerEffect[] = [];
  for (const id of ids) {
    const was = before.speakers.find(({ model }) => model.speakerId === id);
    const is = after.speakers.find(({ model }) => model.speakerId === id);
    const isSame = was !== undefined && is !== undefined && isDeepStrictEqual(was.model, is.model);
    const nextId = revisionOf?.(id) ?? null;
    const now = sent.get(id) ?? before.attributes;
    const then = nextId !== null || isForAll ? after.attributes : now;
    if (nextId === null && isSame && isDeepStrictEqual(now, then)) continue;
    const running = await read(was?.appliedId ?? null, now);
    const coming = is === undefined ? noRoutes() : await read(nextId ?? is.appliedId, then);
    const { outcome } = previewRoutes({ ...(is ?? was)!.model, peers: [] }, coming, running);
    const peersNow = await sentNow(tx, was, running);
    const peers = comparePeers(peersNow, await sentTo(tx, is, coming, peersNow));
    if (outcome.announced + outcome.withdrawn + outcome.changed + peers.length === 0) continue;
    const { announced, withdrawn, changed } = outcome;
    effects.push({ speaker_id: id, name: (is ?? was)!.name, announced, withdrawn, changed, peers });
  }
  return effects;
}

/** Routes of revisions with these attributes, each read once, as the tenant's policy limits them then. */
export function routesReaders(
  tx: TenantTx,
): (id: string | null, attributes: RouteAttributes) => Promise<RoutesVersion> {
  const versions = new Map<string, RoutesVersion>();
  // Most speakers share them, and communities may be many.
  const texts = new Map<RouteAttributes, string>();
  const textOf = (attributes: RouteAttributes): string => {
    const text = texts.get(attributes) ?? JSON.stringify(attributes);
    texts.set(attributes, text);
    return text;
  };
  return async (id, attributes) => {
    const key = id === null ? '' : `${id} ${textOf(attributes)}`;
    const known = versions.get(key);
    if (known !== undefined) return known;
    const made =
      id === null
        ? noRoutes()
        : new RoutesVersion(await loadRoutes(tx, id, (hash) => tableCache.load(tx, hash), attributes));
    versions.set(key, made);
    return made;
  };
}

export type Sent = ReadonlyMap<
  string,
  PeerRoutes & {
    readonly counts: PeerEffect['after'];
    /** What it has by that. */
    readonly held: LimitedPeer;
    /** The same as routes, where it is over its limit; null: it is not, or nobody knows. */
    readonly kept: (() => RoutesVersion) | null;
    /** What a cover would stand for. */
    readonly whole: RoutesVersion;
  } & Pick<PeerEffect, 'fitted' | 'unfitted' | 'unfitted_cost'>
>;

export async function sentNow(
  tx: TenantTx,
  speaker: ModelledSpeaker | undefined,
  running: RoutesVersion,
): Promise<Sent> {
  if (speaker === undefined) return new Map();
  const { model, isOnNode } = speaker;
  const whole = await withReverted(tx, model, running.model);
  const rules = await readFitRulesOf(tx, { model, isOnNode }, running.model.revisionId || null);
  // A node keeps to itself what peers over their limit hold.
  const limited = isOnNode ? [] : await loadLimited(tx, model.speakerId);
  // What a cover costs was allowed when it was sent.
  const allowed = rules === null ? null : { ...rules, maxAddedPercent: Infinity };
  const fitted = await fitPeers(model, { ...whole, limited }, allowed);
  return sentOf(model, running, fitted, (id) => fitted.limited?.find(({ peerId }) => peerId === id));
}

async function sentTo(
  tx: TenantTx,
  speaker: ModelledSpeaker | undefined,
  coming: RoutesVersion,
  now: Sent,
): Promise<Sent> {
  if (speaker === undefined) return new Map();
  const { model, appliedId, isOnNode } = speaker;
  const whole = await previewReverted(tx, model, coming.model, appliedId);
  const rules = await readFitRulesOf(tx, { model, isOnNode }, coming.model.revisionId || null);
  return sentOf(model, coming, await fitPeers(model, whole, rules), (id) =>
    isOnNode ? undefined : (now.get(id)?.held ?? { ...ALL, peerId: id, held: EMPTY_ROUTES }),
  );
}

const ALL = { labels: null, families: FAMILIES };

/**
 * @param fitted the routes, with what single peers hold or are sent instead
 * @param heldBy what a peer goes on with that is over its limit; undefined: nobody knows
 */
function sentOf(
  model: SpeakerModel,
  routes: RoutesVersion,
  fitted: RoutesModel,
  heldBy: (peerId: string) => LimitedPeer | undefined,
): Sent {
  const version = isPlain(fitted) ? routes : new RoutesVersion(fitted);
  const expected = expectedRoutes(model, version);
  return new Map(
    model.peers.map((peer, index) => {
      const { routes: all, fitted: added, unfittedCost, limit, ...one } = expected[index]!;
      const unfitted = one.unfitted ?? overLimitText(all, limit);
      const own = version.forPeer(peer.id).model;
      const { id: peerId, labels, families } = peer;
      const kept = limit === null ? undefined : heldBy(peerId);
      const sent = {
        ...{ model, peer, routes: version, whole: routes, unfitted },
        counts: kept === undefined ? { ...all } : countKept(model, peer, kept, own),
        held: kept ?? { peerId, held: own, labels, families },
        kept: kept === undefined ? null : () => new RoutesVersion(keptRoutes(model, peer, kept, own)),
        fitted: added === null ? null : presentNamedCost(added),
        unfitted_cost: unfittedCost === null ? null : presentNamedCost(unfittedCost),
      };
      return [peerId, sent] as const;
    }),
  );
}

/** Whether all peers are sent the routes themselves. */
function isPlain({ reverted = [], fitted = [], unfitted = [] }: RoutesModel): boolean {
  return reverted.length + fitted.length + unfitted.length === 0;
}

/** Why a peer without a cover is sent less than these routes; null: it is sent all of them. */
function overLimitText(counts: PeerEffect['after'], limit: number | null): string | null {
  return limit === null
    ? null
    : `${grouped(total(counts))} routes are more than its limit, ${grouped(limit)}`;
}

const NONE = { ipv4: 0, ipv6: 0 };

/** The peers that are sent other routes, or get another session. */
export function comparePeers(before: Sent, after: Sent): PeerEffect[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].flatMap((id) => {
    const [was, is] = [before.get(id), after.get(id)];
    const effect = {
      peer_id: id,
      name: (is ?? was)!.peer.name,
      before: was?.counts ?? NONE,
      after: is?.counts ?? NONE,
      ...changesOf(was, is),
      ...{ fitted_before: was?.fitted ?? null, fitted: is?.fitted ?? null, unfitted: is?.unfitted ?? null },
      unfitted_cost: is?.unfitted_cost ?? null,
      session: sessionEffect(was, is),
    };
    const isSame =
      effect.session === 'same' &&
      (effect.updated === 0 || (effect.unfitted !== null && is?.kept === null)) &&
      effect.withdrawn === 0 &&
      isDeepStrictEqual(effect.before, effect.after) &&
      isDeepStrictEqual(effect.fitted, was?.fitted ?? null) &&
      effect.unfitted === (was?.unfitted ?? null);
    return isSame ? [] : [effect];
  });
}

type One = ReturnType<Sent['get']>;

/** What it would be sent that it has not, and would lose. */
function changesOf(was: One, is: One): Pick<PeerEffect, 'updated' | 'withdrawn' | 'lost'> {
  const [had, has] = [total(was?.counts ?? NONE), total(is?.counts ?? NONE)];
  if (was === undefined || is === undefined) return { updated: has, withdrawn: had, lost: had };
  if (is.kept !== null) {
    // One over its limit is sent nothing new: what takes the place of its routes, or other attributes of what it keeps.
    const { updated, withdrawn } = peerChanges(
      { ...was, routes: was.kept?.() ?? was.routes },
      { ...is, routes: is.kept() },
    );
    return { updated, withdrawn, lost: withdrawn };
  }
  const { updated, withdrawn: gone } = peerChanges(was, is);
  // One over its limit has fewer routes than it is sent, and of these it loses what it had.
  const fewer = Math.max(0, had - has);
  const withdrawn = is.unfitted === null ? Math.min(had, Math.max(gone, fewer)) : fewer;
  const isCover = was.fitted !== null || is.fitted !== null;
  if (is.unfitted !== null) return { updated: Math.min(updated, has), withdrawn, lost: withdrawn };
  if (!isCover) return { updated, withdrawn, lost: withdrawn };
  // What a cover adds belongs to no list, so that nobody loses it: what it stands for is compared.
  const { withdrawn: lost } = peerChanges({ ...was, routes: was.whole }, { ...is, routes: is.whole });
  return { updated, withdrawn, lost: Math.min(withdrawn, lost) };
}

function sessionEffect(was: One, is: One): PeerEffect['session'] {
  if (was === undefined || is === undefined) return 'same';
  return sessionChange({ speaker: was.model, peer: was.peer }, { speaker: is.model, peer: is.peer });
}

function total({ ipv4, ipv6 }: PeerEffect['after']): number {
  return ipv4 + ipv6;
}
