import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Badge } from '../../design/Badge.tsx';
import { Button } from '../../design/Button.tsx';
import { Copy } from '../../design/Copy.tsx';
import { useToast } from '../../design/Toasts.tsx';
import { useMay } from '../../service/permissions.ts';
import { communitiesQuery, peerQuery, speakersQuery, type Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatList, formatNumber } from '../../strings/format.ts';
import { formText } from '../../strings/forms.ts';
import { peersText } from '../../strings/speakers.ts';
import { Community } from '../../views/Community.tsx';
import { LoadedPage } from '../../views/LoadedPage.tsx';
import { Page, Section } from '../../views/Page.tsx';
import { EditDialog } from '../../views/records/RecordDialog.tsx';
import { SessionTable } from '../../views/records/SessionTable.tsx';
import { SpeakerLink } from '../../views/ResourceLink.tsx';
import { PlanDialog } from '../../views/revisions/PlanDialog.tsx';
import { usePeerFields } from './Peers.tsx';

type Peer = Schemas['Peer'];

const route = getRouteApi('/peers/$peerId');

export function PeerPage() {
  const { peerId } = route.useParams();
  return (
    <LoadedPage
      query={useQuery(peerQuery(peerId))}
      title={text.lookup.chain.peers}
      list={{ to: '/peers', name: text.navigation.peers }}
    >
      {(peer) => <OnePeer peer={peer} />}
    </LoadedPage>
  );
}

function OnePeer({ peer }: { peer: Peer }) {
  const { data: speakers = [] } = useQuery(speakersQuery);
  const own = useMemo(() => speakers.flatMap((speaker) => onlyOf(speaker, peer.id)), [speakers, peer.id]);
  const reverted = own.flatMap(({ live }) => live?.sessions.flatMap((one) => one.reverted ?? []) ?? []);
  return (
    <Page
      title={peer.name}
      heading={
        <>
          <span className="name">{peer.name}</span>{' '}
          <Badge tone={peer.enabled ? 'good' : 'plain'}>{peer.enabled ? peersText.on : peersText.off}</Badge>
        </>
      }
      actions={<Actions peer={peer} />}
    >
      {reverted.map(({ since, error }) => (
        <p key={since + error} className="banner name">
          {error}
        </p>
      ))}
      <Facts peer={peer} />
      <Section title={text.sessions.title}>
        {own.length === 0 ? (
          <p className="muted">{peer.enabled ? peersText.noSession : peersText.isOff}</p>
        ) : (
          <SessionTable speakers={own} file={`sessions-${peer.name}`} />
        )}
      </Section>
    </Page>
  );
}

/** The speaker with no other session than that of the peer. */
function onlyOf(speaker: Speaker, peerId: string): Speaker[] {
  const sessions = speaker.live?.sessions.filter(({ peer_id }) => peer_id === peerId) ?? [];
  return sessions.length === 0 ? [] : [{ ...speaker, live: { ...speaker.live!, sessions } }];
}

function Actions({ peer }: { peer: Peer }) {
  const [task, setTask] = useState<'edit' | 'remove' | null>(null);
  const fields = usePeerFields();
  const may = useMay();
  const toast = useToast();
  const navigate = useNavigate();
  const path = `/v1/peers/${peer.id}`;
  const close = (): void => setTask(null);
  if (!may('bgp:peers:write')) return null;
  return (
    <>
      <Button onClick={() => setTask('edit')}>{formText.edit}</Button>
      <Button onClick={() => setTask('remove')}>{formText.delete}</Button>
      {task === 'edit' && (
        <EditDialog
          title={formText.editTitle(peer.name)}
          path={path}
          fields={fields}
          isOpen
          onClose={close}
          onDone={() => {
            close();
            toast(formText.saved);
          }}
        />
      )}
      <PlanDialog
        title={formText.deleteTitle(peer.name)}
        action={formText.delete}
        look="danger"
        writes={[{ method: 'DELETE', path }]}
        isOpen={task === 'remove'}
        onClose={close}
        onDone={() => {
          toast(peersText.removed(peer.name));
          void navigate({ to: '/peers' });
        }}
      />
    </>
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
          <dd className="name">{peer.description}</dd>
        </>
      )}
      <dt>{peersText.families}</dt>
      <dd>{formatList(peer.families.map((family) => text.families[family]))}</dd>
      <dt>{peersText.speakers}</dt>
      <dd>
        {peer.speaker_ids.length === 0
          ? peersText.allSpeakers
          : peer.speaker_ids.map((id) => (
              <span key={id}>
                <SpeakerLink id={id} name={null} />{' '}
              </span>
            ))}
      </dd>
      <dt>{peersText.communities}</dt>
      <dd>
        {own.length === 0
          ? peersText.allRoutes
          : own.map(({ id, community, title }) => <Community key={id} community={community} title={title} />)}
      </dd>
      <dt>{peersText.limit}</dt>
      <dd className="number">
        {peer.max_prefixes_out === null ? text.none : formatNumber(peer.max_prefixes_out)}
      </dd>
    </dl>
  );
}
