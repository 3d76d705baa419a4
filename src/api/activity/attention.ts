/** What of a tenant needs somebody: the overview of the console and `prefixcast status` say the same. */
import type { Attention } from './attention-item.ts';
import { hasNoNode } from './no-node.ts';
import type { FirewallHost, Seen, Speaker, Webhook } from './seen.ts';
import {
  isAwaiting,
  notApplied,
  ofDisabled,
  ofSession,
  withoutCanary,
  withoutSpeaker,
} from './speaker-attention.ts';

export type { Attention } from './attention-item.ts';

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
      .filter(({ live }) => live?.reachable !== true && live?.is_awaited !== true)
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
    ...seen.speakers
      .filter(({ live }) => live?.is_awaited === true)
      .map((speaker) => ({ kind: 'awaited' as const, speaker })),
    ...running.map((job) => ({ kind: 'running' as const, job })),
    ...(seen.pendingEdits > 0 ? [{ kind: 'pending' as const, edits: seen.pendingEdits }] : []),
  ];
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

/** Whether no router is to have the lists: nothing is wrong then, and nothing is announced. Of a speaker that nobody reports, that is not known. */
export function hasNoRouter({ speakers, peers }: Pick<Seen, 'speakers' | 'peers'>): boolean {
  if (peers.some(({ enabled }) => enabled)) return false;
  return speakers.every(
    ({ enabled, live }) => !enabled || (live?.reachable === true && live.sessions.length === 0),
  );
}

function heldDeleted({ latest, modules }: Seen): Attention[] {
  if (latest === undefined) return [];
  const present = new Set(modules.map(({ id }) => id));
  return latest.quarantined
    .filter(({ module_id }) => !present.has(module_id))
    .map((held) => ({ kind: 'held-deleted' as const, held }));
}

export function isFault({ kind }: Attention): boolean {
  return kind !== 'running' && kind !== 'pending' && kind !== 'awaited';
}

/** Peers with filters are sent a part of the routes; whoever has most has all. */
export function largestSent(speakers: readonly Pick<Speaker, 'live'>[]): number {
  const sent = speakers.flatMap(
    ({ live }) => live?.sessions.map(({ routes_exported }) => routes_exported) ?? [],
  );
  return sent.reduce((most, one) => Math.max(most, one), 0);
}
