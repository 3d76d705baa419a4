import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button } from '../../design/controls/Button.tsx';
import { useMay } from '../../service/permissions.ts';
import { speakersQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { overviewText } from '../../strings/overview.ts';
import { SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import { RevisionLink } from '../../views/resources/RevisionLink.tsx';
import { awayCanaries, othersThan } from '../../../../src/api/activity/canary-speakers.ts';
import type { Job } from '../../../../src/api/activity/seen.ts';
import { ChooseCanaries } from './ChooseCanaries.tsx';
import { Line } from './Line.tsx';

/** Seldom asked for. */
const PastCanaries = lazy(async () => ({ default: (await import('./PastCanaries.tsx')).PastCanaries }));

/** One that waits for canaries nobody hears of says so: it looks like one that goes on. */
export function RunningApply({ job }: { readonly job: Job }) {
  const { data: speakers = [] } = useQuery(speakersQuery);
  const may = useMay();
  const [isAsked, setAsked] = useState(false);
  const away = awayCanaries(job, speakers);
  const others = othersThan(away, speakers);
  const revisionId = job.resource?.type === 'revision' ? job.resource.id : null;
  const isPassed = away.length > 0 && others.length > 0 && revisionId !== null && may('bgp:deploy:write');
  return (
    <Line
      tone={away.length > 0 ? 'warning' : 'accent'}
      word={text.overview.running}
      since={job.started_at ?? undefined}
    >
      {revisionId !== null && <RevisionLink id={revisionId} />}
      {away.length > 0 && (
        <span>
          {overviewText.waitsForCanary(away.length)}{' '}
          {away.map(({ id, name }) => (
            <span key={id}>
              <SpeakerLink id={id} name={name} />{' '}
            </span>
          ))}
          {overviewText.outOfReach(away.length)}
        </span>
      )}
      <Link to="/applies/$jobId" params={{ jobId: job.id }}>
        {text.overview.watch}
      </Link>
      {away.length > 0 && <ChooseCanaries />}
      {isPassed && (
        <Button look="quiet" onClick={() => setAsked(true)}>
          {overviewText.pastCanaries}
        </Button>
      )}
      {isPassed && isAsked && (
        <Suspense>
          <PastCanaries revisionId={revisionId} speakers={others} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </Line>
  );
}
