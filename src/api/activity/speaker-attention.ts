/** What of speakers and their sessions needs somebody. */
import type { Attention, StillAnnounced } from './attention-item.ts';
import { lacksCanary } from './canary-speakers.ts';
import type { Peer, Seen, Session, Speaker } from './seen.ts';

/** Whether its node is away, and takes the latest revision when it is back: nothing that somebody types brings it there before. */
export function isAwaiting({ latest, applies }: Seen, { mode, live, last_apply: last }: Speaker): boolean {
  if (mode !== 'agent' || live?.reachable === true || last?.status !== 'running') return false;
  const job = applies.find(({ id }) => id === last.job_id);
  return latest !== undefined && job?.resource?.id === latest.id;
}

function stillAnnounced({ live }: Pick<Speaker, 'live'>): StillAnnounced[] {
  const up = (live?.sessions ?? []).filter(({ state }) => state === 'established');
  const known = (live?.last_known_sessions ?? []).filter((session) => session.was_established);
  return [...up, ...known].map(({ peer_id: id, peer_name: name, routes_exported: routes }) => {
    return { id, name, routes };
  });
}

/** What it ran last is announced until its node has said that it is not: a node that is out of reach knows nothing of it. */
export function ofDisabled(speaker: Speaker): Attention[] {
  const peers = stillAnnounced(speaker);
  if (peers.length === 0 || speaker.live?.is_awaited === true) return [];
  const isAway = speaker.live?.last_known_sessions?.some((session) => session.was_established) === true;
  return [isAway ? { kind: 'unreachable', speaker } : { kind: 'ending', speaker, peers }];
}

/** One that could not take the routes has often closed its session: that is one event, and it holds no routes while it is away. */
export function ofSession(
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

/** Together where they are of the same speakers: one of them may have a thousand. Those that a disabled speaker still announces to have routes. */
export function withoutSpeaker({ speakers, peers }: Seen): Attention[] {
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

/** Where an apply has failed for it already, that says so. */
export function withoutCanary({ speakers, canaryIds = [] }: Seen, behind: readonly Attention[]): Attention[] {
  const isSaid = behind.some((item) => item.kind === 'not-applied' && item.canaryFault !== null);
  if (isSaid || !lacksCanary(canaryIds, speakers)) return [];
  return [{ kind: 'no-canary', canaries: speakers.filter(({ id }) => canaryIds.includes(id)) }];
}

/** Speakers that do not announce what is there to be announced, while nothing brings it to them. */
export function notApplied({ latest, revisions, applies }: Seen, enabled: readonly Speaker[]): Attention[] {
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
