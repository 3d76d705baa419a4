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

/** Of those, by family, how many a peer lacks a next hop for, and so is not sent; see {@link useExpectedRoutes}. */
export function useUnsentRoutes(speakers: readonly Speaker[]): ReadonlyMap<string, Schemas['PrefixCount']> {
  return useQueries({
    queries: speakers
      .filter(({ enabled, applied_revision_id: applied }) => enabled && applied !== null)
      .slice(0, MOST_SPEAKERS)
      .map(({ id, applied_revision_id: applied }) => previewQuery(applied!, id)),
    combine: unsentByPeer,
  });
}

type Previews = readonly { readonly data: Schemas['RevisionPreview'] | undefined }[];

/** As functions of their own, which are not called again while nothing has changed. */
function byPeer(results: Previews): ExpectedRoutes {
  return peersOf(results, ({ prefix_count: sent, without_next_hop: unsent }) => total(sent) + total(unsent));
}

function unsentByPeer(results: Previews): ReadonlyMap<string, Schemas['PrefixCount']> {
  return peersOf(results, ({ without_next_hop: unsent }) => unsent);
}

type PreviewedPeer = Schemas['RevisionPreview']['speakers'][number]['peers'][number];

function peersOf<Routes>(
  results: Previews,
  routesOf: (peer: PreviewedPeer) => Routes,
): ReadonlyMap<string, Routes> {
  return new Map(
    results
      .flatMap(({ data }) => data?.speakers ?? [])
      .flatMap(({ speaker_id, peers }) =>
        peers.map((peer) => [sessionKey(speaker_id, peer.peer_id), routesOf(peer)]),
      ),
  );
}

function total({ ipv4, ipv6 }: Schemas['PrefixCount']): number {
  return ipv4 + ipv6;
}
