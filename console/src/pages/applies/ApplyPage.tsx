import { hasEnded } from '@prefixcast/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { Moment } from '../../design/shown/Time.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { useEvents } from '../../service/live.tsx';
import { useMay } from '../../service/permissions.ts';
import {
  jobQuery,
  revisionQuery,
  settingsQuery,
  speakersQuery,
  type Job,
  type Speaker,
} from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatDuration } from '../../strings/format.ts';
import { kinds } from '../../strings/kinds.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { LoadedPage } from '../../views/page/LoadedPage.tsx';
import { Page } from '../../views/page/Page.tsx';
import { RevisionLink } from '../../views/resources/RevisionLink.tsx';
import { isPartlyApplied, jobState, JobState } from '../../views/resources/StateBadges.tsx';
import { JobFault } from '../../views/faults/JobFault.tsx';
import { Cause } from './Cause.tsx';
import { JobProgress } from './JobProgress.tsx';
import { PartlyApplied } from './PartlyApplied.tsx';
import { LEFT, Retry } from './Retry.tsx';
import { LATER, statesOfResult, stateOfEvent, type SpeakerState } from './speaker-states.ts';
import { Waves } from './Waves.tsx';

const route = getRouteApi('/applies/$jobId');

export function ApplyPage() {
  const { jobId } = route.useParams();
  return (
    <LoadedPage
      query={useQuery(jobQuery(jobId))}
      title={kinds.apply}
      list={{ to: '/jobs', name: text.navigation.jobs }}
    >
      {(job) => <OneApply key={job.id} job={job} />}
    </LoadedPage>
  );
}

function OneApply({ job }: { job: Job }) {
  const speakers = useQuery(speakersQuery);
  const states = useSpeakerStates(job, speakers.data ?? []);
  const isOfRevision = job.resource?.type === 'revision';
  const { data: revision } = useQuery({
    ...revisionQuery(job.resource?.id ?? ''),
    enabled: isOfRevision,
  });
  const about = revision === undefined ? text.applies.numbered : text.applies.ofRevision(revision.number);
  return (
    <Page
      title={`${about}: ${jobState(job).word}`}
      heading={
        <>
          {text.applies.numbered} <JobState job={job} />
        </>
      }
      actions={<Actions job={job} />}
    >
      <p className="muted">
        {isOfRevision && (
          <>
            <RevisionLink id={job.resource!.id} />
            {' · '}
          </>
        )}
        {text.applies.began} <Moment at={job.started_at ?? job.created_at} />
        {job.started_at !== null && job.finished_at !== null && (
          <>
            , {text.applies.tookFor}{' '}
            {formatDuration((Date.parse(job.finished_at) - Date.parse(job.started_at)) / 1_000)}
          </>
        )}
        {job.requested_by !== null && (
          <>
            {' · '}
            <span className="name">{text.revisions.by(job.requested_by)}</span>
          </>
        )}
      </p>
      {!isOfRevision && <Cause job={job} />}
      {!hasEnded(job) && <JobProgress job={job} speakers={speakers.data ?? []} />}
      {job.error !== null && <JobFault error={job.error} />}
      {isPartlyApplied(job) && <PartlyApplied job={job} />}
      <Loaded query={speakers}>
        {(all) => (
          <Waves
            states={states}
            speakers={all}
            revisionId={isOfRevision ? job.resource!.id : null}
            isOver={hasEnded(job)}
          />
        )}
      </Loaded>
    </Page>
  );
}

/** While it runs, what events said of its speakers; afterwards, what the job says. */
function useSpeakerStates(job: Job, speakers: readonly Speaker[]): readonly SpeakerState[] {
  const [heard, setHeard] = useState<ReadonlyMap<string, SpeakerState>>(new Map());
  useEvents(({ kind, data }) => {
    const state = kind === 'apply' ? stateOfEvent(data, job.id) : null;
    if (state !== null) setHeard((before) => new Map(before).set(state.speakerId, state));
  });
  const { data: settings } = useQuery(settingsQuery);
  return useMemo(() => {
    const ended = statesOfResult(job);
    if (ended.length > 0) return ended;
    const canaries = settings?.settings.deploy_canary_speaker_ids ?? [];
    // Whoever opens the page in the middle of it has missed the first events.
    const known = speakers
      .filter(({ last_apply, id }) => last_apply?.job_id === job.id && !heard.has(id))
      .map(({ id, last_apply }): SpeakerState => ({
        ...{ speakerId: id, wave: canaries.includes(id) ? 0 : 1, error: last_apply!.error },
        ...{ announced: null, withdrawn: null, changed: null, peers: [] },
        state: { running: 'running', ok: 'succeeded', partial: 'partial', failed: 'failed' }[
          last_apply!.status
        ] as SpeakerState['state'],
      }));
    // Which wave they are in only events say, and that they come after whoever has begun is known.
    const isKnown = new Set([...heard.keys(), ...known.map(({ speakerId }) => speakerId)]);
    const waiting = (job.progress?.to_begin ?? [])
      .filter((id) => !isKnown.has(id))
      .map((speakerId): SpeakerState => ({
        ...{ speakerId, wave: LATER, state: 'planned', error: null, peers: [] },
        ...{ announced: null, withdrawn: null, changed: null },
      }));
    return [...heard.values(), ...known, ...waiting];
  }, [job, heard, speakers, settings]);
}

function Actions({ job }: { job: Job }) {
  const toast = useToast();
  const may = useMay();
  const cancelling = useMutation({
    mutationFn: () => client.post('/v1/jobs/{job_id}/cancel', { params: { path: { job_id: job.id } } }),
    onSuccess: () => toast(text.applies.cancelled),
    onError: (error) => toast(error.message),
  });
  if (!hasEnded(job))
    return (
      may('bgp:jobs:write') && (
        <Button isBusy={cancelling.isPending} onClick={() => cancelling.mutate()}>
          {text.applies.cancel}
        </Button>
      )
    );
  // Of one that is partly applied, the button stands beside what went wrong.
  return (
    !isPartlyApplied(job) && statesOfResult(job).some(({ state }) => LEFT.has(state)) && <Retry job={job} />
  );
}
