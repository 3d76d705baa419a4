import type { Tone } from '../../design/shown/Badge.tsx';
import { useQuery } from '@tanstack/react-query';
import { peersQuery, speakersQuery, type Lookup } from '../../service/queries.ts';
import { reachOf, takes, unsentBy, waitsForNodes, type Reach, type Unsent } from '../../service/reach.ts';
import { chainText } from '../../strings/lookup.ts';
import { text } from '../../strings/english.ts';

const UNHEARD: Readonly<Record<Exclude<Reach, 'peers'>, { word: string; tone: Tone }>> = {
  nobody: { word: chainText.toNobody, tone: 'bad' },
  unknown: { word: chainText.toWhomUnknown, tone: 'warning' },
};

/** What is known of a lookup beside its answer. */
export interface Known {
  /** Whom its speakers reach; undefined: nobody knows yet. */
  readonly reach: Reach | undefined;
  /** Reasons why it is not announced that are none of the address: speakers whose nodes nobody has enrolled announce nothing at all. */
  readonly besides: Lookup['not_announced'];
}

/** Whether something is announced, in a word. */
export function verdictOf(
  { announced, not_announced, matches, coverage }: Lookup,
  { reach, besides }: Known,
): { word: string; tone: Tone } {
  if (announced.length > 0 && reach !== undefined && reach !== 'peers') return UNHEARD[reach];
  if (coverage?.state === 'part') return { word: chainText.inPart, tone: 'warning' };
  if (coverage?.state === 'unknown') return { word: chainText.asFarAsListed, tone: 'warning' };
  if (announced.length > 0)
    return not_announced.length > besides.length
      ? { word: text.lookup.partly, tone: 'warning' }
      : { word: text.lookup.announced, tone: reach === undefined ? 'plain' : 'good' };
  return matches.length > 0 || not_announced.length > 0
    ? { word: text.lookup.notAnnounced, tone: 'bad' }
    : { word: text.lookup.unknown, tone: 'plain' };
}

const EVERY_ROUTE = { families: ['ipv4', 'ipv6'], community_ids: [] } as const;

/** One that holds an older revision may have the address by another route. */
const HAVING: ReadonlySet<Unsent | null> = new Set([null, 'peer_reverted']);

/** Tells of a lookup whom those reach that announce it, and what has nothing to do with it. */
export function useKnown(): (lookup: Lookup) => Known {
  const { data: speakers } = useQuery(speakersQuery);
  const { data: peers } = useQuery(peersQuery);
  return ({ announced, not_announced: reasons }) => ({
    besides: reasons.filter((reason) => waitsForNodes(reason, speakers ?? [])),
    reach:
      speakers === undefined || peers === undefined
        ? undefined
        : reachOf(
            speakers,
            [...new Set(announced.flatMap(({ speaker_ids }) => speaker_ids))],
            (peerId, speakerId) =>
              // One that is not in the list was made since it was read.
              takes(peers.find(({ id }) => id === peerId) ?? EVERY_ROUTE, announced) &&
              HAVING.has(unsentBy(reasons, peerId, speakerId)),
          ),
  });
}
