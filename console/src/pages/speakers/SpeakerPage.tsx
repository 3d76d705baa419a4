import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../service/permissions.ts';
import { settingsQuery, speakerQuery, speakersQuery, type Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { kinds, titleOf } from '../../strings/kinds.ts';
import { speakersText } from '../../strings/speakers.ts';
import { DeletablePage } from '../../views/forms/DeletablePage.tsx';
import { Page } from '../../views/page/Page.tsx';
import { Remedy } from '../../views/faults/Remedy.tsx';
import { ChangesLink } from '../../views/resources/ChangesLink.tsx';
import { EditAndDelete } from '../../views/forms/EditAndDelete.tsx';
import { bodyAgain } from '../../views/forms/RecordForm.tsx';
import { RevisionLink } from '../../views/resources/RevisionLink.tsx';
import { SPEAKER_FIELDS } from '../../views/forms/speaker-fields.ts';
import { Tabs } from '../../views/page/Tabs.tsx';
import { lacksCanary } from '../../../../src/api/activity/canary-speakers.ts';
import { Configuration, SpeakerPeers } from './SpeakerParts.tsx';
import { speakerState } from './speaker-state.ts';

const route = getRouteApi('/speakers/$speakerId');

const { tabs } = speakersText;
const TABS = [
  ['peers', tabs.peers],
  ['configuration', tabs.configuration],
  ['model', tabs.model],
] as const;

export function SpeakerPage() {
  const { speakerId } = route.useParams();
  return (
    <DeletablePage
      query={useQuery(speakerQuery(speakerId))}
      path={`/v1/speakers/${speakerId}`}
      title={kinds.speaker}
      list={{ to: '/sessions', name: text.navigation.sessions }}
    >
      {(speaker) => <OneSpeaker key={speaker.id} speaker={speaker} />}
    </DeletablePage>
  );
}

function OneSpeaker({ speaker }: { speaker: Speaker }) {
  const { tab = 'peers' } = route.useSearch();
  const { word, tone } = speakerState(speaker);
  return (
    <Page
      title={titleOf(speaker.name, 'speaker')}
      heading={
        <>
          <span className="name">{speaker.name}</span> <Badge tone={tone}>{word}</Badge>
        </>
      }
      actions={<Actions speaker={speaker} />}
    >
      {typeof speaker.live?.error === 'string' && (
        <p className="banner name">
          <Remedy text={speaker.live.error} />
        </p>
      )}
      <Facts speaker={speaker} />
      <Tabs label={tabs.label} tabs={TABS} current={tab} />
      {tab === 'peers' && <SpeakerPeers speaker={speaker} />}
      {tab !== 'peers' && <Configuration speaker={speaker} part={tab} />}
    </Page>
  );
}

function Actions({ speaker }: { speaker: Speaker }) {
  const toast = useToast();
  const navigate = useNavigate();
  const may = useMay();
  const { data: settings } = useQuery(settingsQuery);
  const { data: speakers = [] } = useQuery(speakersQuery);
  const canaryIds = settings?.settings.deploy_canary_speaker_ids ?? [];
  const isLastCanary =
    canaryIds.includes(speaker.id) &&
    lacksCanary(
      canaryIds,
      speakers.map((one) => (one.id === speaker.id ? { ...one, enabled: false } : one)),
    );
  const applying = useMutation({
    mutationFn: () => client.post('/v1/speakers/{id}/apply', { params: { path: { id: speaker.id } } }),
    onSuccess: ({ id }) => {
      toast(speakersText.applied);
      void navigate({ to: '/applies/$jobId', params: { jobId: id } });
    },
    onError: (error) => toast(error.message),
  });
  return (
    <>
      {may('bgp:deploy:write') && speaker.enabled && (
        <Button isBusy={applying.isPending} onClick={() => applying.mutate()}>
          {speakersText.apply}
        </Button>
      )}
      {speaker.mode === 'agent' && may('bgp:keys:write') && (
        <Link className="button" to="/nodes/new" search={{ speaker: speaker.id }}>
          {speakersText.enroll}
        </Link>
      )}
      <ChangesLink id={speaker.id} />
      <EditAndDelete
        name={speaker.name}
        path={`/v1/speakers/${speaker.id}`}
        fields={SPEAKER_FIELDS}
        warningOf={({ enabled }) => (enabled === false && isLastCanary ? speakersText.lastCanary : null)}
        remade={{
          ...{ method: 'POST', path: '/v1/speakers' },
          body: bodyAgain(speaker, SPEAKER_FIELDS, ['daemon', 'mode']),
        }}
        onMadeAgain={({ id }) =>
          void navigate({ to: '/speakers/$speakerId', params: { speakerId: String(id) } })
        }
        permission="bgp:speakers:write"
        deleted={speakersText.removed(speaker.name)}
        lost={speakersText.lost}
        onDeleted={() => void navigate({ to: '/sessions' })}
      />
    </>
  );
}

function Address({ address, unset = '' }: { address: string | null; unset?: string }) {
  if (address === null) return unset;
  return (
    <>
      <code>{address}</code> <Copy value={address} />{' '}
    </>
  );
}

function Facts({ speaker }: { speaker: Speaker }) {
  const { live, agent, last_apply } = speaker;
  return (
    <dl className="facts columns">
      <dt>{speakersText.daemon}</dt>
      <dd>
        {speaker.daemon}, {speaker.mode === 'agent' ? speakersText.agent : speakersText.local}
        {typeof live?.version === 'string' && <span className="muted"> {live.version}</span>}
      </dd>
      <dt>{speakersText.asn}</dt>
      <dd className="number">{speaker.local_asn}</dd>
      <dt>{speakersText.routerId}</dt>
      <dd>
        <Address address={live?.router_id ?? speaker.router_id} unset={text.none} />
      </dd>
      <dt>{speakersText.addresses}</dt>
      <dd>
        {speaker.local_ipv4 === null && speaker.local_ipv6 === null
          ? speakersText.anyAddress
          : [speaker.local_ipv4, speaker.local_ipv6].map(
              (address) => address !== null && <Address key={address} address={address} />,
            )}
      </dd>
      <dt>{speakersText.runs}</dt>
      <dd>
        {speaker.applied_revision_id === null ? (
          text.none
        ) : (
          <>
            <RevisionLink id={speaker.applied_revision_id} />{' '}
            {speaker.applied_at !== null && <Time at={speaker.applied_at} />}
          </>
        )}
      </dd>
      {last_apply !== null && (
        <>
          <dt>{speakersText.lastApply}</dt>
          <dd>
            {last_apply.job_id === null ? (
              speakersText.applyStates[last_apply.status]
            ) : (
              <Link to="/applies/$jobId" params={{ jobId: last_apply.job_id }}>
                {speakersText.applyStates[last_apply.status]}
              </Link>
            )}{' '}
            <span className="name">{last_apply.error}</span>
          </dd>
        </>
      )}
      {speaker.mode === 'agent' && (
        <>
          <dt>{speakersText.node}</dt>
          <dd>
            {agent === null ? (
              speakersText.noNode
            ) : (
              <>
                <span className="name">{agent.hostname}</span> {agent.version}
                {agent.last_seen_at !== null && (
                  <span className="muted">
                    {' '}
                    {speakersText.seen} <Time at={agent.last_seen_at} />
                  </span>
                )}
              </>
            )}
          </dd>
        </>
      )}
    </dl>
  );
}
