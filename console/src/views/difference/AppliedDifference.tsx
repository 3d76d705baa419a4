import { ApiProblem } from '@prefixcast/client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { diffQuery, type DiffSummary, type Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { ChangeCounts, FamilyCounts } from './Counts.tsx';
import { Loaded } from '../page/Loaded.tsx';

/** How many routes of what is applied now would be announced, withdrawn and changed by a revision. */
export function AppliedDifference({ revision }: { revision: Revision }) {
  const pair = `applied...${revision.number}`;
  const difference = useInfiniteQuery(diffQuery('applied', String(revision.number)));
  if (difference.error instanceof ApiProblem && difference.error.code === 'not_found')
    return (
      <p>
        {text.revisions.firstApply} <FamilyCounts counts={revision.prefix_count} />
      </p>
    );
  return (
    <Loaded query={difference}>
      {({ pages }) =>
        isNothing(pages[0]!.summary) ? (
          <p>{text.compare.sameAsApplied}</p>
        ) : (
          <p>
            <ChangeCounts summary={pages[0]!.summary} />{' '}
            <Link to="/compare/$pair" params={{ pair }}>
              {text.compare.difference}
            </Link>
          </p>
        )
      }
    </Loaded>
  );
}

function isNothing({ announced, withdrawn, changed }: DiffSummary): boolean {
  return announced + withdrawn + changed === 0;
}
