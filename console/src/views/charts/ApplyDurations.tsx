import { Link } from '@tanstack/react-router';
import { Time } from '../../design/shown/Time.tsx';
import type { Job } from '../../service/queries.ts';
import { chartText } from '../../strings/charts.ts';
import { formatDuration, formatHour } from '../../strings/format.ts';
import { isPartlyApplied, jobState } from '../resources/StateBadges.tsx';
import { durationColumn } from '../tables/shared-columns.tsx';
import { Chart, NoChart } from './Chart.tsx';

const said = chartText.applies;

interface Ended {
  readonly job: Job;
  readonly seconds: number;
}

/** How long the latest applies took, the oldest of them at the left. */
export function ApplyDurations({ applies }: { applies: readonly Job[] }) {
  const ended = applies
    .flatMap((job): Ended[] => {
      const seconds = secondsOf(job);
      return seconds === null ? [] : [{ job, seconds }];
    })
    .toSorted((left, right) => left.job.created_at.localeCompare(right.job.created_at));
  if (ended.length === 0) return <NoChart title={said.title} why={said.none} />;
  const durations = ended.map(({ seconds }) => seconds).toSorted((left, right) => left - right);
  const median = durations[Math.floor((durations.length - 1) / 2)]!;
  const secondsOfThose = (kind: 'done' | 'partly' | 'failed') =>
    ended.map(({ job, seconds }) => (kindOf(job) === kind ? seconds : null));
  return (
    <Chart
      title={said.title}
      summary={said.summary(ended.length, formatDuration(median), formatDuration(durations.at(-1)!))}
      kind="bars"
      places={ended.map(({ job }, at) => ({ at, label: formatHour(job.created_at) }))}
      series={[
        { label: said.ended, colour: '--accent', values: secondsOfThose('done') },
        {
          ...{ label: said.partly, colour: '--warning', pattern: 'hatched' },
          values: secondsOfThose('partly'),
        },
        {
          ...{ label: said.failed, colour: '--bad', pattern: 'crossed' },
          values: secondsOfThose('failed'),
        },
      ]}
      isWhole={false}
      format={formatDuration}
      rows={ended}
      columns={[
        {
          name: said.began,
          value: ({ job }) => job.created_at,
          cell: ({ job }) => (
            <Link to="/applies/$jobId" params={{ jobId: job.id }}>
              <Time at={job.created_at} />
            </Link>
          ),
        },
        {
          name: said.state,
          value: ({ job }) => jobState(job).word,
          cell: ({ job }) => jobState(job).word,
        },
        durationColumn<Ended>(said.seconds, ({ seconds }) => seconds),
      ]}
      keyOf={({ job }) => job.id}
      file="apply-durations"
    />
  );
}

function kindOf(job: Job): 'done' | 'partly' | 'failed' {
  if (job.state !== 'succeeded') return 'failed';
  return isPartlyApplied(job) ? 'partly' : 'done';
}

/** Null: it has not begun, or not ended. */
export function secondsOf({ started_at, finished_at }: Job): number | null {
  if (started_at === null || finished_at === null) return null;
  return (Date.parse(finished_at) - Date.parse(started_at)) / 1_000;
}
