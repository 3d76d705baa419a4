/** What of a tenant needs somebody: the overview of the console and `prefixcast status` say the same. */
interface Found {
  readonly code: string;
}

/** Of a module, a speaker and so on what says how it is. */
interface Module {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly held: { readonly since: string; readonly findings: readonly Found[] } | null;
  readonly last_refresh: { readonly status: string; readonly error: string | null } | null;
  readonly last_refreshed_at: string | null;
}

interface Session {
  readonly peer_id: string;
  readonly peer_name: string;
  readonly state: string;
  readonly since: string;
  readonly routes_exported: number;
  readonly reverted: { readonly error: string; readonly since: string } | null;
  readonly last_error: string | null;
}

interface Speaker {
  readonly id: string;
  readonly name: string;
  readonly enabled: boolean;
  readonly agent: { readonly last_seen_at: string | null } | null;
  readonly applied_revision_id: string | null;
  readonly last_apply: { readonly status: string; readonly error: string | null } | null;
  readonly live?: {
    readonly reachable: boolean;
    readonly error: string | null;
    readonly sessions: readonly Session[];
  } | null;
}

export interface HeldDeleted {
  readonly module_id: string;
  readonly findings: readonly Found[];
}

interface Revision {
  readonly id: string;
  readonly number: number;
  readonly content_hash: string | null;
  readonly created_at: string;
  readonly findings: readonly Found[];
  readonly quarantined: readonly HeldDeleted[];
}

interface Job {
  readonly id: string;
  readonly state: string;
  readonly started_at: string | null;
  readonly resource: { readonly type: string; readonly id: string } | null;
}

/** What somebody should look at. */
export type Attention =
  | { readonly kind: 'held-module'; readonly module: Module }
  /** It stays in revisions although it was deleted. */
  | { readonly kind: 'held-deleted'; readonly held: HeldDeleted }
  | { readonly kind: 'held-revision'; readonly revision: Revision }
  | { readonly kind: 'frozen' }
  | { readonly kind: 'failing'; readonly module: Module }
  | { readonly kind: 'unreachable'; readonly speaker: Speaker }
  | {
      readonly kind: 'session-down' | 'reverted';
      readonly speaker: Speaker;
      readonly peerId: string;
      readonly peer: string;
      readonly error: string | null;
      readonly since: string;
    }
  | { readonly kind: 'apply-failed'; readonly speaker: Speaker }
  | { readonly kind: 'not-applied'; readonly speaker: Speaker; readonly revision: Revision }
  | { readonly kind: 'running'; readonly job: Job }
  | { readonly kind: 'pending'; readonly edits: number };

export interface Seen {
  readonly modules: readonly Module[];
  readonly speakers: readonly Speaker[];
  readonly applies: readonly Job[];
  readonly heldRevisions: readonly Revision[];
  /** The latest that may be announced; undefined: there is none. */
  readonly latest: Revision | undefined;
  /** What is known of older ones, by which it is seen whether a speaker has the same routes. */
  readonly revisions: readonly Revision[];
  readonly isFrozen: boolean;
  readonly pendingEdits: number;
}

/** The most urgent first. What is only under way comes last, and is no fault. */
export function attentionOf(seen: Seen): Attention[] {
  const enabled = seen.speakers.filter((speaker) => speaker.enabled);
  const sessions = enabled.flatMap((speaker) =>
    (speaker.live?.sessions ?? []).map((session) => ({ speaker, session })),
  );
  const running = seen.applies.filter(({ state }) => state === 'running' || state === 'queued');
  return [
    ...seen.heldRevisions.map((revision) => ({ kind: 'held-revision' as const, revision })),
    ...seen.modules
      .filter(({ held }) => held !== null)
      .map((module) => ({ kind: 'held-module' as const, module })),
    ...heldDeleted(seen),
    ...(seen.isFrozen ? [{ kind: 'frozen' as const }] : []),
    ...enabled
      .filter(({ live }) => live?.reachable !== true)
      .map((speaker) => ({ kind: 'unreachable' as const, speaker })),
    ...sessions
      // One that went back may close its session as well: that is one event.
      .filter(({ session }) => session.state !== 'established' && session.reverted === null)
      .map(({ speaker, session: { peer_id: peerId, peer_name: peer, last_error: error, since } }) => ({
        ...{ kind: 'session-down' as const, speaker, peerId, peer, error, since },
      })),
    ...sessions.flatMap(({ speaker, session: { peer_id: peerId, peer_name: peer, reverted } }) =>
      reverted === null ? [] : [{ kind: 'reverted' as const, speaker, peerId, peer, ...reverted }],
    ),
    ...(running.length > 0 ? [] : notApplied(seen, enabled)),
    ...seen.modules
      .filter(
        ({ last_refresh, enabled: isOn }) => isOn && last_refresh !== null && last_refresh.status !== 'ok',
      )
      .map((module) => ({ kind: 'failing' as const, module })),
    ...running.map((job) => ({ kind: 'running' as const, job })),
    ...(seen.pendingEdits > 0 ? [{ kind: 'pending' as const, edits: seen.pendingEdits }] : []),
  ];
}

function heldDeleted({ latest, modules }: Seen): Attention[] {
  if (latest === undefined) return [];
  const present = new Set(modules.map(({ id }) => id));
  return latest.quarantined
    .filter(({ module_id }) => !present.has(module_id))
    .map((held) => ({ kind: 'held-deleted' as const, held }));
}

/** Speakers that do not announce what is there to be announced, while nothing brings it to them. */
function notApplied({ latest, revisions }: Seen, enabled: readonly Speaker[]): Attention[] {
  if (latest === undefined) return [];
  const contentOf = (id: string | null) => revisions.find((revision) => revision.id === id)?.content_hash;
  return enabled.flatMap((speaker): Attention[] => {
    const { applied_revision_id: id, last_apply } = speaker;
    const runs = contentOf(id);
    // Of a revision that is too old to be known, nobody can tell.
    if (id === latest.id || runs === latest.content_hash || (id !== null && runs === undefined)) return [];
    return last_apply?.status === 'failed'
      ? [{ kind: 'apply-failed', speaker }]
      : [{ kind: 'not-applied', speaker, revision: latest }];
  });
}

export function isFault({ kind }: Attention): boolean {
  return kind !== 'running' && kind !== 'pending';
}
