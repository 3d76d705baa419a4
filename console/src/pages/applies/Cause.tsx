import { useQuery } from '@tanstack/react-query';
import type { AuditRecord } from '../../service/operations.ts';
import { changeBeforeQuery } from '../../service/route-changes.ts';
import type { Job } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { planText } from '../../strings/plan.ts';
import { peersText } from '../../strings/speakers.ts';
import { ResourceLink } from '../../views/resources/ResourceLink.tsx';

/** Of an apply of no revision, the change of configuration that it brings to routers: which, whose, and from what to what. */
export function Cause({ job }: { job: Job }) {
  const { data: record } = useQuery(changeBeforeQuery(job));
  const subject = job.resource ?? (job.parent_id === null ? null : SETTINGS);
  if (subject === null) return <p>{text.applies.again}</p>;
  return (
    <>
      <p>
        {text.applies.cause}{' '}
        <ResourceLink {...subject} name={subject === SETTINGS ? text.navigation.settings : null} />
        {record !== undefined && record !== null && (
          <span className="name"> {text.revisions.by(record.actor)}</span>
        )}
      </p>
      {record !== undefined && record !== null && <Changes record={record} />}
    </>
  );
}

/** They have no id. */
const SETTINGS = { type: 'settings', id: '' };

const LABELS: Readonly<Record<string, string>> = {
  next_hop_ipv4: peersText.nextHop4,
  next_hop_ipv6: peersText.nextHop6,
};

function Changes({ record: { changes } }: { record: AuditRecord }) {
  const [before, after] = [membersOf(changes.before), membersOf(changes.after)];
  const names = Object.keys(before).filter(
    (name) =>
      name in after && JSON.stringify(before[name]) !== JSON.stringify(after[name]) && name !== 'updated_at',
  );
  if (names.length === 0) return null;
  return (
    <ul>
      {names.map((name) => (
        <li key={name}>{planText.field(LABELS[name] ?? name, shown(before[name]), shown(after[name]))}</li>
      ))}
    </ul>
  );
}

/** Settings one by one. */
function membersOf(side: AuditRecord['changes']['before']): Readonly<Record<string, unknown>> {
  return {
    ...side,
    ...(typeof side?.settings === 'object' ? { settings: undefined, ...side.settings } : {}),
  };
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return text.none;
  if (typeof value === 'boolean') return value ? text.yes : text.no;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
