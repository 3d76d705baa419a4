import type { Tone } from '../../design/shown/Badge.tsx';
import { useQuery } from '@tanstack/react-query';
import { peersQuery, speakersQuery, type Lookup } from '../../service/queries.ts';
import { reachOf, takes, type Reach } from '../../service/reach.ts';
import { chainText } from '../../strings/lookup.ts';
import { text } from '../../strings/english.ts';

const UNHEARD: Readonly<Record<Exclude<Reach, 'peers'>, { word: string; tone: Tone }>> = {
  nobody: { word: chainText.toNobody, tone: 'bad' },
  unknown: { word: chainText.toWhomUnknown, tone: 'warning' },
};

/** Whether something is announced, in a word. @param reach whom its speakers reach; undefined: nobody knows yet */
export function verdictOf(
  { announced, not_announced, matches }: Lookup,
  reach: Reach | undefined,
): { word: string; tone: Tone } {
  if (announced.length > 0 && reach !== undefined && reach !== 'peers') return UNHEARD[reach];
  if (announced.length > 0)
    return not_announced.length > 0
      ? { word: text.lookup.partly, tone: 'warning' }
      : { word: text.lookup.announced, tone: reach === undefined ? 'plain' : 'good' };
  return matches.length > 0 || not_announced.length > 0
    ? { word: text.lookup.notAnnounced, tone: 'bad' }
    : { word: text.lookup.unknown, tone: 'plain' };
}

const EVERY_ROUTE = { families: ['ipv4', 'ipv6'], community_ids: [] };

/** Tells of a lookup whom those reach that announce it. */
export function useReach(): (lookup: Lookup) => Reach | undefined {
  const { data: speakers } = useQuery(speakersQuery);
  const { data: peers } = useQuery(peersQuery);
  return ({ announced }) =>
    speakers === undefined || peers === undefined
      ? undefined
      : reachOf(
          speakers,
          [...new Set(announced.flatMap(({ speaker_ids }) => speaker_ids))],
          // One that is not in the list was made since it was read.
          (peerId) => takes(peers.find(({ id }) => id === peerId) ?? EVERY_ROUTE, announced),
        );
}
