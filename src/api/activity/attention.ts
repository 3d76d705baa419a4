/** What of a tenant needs somebody: the overview of the console and `prefixcast status` say the same. */
import { lacksCanary } from './canary-speakers.ts';
import { hasNoNode } from './no-node.ts';
import type {
  Feed,
  FirewallHost,
  HeldDeleted,
  Job,
  Module,
  Peer,
  Revision,
  Seen,
  Session,
  Speaker,
  Webhook,
} from './seen.ts';

interface FailedApply {
  readonly jobId: string;
  readonly detail: string;
}

/** What somebody should look at. */
export type Attention =
  | { readonly kind: 'held-module'; readonly module: Module }
  /** It stays in revisions although it was deleted. */
  | { readonly kind: 'held-deleted'; readonly held: HeldDeleted }
  | { readonly kind: 'held-revision'; readonly revision: Revision }
  | { readonly kind: 'frozen' }
  | { readonly kind: 'failing'; readonly module: Module }
  | {
      readonly kind: 'unreachable' | 'not-enrolled';
      readonly speaker: Speaker;
      /** What its node takes by itself when it is back: an apply of it has begun. */
      readonly awaits?: Revision;
    }
  /** It is reported, and something is wrong with it as a whole: `live.error` says what. */
  | { readonly kind: 'speaker-fault'; readonly speaker: Speaker }
  /** It is disabled, and has not ended these sessions yet. */
  | { readonly kind: 'ending'; readonly speaker: Speaker; readonly peers: readonly StillAnnounced[] }
  | {
      /**
       * `holds-nothing`: it has a session, and neither new routes nor old ones. `sent-less`: it has one, and is not sent some routes, as those of a family
       * without a next hop, or over its limit.
       */
      readonly kind: 'session-down' | 'reverted' | 'holds-nothing' | 'sent-less';
      readonly speaker: Speaker;
      readonly peerId: string;
      readonly peer: string;
      readonly error: string | null;
      readonly since: string;
      /** It could not take what the speaker runs, and is sent what it held before once it has a session. */
      readonly isReverted: boolean;
    }
  /** Enabled peers that nobody announces anything to, since all of their speakers are disabled, or there is none. */
  | { readonly kind: 'no-speaker'; readonly speakers: readonly Speaker[]; readonly peers: readonly Peer[] }
  /** Applies are to go to these first, and none of them can take a revision: the next one comes to nobody. */
  | { readonly kind: 'no-canary'; readonly canaries: readonly Speaker[] }
  | { readonly kind: 'apply-failed'; readonly speaker: Speaker }
  | {
      readonly kind: 'not-applied';
      readonly speaker: Speaker;
      readonly revision: Revision;
      /** Why the apply of it ended at the canaries, which went back, and so went to no other speaker; null: it did not. */
      readonly canaryFault: string | null;
      /** The last apply of it, where that has failed as a whole, and why; null: it has not, or a freeze has stopped it. */
      readonly failedApply: FailedApply | null;
    }
  /** It has not reported for long, or could not apply its rules, and keeps those that it had before. */
  | { readonly kind: 'host-unreachable' | 'host-failed'; readonly host: FirewallHost }
  /** Its receiver does not take what it is sent, and all that comes waits; or the service has disabled it for that. */
  | { readonly kind: 'webhook-failing'; readonly webhook: Webhook }
  /** What it is to serve could not be made: it serves its last content, or nothing where it has had none. */
  | { readonly kind: 'feed-failing'; readonly feed: Feed }
  | { readonly kind: 'running'; readonly job: Job }
  | { readonly kind: 'pending'; readonly edits: number };

/** The most urgent first. What is only under way comes last, and is no fault. */
export function attentionOf(seen: Seen): Attention[] {
  const enabled = seen.speakers.filter((speaker) => speaker.enabled);
  const sessions = enabled.flatMap((speaker) =>
    (speaker.live?.sessions ?? []).map((session) => ({ speaker, session })),
  );
  const running = seen.applies.filter(({ state }) => state === 'running' || state === 'queued');
  const behind =
    running.length > 0
      ? []
      : notApplied(
          seen,
          enabled.filter((speaker) => !hasNoNode(speaker) && !isAwaiting(seen, speaker)),
        );
  return [
    ...seen.heldRevisions
      .filter(({ number }) => number > (seen.latest?.number ?? 0))
      .map((revision) => ({ kind: 'held-revision' as const, revision })),
    ...seen.modules
      .filter(({ held }) => held !== null)
      .map((module) => ({ kind: 'held-module' as const, module })),
    ...heldDeleted(seen),
    ...(seen.isFrozen ? [{ kind: 'frozen' as const }] : []),
    ...enabled
      .filter(({ live }) => live?.reachable !== true)
      .map((speaker) => ({
        ...{ kind: hasNoNode(speaker) ? ('not-enrolled' as const) : ('unreachable' as const), speaker },
        ...(isAwaiting(seen, speaker) ? { awaits: seen.latest! } : {}),
      })),
    ...enabled
      .filter(({ live }) => live?.reachable === true && typeof live.error === 'string')
      .map((speaker) => ({ kind: 'speaker-fault' as const, speaker })),
    ...seen.speakers.filter((speaker) => !speaker.enabled).flatMap(ofDisabled),
    ...withoutSpeaker(seen),
    ...sessions.flatMap(({ speaker, session }) => ofSession(speaker, session)),
    ...withoutCanary(seen, behind),
    ...behind,
    ...seen.hosts.flatMap(ofHost),
    ...seen.modules
      .filter(
        ({ last_refresh, enabled: isOn }) => isOn && last_refresh !== null && last_refresh.status !== 'ok',
      )
      .map((module) => ({ kind: 'failing' as const, module })),
    ...(seen.webhooks ?? [])
      .filter(isFailing)
      .map((webhook) => ({ kind: 'webhook-failing' as const, webhook })),
    ...(seen.feeds ?? [])
      .filter(({ enabled: isOn, status }) => isOn && (status === 'failed' || status === 'stale'))
      .map((feed) => ({ kind: 'feed-failing' as const, feed })),
    ...running.map((job) => ({ kind: 'running' as const, job })),
    ...(seen.pendingEdits > 0 ? [{ kind: 'pending' as const, edits: seen.pendingEdits }] : []),
  ];
}

/** Whether its node is away, and takes the latest revision when it is back: nothing that somebody types brings it there before. */
function isAwaiting({ latest, applies }: Seen, { mode, live, last_apply: last }: Speaker): boolean {
  if (mode !== 'agent' || live?.reachable === true || last?.status !== 'running') return false;
  const job = applies.find(({ id }) => id === last.job_id);
  return latest !== undefined && job?.resource?.id === latest.id;
}

/** A peer that a disabled speaker announces to as far as anybody knows. */
interface StillAnnounced {
  readonly id: string;
  readonly name: string;
  readonly routes: number;
}

function stillAnnounced({ live }: Pick<Speaker, 'live'>): StillAnnounced[] {
  const up = (live?.sessions ?? []).filter(({ state }) => state === 'established');
  const known = (live?.last_known_sessions ?? []).filter((session) => session.was_established);
  return [...up, ...known].map(({ peer_id: id, peer_name: name, routes_exported: routes }) => {
    return { id, name, routes };
  });
}

/** What it ran last is announced until its node has said that it is not: a node that is out of reach knows nothing of it. */
function ofDisabled(speaker: Speaker): Attention[] {
  const peers = stillAnnounced(speaker);
  if (peers.length === 0) return [];
  const isAway = speaker.live?.last_known_sessions?.some((session) => session.was_established) === true;
  return [isAway ? { kind: 'unreachable', speaker } : { kind: 'ending', speaker, peers }];
}

/** One that could not take the routes has often closed its session: that is one event, and it holds no routes while it is away. */
function ofSession(
  speaker: Speaker,
  { peer_id: peerId, peer_name: peer, state, since, last_error, reverted }: Session,
): Attention[] {
  const about = { speaker, peerId, peer, isReverted: reverted !== null };
  if (state !== 'established')
    return [{ kind: 'session-down', ...about, since, error: reverted?.error ?? last_error }];
  // Of a session that is up, an error is what keeps the peer from having all of its routes.
  if (reverted === null)
    return last_error === null ? [] : [{ kind: 'sent-less', ...about, since, error: last_error }];
  const kind = reverted.revision_id === null ? 'holds-nothing' : 'reverted';
  return [{ kind, ...about, since: reverted.since, error: reverted.error }];
}

/** One that has never reported has no rules yet that could be old. */
function ofHost(host: FirewallHost): Attention[] {
  if (!host.online) return host.last_seen_at === null ? [] : [{ kind: 'host-unreachable', host }];
  return host.status === 'failed' || host.status === 'reverted' ? [{ kind: 'host-failed', host }] : [];
}

/** An operator who disables one leaves no error behind. */
function isFailing({ status, last_error: error }: Webhook): boolean {
  return status === 'failing' || (status === 'disabled' && error !== null);
}

/** Whether some peer may have no speaker. */
export function needsPeers(speakers: readonly Pick<Speaker, 'enabled'>[]): boolean {
  return speakers.length === 0 || speakers.some(({ enabled }) => !enabled);
}

/** Where an apply has failed for it already, that says so. */
function withoutCanary({ speakers, canaryIds = [] }: Seen, behind: readonly Attention[]): Attention[] {
  const isSaid = behind.some((item) => item.kind === 'not-applied' && item.canaryFault !== null);
  if (isSaid || !lacksCanary(canaryIds, speakers)) return [];
  return [{ kind: 'no-canary', canaries: speakers.filter(({ id }) => canaryIds.includes(id)) }];
}

/** Whether no router is to have the lists: nothing is wrong then, and nothing is announced. Of a speaker that nobody reports, that is not known. */
export function hasNoRouter({ speakers, peers }: Pick<Seen, 'speakers' | 'peers'>): boolean {
  if (peers.some(({ enabled }) => enabled)) return false;
  return speakers.every(
    ({ enabled, live }) => !enabled || (live?.reachable === true && live.sessions.length === 0),
  );
}

/** Together where they are of the same speakers: one of them may have a thousand. Those that a disabled speaker still announces to have routes. */
function withoutSpeaker({ speakers, peers }: Seen): Attention[] {
  const bySpeakers = new Map<string, { speakers: Speaker[]; peers: Peer[] }>();
  for (const peer of peers) {
    const { speaker_ids: ids } = peer;
    const own = ids.length === 0 ? speakers : speakers.filter(({ id }) => ids.includes(id));
    // Speakers that its peers name are not deleted: one that is not there has been read later than the peer.
    const isGone = own.length === 0 && ids.length > 0;
    if (!peer.enabled || isGone || own.some(({ enabled }) => enabled)) continue;
    if (own.some((speaker) => stillAnnounced(speaker).some(({ id }) => id === peer.id))) continue;
    const name = own.map(({ id }) => id).join(' ');
    const found = bySpeakers.get(name) ?? { speakers: [...own], peers: [] };
    bySpeakers.set(name, { ...found, peers: [...found.peers, peer] });
  }
  return [...bySpeakers.values()].map((found) => ({ kind: 'no-speaker', ...found }));
}

function heldDeleted({ latest, modules }: Seen): Attention[] {
  if (latest === undefined) return [];
  const present = new Set(modules.map(({ id }) => id));
  return latest.quarantined
    .filter(({ module_id }) => !present.has(module_id))
    .map((held) => ({ kind: 'held-deleted' as const, held }));
}

/** Speakers that do not announce what is there to be announced, while nothing brings it to them. */
function notApplied({ latest, revisions, applies }: Seen, enabled: readonly Speaker[]): Attention[] {
  if (latest === undefined) return [];
  const last = applies.find(({ resource }) => resource?.type === 'revision');
  const fault = last?.resource?.id === latest.id ? last.error : null;
  const canaryFault = fault?.code === 'canary_failed' ? fault.detail : null;
  const failedApply =
    last === undefined || fault === null || fault.code === 'deploy_frozen'
      ? null
      : { jobId: last.id, detail: fault.detail };
  const contentOf = (id: string | null) => revisions.find((revision) => revision.id === id)?.content_hash;
  return enabled.flatMap((speaker): Attention[] => {
    const { applied_revision_id: id, last_apply } = speaker;
    const runs = contentOf(id);
    // A revision that is too old is not known any more.
    if (id === latest.id || runs === latest.content_hash || (id !== null && runs === undefined)) return [];
    return last_apply?.status === 'failed'
      ? [{ kind: 'apply-failed', speaker }]
      : [{ kind: 'not-applied', speaker, revision: latest, canaryFault, failedApply }];
  });
}

export function isFault({ kind }: Attention): boolean {
  return kind !== 'running' && kind !== 'pending';
}

/** Peers with filters are sent a part of the routes; whoever has most has all. */
export function largestSent(speakers: readonly Pick<Speaker, 'live'>[]): number {
  const sent = speakers.flatMap(
    ({ live }) => live?.sessions.map(({ routes_exported }) => routes_exported) ?? [],
  );
  return sent.reduce((most, one) => Math.max(most, one), 0);
}
