/** How many routes each peer should have of the revision that its speaker runs, with those that have no next hop for it; see queries.ts. */
import type { Schemas } from '@prefixcast/client';
import { useQueries } from '@tanstack/react-query';
import { previewQuery, type Speaker } from './queries.ts';

/** Each takes a request: of a fleet, the board shows what is sent alone. */
const MOST_SPEAKERS = 50;

/** By {@link sessionKey}; empty until it is known. */
export type ExpectedRoutes = ReadonlyMap<string, number>;

export function sessionKey(speakerId: string, peerId: string): string {
  return `${speakerId} ${peerId}`;
}

export function useExpectedRoutes(speakers: readonly Speaker[]): ExpectedRoutes {
  const running = speakers.filter(({ enabled, applied_revision_id: id }) => enabled && id !== null);
  return useQueries({
    queries: (running.length > MOST_SPEAKERS ? [] : running).map(({ id, applied_revision_id }) =>
      previewQuery(applied_revision_id!, id),
    ),
    combine: byPeer,
  });
}

/** As one function, which is not called again while nothing has changed. */
function byPeer(
  results: readonly { readonly data: Schemas['RevisionPreview'] | undefined }[],
): ExpectedRoutes {
  return new Map(
    results
      .flatMap(({ data }) => data?.speakers ?? [])
      .flatMap(({ speaker_id, peers }) =>
        peers.map(({ peer_id, prefix_count: sent, without_next_hop: unsent }) => [
          sessionKey(speaker_id, peer_id),
          sent.ipv4 + sent.ipv6 + unsent.ipv4 + unsent.ipv6,
        ]),
      ),
  );
}
