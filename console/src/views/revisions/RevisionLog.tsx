import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { Time } from '../../design/shown/Time.tsx';
import type { Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber } from '../../strings/format.ts';
import { revisionTableText } from '../../strings/revision-table.ts';
import { FamilyCounts } from '../difference/Counts.tsx';
import { RevisionState } from '../resources/StateBadges.tsx';
import { runningByContent, runsAs } from './same-content.ts';
import './revision-log.css';

function SameContent({ number }: { number: number | undefined }) {
  if (number === undefined) return null;
  return <span className="muted">{revisionTableText.sameAs(formatNumber(number))}</span>;
}

/** Revisions as a log, newest first: what they are, why they were made, and where they run. */
export function RevisionLog({ revisions }: { revisions: readonly Revision[] }) {
  const running = runningByContent(revisions);
  return (
    <ol className="log">
      {revisions.map((revision) => (
        <li key={revision.id} className={revision.applied_on.length > 0 ? 'is-applied' : ''}>
          <Link
            className="number log-number"
            to="/revisions/$revision"
            params={{ revision: String(revision.number) }}
          >
            {revision.number}
          </Link>
          <span className="log-states">
            <RevisionState state={revision.state} />
            {revision.applied_on.length > 0 && (
              <Badge tone="accent">{text.revisions.speakers(revision.applied_on.length)}</Badge>
            )}
            <SameContent number={runsAs(revision, running)} />
            {revision.pinned && <Badge>{text.revisions.pinned}</Badge>}
          </span>
          <span className="log-why muted">
            {revision.rollback_of === null
              ? text.revisions.triggers[revision.trigger.kind]
              : text.revisions.rollbackOf}
            {revision.trigger.actor !== null && (
              <span className="name"> {text.revisions.by(revision.trigger.actor)}</span>
            )}
          </span>
          <FamilyCounts counts={revision.prefix_count} />
          <span className="muted log-time">
            <Time at={revision.created_at} />
          </span>
        </li>
      ))}
    </ol>
  );
}
