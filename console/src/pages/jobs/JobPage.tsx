import { hasEnded } from '@prefixcast/client';
import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Button } from '../../design/controls/Button.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../service/permissions.ts';
import { jobQuery, type Job } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatBytes, formatNumber } from '../../strings/format.ts';
import { maintenanceText } from '../../strings/host.ts';
import { kinds } from '../../strings/kinds.ts';
import { jobsText } from '../../strings/operations.ts';
import { JobFault } from '../../views/faults/JobFault.tsx';
import { LoadedPage } from '../../views/page/LoadedPage.tsx';
import { Lines } from '../../design/shown/Lines.tsx';
import { Page, Section } from '../../views/page/Page.tsx';
import { RevisionLink } from '../../views/resources/RevisionLink.tsx';
import { jobState, JobState } from '../../views/resources/StateBadges.tsx';
import { JobSubject, Took } from './job-parts.tsx';

const route = getRouteApi('/jobs/$jobId');

export function JobPage() {
  const { jobId } = route.useParams();
  return (
    <LoadedPage
      query={useQuery(jobQuery(jobId))}
      title={kinds.job}
      list={{ to: '/jobs', name: text.navigation.jobs }}
    >
      {(job) => <OneJob job={job} />}
    </LoadedPage>
  );
}

function OneJob({ job }: { job: Job }) {
  const name = jobsText.types[job.type];
  return (
    <Page
      title={jobsText.tab(name, jobState(job).word)}
      heading={
        <>
          {name} <JobState job={job} />
        </>
      }
      actions={<Actions job={job} />}
    >
      <Facts job={job} />
      {job.error !== null && <JobFault error={job.error} />}
      {job.result !== null && (
        <Section title={jobsText.result}>
          <Result result={job.result} />
        </Section>
      )}
    </Page>
  );
}

function Actions({ job }: { job: Job }) {
  const toast = useToast();
  const may = useMay();
  const cancelling = useMutation({
    mutationFn: () => client.post('/v1/jobs/{job_id}/cancel', { params: { path: { job_id: job.id } } }),
    onSuccess: () => toast(jobsText.cancelled),
    onError: (error) => toast(error.message),
  });
  return (
    <>
      {job.type === 'apply' && (
        <Link className="button" to="/applies/$jobId" params={{ jobId: job.id }}>
          {jobsText.waves}
        </Link>
      )}
      <Link className="button" to="/audit" search={{ resource_id: job.resource?.id ?? job.id }}>
        {jobsText.audit}
      </Link>
      {!hasEnded(job) && may('bgp:jobs:write') && (
        <Button isBusy={cancelling.isPending} onClick={() => cancelling.mutate()}>
          {jobsText.cancel}
        </Button>
      )}
    </>
  );
}

function Facts({ job }: { job: Job }) {
  return (
    <dl className="facts">
      <dt>{jobsText.about}</dt>
      <dd>{job.resource === null ? text.none : <JobSubject job={job} />}</dd>
      <dt>{jobsText.asked}</dt>
      <dd className="name">{job.requested_by ?? text.none}</dd>
      <dt>{jobsText.queued}</dt>
      <dd>
        <Time at={job.queued_at} />
      </dd>
      {job.finished_at !== null && (
        <>
          <dt>{jobsText.took}</dt>
          <dd>
            <Took job={job} />
          </dd>
        </>
      )}
      {job.progress !== null && !hasEnded(job) && (
        <>
          <dt>{jobsText.progress}</dt>
          <dd>
            {text.applies.phases[job.progress.phase] ?? job.progress.phase}{' '}
            {job.progress.total !== null && text.overview.ofAll(job.progress.done, job.progress.total)}
          </dd>
        </>
      )}
      {job.parent_id !== null && (
        <>
          <dt>{jobsText.parent}</dt>
          <dd>
            <Link to="/jobs/$jobId" params={{ jobId: job.parent_id }}>
              {jobsText.parentJob}
            </Link>
          </dd>
        </>
      )}
    </dl>
  );
}

/** Members with their values; what a name says to be a revision or a job leads there. */
function Result({ result }: { result: Readonly<Record<string, unknown>> }) {
  return (
    <dl className="facts">
      {Object.entries(result).map(([name, value]) => (
        <div key={name} className="sides-row">
          <dt>{RESULT_WORDS[name] ?? <code>{name}</code>}</dt>
          <dd>
            <Value name={name} value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** Those that have no words have their name in the API. */
const RESULT_WORDS: Readonly<Partial<Record<string, string>>> = jobsText.members;

function isKind(value: unknown): value is keyof typeof maintenanceText.kinds {
  return typeof value === 'string' && Object.hasOwn(maintenanceText.kinds, value);
}

function Value({ name, value }: { name: string; value: unknown }) {
  if (typeof value === 'string' && name === 'revision_id') return <RevisionLink id={value} />;
  if (typeof value === 'string' && name.endsWith('job_id'))
    return (
      <Link to="/jobs/$jobId" params={{ jobId: value }}>
        {jobsText.parentJob}
      </Link>
    );
  if (value === null || (Array.isArray(value) && value.length === 0)) return text.none;
  if (name === 'kind' && isKind(value)) return maintenanceText.kinds[value];
  if (typeof value === 'number')
    return <>{name.startsWith('bytes') ? formatBytes(value) : formatNumber(value)}</>;
  if (typeof value === 'boolean') return <>{value ? text.yes : text.no}</>;
  // At most a hundred.
  if (name === 'names' && Array.isArray(value)) return <span className="name">{value.join(', ')}</span>;
  if (typeof value === 'object')
    return (
      <details>
        <summary>{Array.isArray(value) ? jobsText.parts(value.length) : jobsText.whole}</summary>
        <Lines text={JSON.stringify(value, null, 2)} label={name} />
      </details>
    );
  return <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>;
}
