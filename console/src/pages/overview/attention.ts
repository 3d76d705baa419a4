import type { Job, Module, Revision, Speaker } from '../../service/queries.ts';

/** What somebody should look at. */
export type Attention =
  | { readonly kind: 'held-module'; readonly module: Module }
  | { readonly kind: 'held-revision'; readonly revision: Revision }
  | { readonly kind: 'frozen' }
  | { readonly kind: 'failing'; readonly module: Module }
  | { readonly kind: 'unreachable'; readonly speaker: Speaker }
  | {
      readonly kind: 'session-down';
      readonly speaker: Speaker;
      readonly peer: string;
      readonly error: string | null;
    }
  | { readonly kind: 'running'; readonly job: Job }
  | { readonly kind: 'pending'; readonly edits: number };

interface Seen {
  readonly modules: readonly Module[];
  readonly speakers: readonly Speaker[];
  readonly applies: readonly Job[];
  readonly heldRevisions: readonly Revision[];
  readonly isFrozen: boolean;
  readonly pendingEdits: number;
}

/** The most urgent first. What is only under way comes last, and is no fault. */
export function attentionOf(seen: Seen): Attention[] {
  const enabled = seen.speakers.filter((speaker) => speaker.enabled);
  return [
    ...seen.heldRevisions.map((revision) => ({ kind: 'held-revision' as const, revision })),
    ...seen.modules
      .filter(({ held }) => held !== null)
      .map((module) => ({ kind: 'held-module' as const, module })),
    ...(seen.isFrozen ? [{ kind: 'frozen' as const }] : []),
    ...enabled
      .filter(({ live }) => live?.reachable === false)
      .map((speaker) => ({ kind: 'unreachable' as const, speaker })),
    ...enabled.flatMap((speaker) =>
      (speaker.live?.sessions ?? [])
        .filter(({ state }) => state !== 'established')
        .map(({ peer_name, last_error }) => ({
          ...{ kind: 'session-down' as const, speaker, peer: peer_name, error: last_error },
        })),
    ),
    ...seen.modules
      .filter(
        ({ last_refresh, enabled: isOn }) => isOn && last_refresh !== null && last_refresh.status !== 'ok',
      )
      .map((module) => ({ kind: 'failing' as const, module })),
    ...seen.applies
      .filter(({ state }) => state === 'running' || state === 'queued')
      .map((job) => ({ kind: 'running' as const, job })),
    ...(seen.pendingEdits > 0 ? [{ kind: 'pending' as const, edits: seen.pendingEdits }] : []),
  ];
}

export function isFault({ kind }: Attention): boolean {
  return kind !== 'running' && kind !== 'pending';
}
