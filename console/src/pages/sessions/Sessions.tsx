import { EnrollLink } from '../../views/resources/EnrollLink.tsx';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Empty } from '../../design/messages/Empty.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { useMay } from '../../service/permissions.ts';
import { hasNoNode } from '../../../../src/api/activity/no-node.ts';
import { communitiesQuery, speakersQuery, type Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formText } from '../../strings/forms.ts';
import { nodeText, peersText, speakersText } from '../../strings/speakers.ts';
import { SessionAges } from '../../views/charts/SessionAges.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page } from '../../views/page/Page.tsx';
import { CreateButton } from '../../views/records/CreateButton.tsx';
import { CreateDialog } from '../../views/forms/record-dialogs.ts';
import { knownOf, LastKnownSessions } from '../../views/records/LastKnownSessions.tsx';
import { SessionTable, sessionsOf } from '../../views/records/SessionTable.tsx';
import { SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import { peerFields } from '../../views/forms/speaker-fields.ts';

export function Sessions() {
  const [isCreating, setCreating] = useState(false);
  const may = useMay();
  const creating = may('bgp:peers:write') && (
    <CreateButton action={peersText.create} onCreate={() => setCreating(true)} />
  );
  return (
    <Page
      title={text.sessions.title}
      actions={
        <>
          <Link className="button" to="/speakers">
            {speakersText.title}
          </Link>
          {may('bgp:speakers:write') && (
            <Link className="button" to="/nodes/new">
              {nodeText.title}
            </Link>
          )}
        </>
      }
    >
      <Loaded query={useQuery(speakersQuery)}>
        {(speakers) => (
          <>
            <OutOfReach speakers={speakers} />
            {speakers.flatMap(sessionsOf).length > 0 ? (
              <>
                <SessionAges speakers={speakers} />
                <SessionTable speakers={speakers} file="sessions" tools={creating} />
              </>
            ) : speakers.flatMap(knownOf).length > 0 ? (
              creating
            ) : (
              <Empty
                title={text.sessions.emptyTitle}
                what={text.sessions.emptyWhat}
                action={creating}
                command={text.sessions.emptyCommand}
              />
            )}
            <LastKnownSessions speakers={speakers} file="last-sessions" />
          </>
        )}
      </Loaded>
      {isCreating && <NewPeer onClose={() => setCreating(false)} />}
    </Page>
  );
}

/** Their sessions are not in the table: nobody knows of them. */
function OutOfReach({ speakers }: { speakers: readonly Speaker[] }) {
  return speakers
    .filter(({ enabled, live }) => enabled && live?.reachable !== true)
    .map(({ id, name, mode, agent }) => (
      <p key={id} className="banner">
        <SpeakerLink id={id} name={name} />:{' '}
        {hasNoNode({ mode, agent }) ? (
          <>
            {speakersText.notEnrolledDetail} <EnrollLink speakerId={id} />
          </>
        ) : (
          speakersText.unknownSessions
        )}
        {typeof agent?.last_seen_at === 'string' && (
          <>
            {' '}
            {speakersText.seen} <Time at={agent.last_seen_at} />.
          </>
        )}
      </p>
    ));
}

function NewPeer({ onClose }: { onClose: () => void }) {
  const toast = useToast();
  const { data: speakers = [] } = useQuery(speakersQuery);
  const { data: communities = [] } = useQuery(communitiesQuery);
  return (
    <CreateDialog
      title={peersText.create}
      path="/v1/peers"
      fields={peerFields(
        speakers.map(({ id, name }) => ({ value: id, label: name })),
        communities.map(({ id, community, title }) => ({ value: id, label: `${community} ${title}` })),
      )}
      isOpen
      onClose={onClose}
      onDone={({ name }) => {
        onClose();
        toast(formText.created(String(name)));
      }}
    />
  );
}
