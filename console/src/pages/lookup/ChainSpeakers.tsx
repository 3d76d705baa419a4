import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { Time } from '../../design/shown/Time.tsx';
import {
  communitiesQuery,
  peersQuery,
  speakersQuery,
  type Lookup,
  type Speaker,
} from '../../service/queries.ts';
import { takes, unsentBy, untaken, type Unsent } from '../../service/reach.ts';
import { text } from '../../strings/english.ts';
import { formatList } from '../../strings/format.ts';
import { chainText } from '../../strings/lookup.ts';
import { speakersText } from '../../strings/speakers.ts';
import { PeerLink, SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import { Rest, SHOWN, Step, unique } from './chain-parts.tsx';

type Peer = Parameters<typeof takes>[0] & { readonly id: string; readonly name: string };

/** Those that announce it, the peers that have a session with them, be they sent it or not, and those that should have one. */
export function ChainSpeakers({
  announced,
  reasons,
}: Pick<Lookup, 'announced'> & { reasons: Lookup['not_announced'] }) {
  const ids = [...new Set(announced.flatMap(({ speaker_ids }) => speaker_ids))];
  const { data: speakers = [] } = useQuery(speakersQuery);
  const { data: all = [] } = useQuery(peersQuery);
  const peers = all.filter((peer) => takes(peer, announced));
  const isUp = ({ established_on_speakers }: (typeof all)[number]): boolean =>
    established_on_speakers.some((id) => ids.includes(id));
  const announcing = speakers.filter(({ id }) => ids.includes(id));
  const up = peers.filter(isUp);
  /** Up, and sent other routes: whoever asks why such a router lacks this one has not done anything wrong. */
  const others = all.filter((peer) => isUp(peer) && !peers.includes(peer));
  /** Undefined: some speaker sends it. */
  const whyUnsent = ({ id: peerId, established_on_speakers }: (typeof all)[number]): Unsent | undefined => {
    const own = established_on_speakers
      .filter((id) => ids.includes(id))
      .map((id) => unsentBy(reasons, peerId, id));
    return own.includes(null) ? undefined : (own[0] ?? undefined);
  };
  const receiving = up.filter((peer) => whyUnsent(peer) === undefined);
  const away = announcing
    .flatMap(({ live }) => live?.sessions ?? [])
    .filter(({ peer_id, state }) => state !== 'established' && peers.some(({ id }) => id === peer_id));
  return (
    <>
      <Step name={text.lookup.chain.speakers}>
        {announcing.map((speaker) => (
          <p key={speaker.id}>
            <SpeakerLink id={speaker.id} name={speaker.name} /> <OutOfReach speaker={speaker} />
          </p>
        ))}
      </Step>
      <Step name={text.lookup.chain.peers}>
        {receiving.map(({ id, name, address }) => (
          <p key={id}>
            <Link to="/peers/$peerId" params={{ peerId: id }} className="name">
              {name}
            </Link>{' '}
            <code className="muted">{address}</code> <Copy value={address} />
          </p>
        ))}
        {up
          .filter((peer) => !receiving.includes(peer))
          .map((peer) => (
            <p key={peer.id}>
              <PeerLink id={peer.id} name={peer.name} />{' '}
              <Badge tone="bad">{text.lookup.reasons[whyUnsent(peer)!]}</Badge>{' '}
              <span className="muted">{chainText.unsent[whyUnsent(peer)!]}</span>
            </p>
          ))}
        {others.slice(0, SHOWN).map((peer) => (
          <NotMeant key={peer.id} peer={peer} announced={announced} />
        ))}
        {others.length > SHOWN && <Rest count={others.length - SHOWN} isMore={false} />}
        {unique(away, ({ peer_id }) => peer_id).map(({ peer_id: id, peer_name: name }) => (
          <p key={id}>
            <PeerLink id={id} name={name} /> <Badge tone="bad">{chainText.noSession}</Badge>{' '}
            <span className="muted">{chainText.sentNothing}</span>
          </p>
        ))}
      </Step>
    </>
  );
}

/** A peer that is sent other routes, and which these are. */
function NotMeant({ peer, announced }: { readonly peer: Peer } & Pick<Lookup, 'announced'>) {
  const { data: communities = [] } = useQuery(communitiesQuery);
  const { id, name, community_ids: wanted, families } = peer;
  const why = untaken(peer, announced);
  const values = communities.filter((one) => wanted.includes(one.id)).map(({ community }) => community);
  return (
    <p>
      <PeerLink id={id} name={name} /> <Badge>{chainText.notSent}</Badge>{' '}
      <span className="muted">
        {why === 'family'
          ? chainText.takesFamilies(formatList(families.map((family) => text.families[family])))
          : values.length > 0 && chainText.takesCommunities(formatList(values))}
      </span>
    </p>
  );
}

/** What nobody reaches had the route when it was reached last. */
function OutOfReach({ speaker: { live, agent } }: { speaker: Speaker }) {
  if (live?.reachable === true) return null;
  const seen = agent?.last_seen_at ?? null;
  return (
    <>
      <Badge tone="bad">{speakersText.unreachable}</Badge>{' '}
      <span className="muted">
        {chainText.unknown}
        {seen !== null && (
          <>
            , {text.applies.lastSeen} <Time at={seen} />
          </>
        )}
      </span>
    </>
  );
}
