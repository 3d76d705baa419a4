import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Fragment, useMemo, type ReactNode } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { sessionKey, useUnsentRoutes } from '../../service/expected-routes.ts';
import { communitiesQuery, peerQuery, speakersQuery, type Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { kinds, titleOf } from '../../strings/kinds.ts';
import { formatList, formatNumber } from '../../strings/format.ts';
import { peersText, revertedText, sessionText } from '../../strings/speakers.ts';
import { Community } from '../../views/resources/Community.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { DeletablePage } from '../../views/forms/DeletablePage.tsx';
import { LongText } from '../../design/shown/LongText.tsx';
import { Page, Section } from '../../views/page/Page.tsx';
import { ChangesLink } from '../../views/resources/ChangesLink.tsx';
import { EditAndDelete } from '../../views/forms/EditAndDelete.tsx';
import { bodyAgain } from '../../views/forms/RecordForm.tsx';
import { LastKnownSessions } from '../../views/records/LastKnownSessions.tsx';
import { SessionTable } from '../../views/records/SessionTable.tsx';
import { PeerFieldLink } from '../../views/resources/PeerFieldLink.tsx';
import { RevertedApply } from '../../views/resources/RevertedApply.tsx';
import { RevisionLink } from '../../views/resources/RevisionLink.tsx';
import { SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import { usePeerFields } from './peer-fields.ts';

type Peer = Schemas['Peer'];

/** Of most. */
const BGP_PORT = 179;
const HOLD_SECONDS = 90;

const NONE: readonly Speaker[] = [];

const route = getRouteApi('/peers/$peerId');

export function PeerPage() {
  const { peerId } = route.useParams();
  return (
    <DeletablePage
      query={useQuery(peerQuery(peerId))}
      path={`/v1/peers/${peerId}`}
      title={kinds.peer}
      list={{ to: '/peers', name: text.navigation.peers }}
    >
      {(peer) => <OnePeer peer={peer} />}
    </DeletablePage>
  );
}

function OnePeer({ peer }: { peer: Peer }) {
  const speakers = useQuery(speakersQuery);
  const { data: all = NONE } = speakers;
  const own = useMemo(() => all.flatMap((speaker) => onlyOf(speaker, peer.id)), [all, peer.id]);
  const known = useMemo(() => all.flatMap((speaker) => onlyKnownOf(speaker, peer.id)), [all, peer.id]);
  const isDown = own.some(({ live }) => live?.sessions.some(({ state }) => state !== 'established'));
  const isUnknown = own.length === 0 && known.length > 0;
  return (
    <Page
      title={titleOf(peer.name, 'peer')}
      heading={
        <>
          <span className="name">{peer.name}</span>{' '}
          <Badge tone={peer.enabled && !isDown && !isUnknown ? 'good' : 'plain'}>
            {peer.enabled ? peersText.on : peersText.off}
          </Badge>{' '}
          {isDown && <Badge tone="bad">{sessionText.down}</Badge>}
          {isUnknown && <Badge tone="warning">{sessionText.sessionUnknown}</Badge>}
        </>
      }
      actions={
        <>
          <ChangesLink id={peer.id} />
          <Actions peer={peer} />
        </>
      }
    >
      {own.map((speaker) => (
        <WentBack key={speaker.id} speaker={speaker} />
      ))}
      <Facts peer={peer} />
      <Section title={text.sessions.title}>
        <Loaded query={speakers}>
          {() =>
            own.length === 0 ? (
              <p className="muted">{whyNone(peer, isUnknown)}</p>
            ) : (
              <>
                <SessionTable speakers={own} subject="peer" file={`sessions-${peer.name}`} />
                <Unsent peer={peer} speakers={own} />
              </>
            )
          }
        </Loaded>
      </Section>
      <LastKnownSessions speakers={known} subject="peer" file={`last-sessions-${peer.name}`} />
    </Page>
  );
}

/** What is expected of a session that is down has routes that it would not be sent; of one that is up, its error says that. */
function Unsent({ peer, speakers }: { peer: Peer; speakers: readonly Speaker[] }) {
  const down = speakers.filter(({ live }) => live?.sessions.some(({ state }) => state !== 'established'));
  const unsent = useUnsentRoutes(down);
  const counts = down.flatMap(({ id }) => unsent.get(sessionKey(id, peer.id)) ?? []);
  const most = Math.max(0, ...counts.map(({ ipv4, ipv6 }) => ipv4 + ipv6));
  if (most === 0) return null;
  return (
    <p className="muted">
      {peersText.unsent(most)}{' '}
      {(['ipv4', 'ipv6'] as const).map(
        (family) =>
          counts.some((one) => one[family] > 0) && (
            <PeerFieldLink key={family} peerId={peer.id} said={`next_hop_${family}`} />
          ),
      )}
    </p>
  );
}

function whyNone({ enabled }: Peer, isUnknown: boolean): string {
  if (isUnknown) return peersText.unknownSession;
  return enabled ? peersText.noSession : peersText.isOff;
}

/** Why it has other routes than the speaker, which they are, and where the others are tried again. */
function WentBack({ speaker: { live, last_apply } }: { speaker: Speaker }) {
  const [session] = live?.sessions ?? [];
  const reverted = session?.reverted ?? null;
  if (reverted === null) return null;
  const { revision_id: held, tried_revision_id: tried, error } = reverted;
  const holds = session?.state === 'established' ? revertedText.holds : revertedText.willHold;
  return (
    <div className="banner name">
      <p>{error}</p>
      <p>
        {held === null ? (
          revertedText.nothing
        ) : (
          <>
            {holds} <RevisionLink id={held} />
          </>
        )}
        {tried !== null && (
          <>
            , {revertedText.notTaken} <RevisionLink id={tried} />
          </>
        )}
        . <RevertedApply lastApply={last_apply} />
      </p>
    </div>
  );
}

/** The speaker with no other session than that of the peer. */
function onlyOf(speaker: Speaker, peerId: string): Speaker[] {
  const sessions = speaker.live?.sessions.filter(({ peer_id }) => peer_id === peerId) ?? [];
  return sessions.length === 0 ? [] : [{ ...speaker, live: { ...speaker.live!, sessions } }];
}

/** The same of what nobody reports. */
function onlyKnownOf(speaker: Speaker, peerId: string): Speaker[] {
  const known = speaker.live?.last_known_sessions?.filter(({ peer_id }) => peer_id === peerId) ?? [];
  return known.length === 0 ? [] : [{ ...speaker, live: { ...speaker.live!, last_known_sessions: known } }];
}

function Actions({ peer }: { peer: Peer }) {
  const navigate = useNavigate();
  const { edit } = route.useSearch();
  const editedFrom = edit === undefined ? undefined : { field: edit, onClose: () => void stay() };
  const stay = () =>
    navigate({
      ...{ to: '/peers/$peerId', params: { peerId: peer.id }, replace: true },
      search: ({ edit: _, ...rest }) => rest,
    });
  const fields = usePeerFields();
  const again = { method: 'POST', path: '/v1/peers', body: bodyAgain(peer, fields) } as const;
  return (
    <EditAndDelete
      name={peer.name}
      path={`/v1/peers/${peer.id}`}
      fields={fields}
      // A password is never shown.
      again={peer.has_password ? null : again}
      permission="bgp:peers:write"
      deleted={peersText.removed(peer.name)}
      onDeleted={() => void navigate({ to: '/peers' })}
      onMadeAgain={({ id }) => void navigate({ to: '/peers/$peerId', params: { peerId: String(id) } })}
      editedFrom={editedFrom}
    />
  );
}

/** What is chosen in its form, and not as it is for most. */
function furtherFacts(peer: Peer): (readonly [string, ReactNode])[] {
  const facts: readonly (readonly [string, ReactNode, boolean])[] = [
    [peersText.tooMany, peersText[peer.when_too_many], peer.max_prefixes_out !== null],
    [peersText.port, peer.port, peer.port !== BGP_PORT],
    [peersText.multihop, peer.multihop, peer.multihop !== null],
    [peersText.nextHop4, <NextHop key="4" address={peer.next_hop_ipv4} />, peer.next_hop_ipv4 !== null],
    [peersText.nextHop6, <NextHop key="6" address={peer.next_hop_ipv6} />, peer.next_hop_ipv6 !== null],
    [peersText.holdTime, peer.hold_time, peer.hold_time !== HOLD_SECONDS],
    [peersText.passive, text.yes, peer.passive],
    [peersText.bfd, text.yes, peer.bfd],
    [peersText.gracefulRestart, text.no, !peer.graceful_restart],
  ];
  return facts.flatMap(([label, value, isShown]) => (isShown ? [[label, value] as const] : []));
}

function NextHop({ address }: { address: string | null }) {
  return (
    address !== null && (
      <>
        <code>{address}</code> <Copy value={address} />
      </>
    )
  );
}

function Facts({ peer }: { peer: Peer }) {
  const { data: communities = [] } = useQuery(communitiesQuery);
  const own = communities.filter(({ id }) => peer.community_ids.includes(id));
  return (
    <dl className="facts columns">
      <dt>{text.sessions.address}</dt>
      <dd>
        <code>{peer.address}</code> <Copy value={peer.address} />
      </dd>
      <dt>{peersText.remoteAsn}</dt>
      <dd className="number">{peer.remote_asn}</dd>
      {peer.description !== null && (
        <>
          <dt>{peersText.description}</dt>
          <dd>
            <LongText text={peer.description} label={peersText.description} />
          </dd>
        </>
      )}
      <dt>{peersText.families}</dt>
      <dd>{formatList(peer.families.map((family) => text.families[family]))}</dd>
      <dt>{peersText.speakers}</dt>
      <dd>
        {peer.speaker_ids.length === 0 ? (
          <Link to="/speakers">{peersText.allSpeakers}</Link>
        ) : (
          peer.speaker_ids.map((id) => (
            <span key={id}>
              <SpeakerLink id={id} name={null} />{' '}
            </span>
          ))
        )}
      </dd>
      <dt>{peersText.communities}</dt>
      <dd>
        {own.length === 0
          ? peersText.allRoutes
          : own.map(({ id, community, title }) => <Community key={id} community={community} title={title} />)}
      </dd>
      <dt>{peersText.limit}</dt>
      <dd className="number">
        {peer.max_prefixes_out === null ? peersText.noLimit : formatNumber(peer.max_prefixes_out)}
      </dd>
      {furtherFacts(peer).map(([label, value]) => (
        <Fragment key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
