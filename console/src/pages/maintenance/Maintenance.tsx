import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { client } from '../../service/client.ts';
import { policiesQuery } from '../../service/host.ts';
import { text } from '../../strings/english.ts';
import { maintenanceText } from '../../strings/host.ts';
import type { Column } from '../../views/tables/DataTable.tsx';
import { timeColumn } from '../../views/tables/shared-columns.tsx';
import { Page } from '../../views/page/Page.tsx';
import { Begun } from '../../views/resources/Begun.tsx';
import { ConfirmDialog } from '../../views/questions/ConfirmDialog.tsx';
import { Records } from '../../views/records/Records.tsx';
import { RowAction } from '../../views/tables/RowAction.tsx';
import type { FormField } from '../../views/forms/RecordForm.tsx';

type Policy = Schemas['MaintenancePolicy'];

const KINDS: readonly Policy['kind'][] = [
  'revision_prune',
  'job_prune',
  'audit_prune',
  'runtime_logs_cleanup',
  'postgres_vacuum',
  'postgres_analyze',
  'postgres_reindex',
];

const FIELDS: readonly FormField[] = [
  { name: 'name', label: maintenanceText.name, isRequired: true },
  {
    ...{ name: 'kind', label: maintenanceText.kind, kind: 'choice', isRequired: true, isFixed: true },
    choices: KINDS.map((value) => ({ value, label: maintenanceText.kinds[value] })),
  },
  {
    ...{ name: 'schedule', label: maintenanceText.schedule, hint: maintenanceText.scheduleHint },
    isMono: true,
  },
  { name: 'enabled', label: maintenanceText.enabled, kind: 'toggle', initial: true },
];

const COLUMNS: readonly Column<Policy>[] = [
  {
    name: maintenanceText.name,
    value: ({ name }) => name,
    cell: ({ name }) => (
      <span className="name" title={name}>
        {name}
      </span>
    ),
  },
  {
    name: maintenanceText.kind,
    value: ({ kind }) => maintenanceText.kinds[kind],
    saved: { [maintenanceText.kind]: doesOf },
    cell: (policy) => (
      <>
        {maintenanceText.kinds[policy.kind]} <div className="muted">{ageOf(policy)}</div>
      </>
    ),
  },
  {
    name: maintenanceText.schedule,
    value: ({ schedule }) => schedule ?? '',
    cell: ({ schedule }) => <code>{schedule}</code>,
  },
  timeColumn(maintenanceText.next, ({ next_run_at }) => next_run_at),
  {
    name: maintenanceText.last,
    value: ({ last_run }) => last_run?.queued_at ?? '',
    saved: {
      [maintenanceText.last]: ({ last_run }) => last_run?.finished_at ?? last_run?.queued_at ?? text.never,
      [maintenanceText.lastState]: ({ last_run }) =>
        last_run === null ? '' : text.applies.jobStates[last_run.state],
    },
    cell: ({ last_run }) =>
      last_run === null ? (
        <span className="muted">{text.never}</span>
      ) : (
        <>
          <Link to="/jobs/$jobId" params={{ jobId: last_run.job_id }}>
            <Badge tone={last_run.state === 'failed' ? 'bad' : 'plain'}>
              {text.applies.jobStates[last_run.state]}
            </Badge>
          </Link>{' '}
          <Time at={last_run.finished_at ?? last_run.queued_at} />
        </>
      ),
  },
];

export function Maintenance() {
  return (
    <Page title={maintenanceText.title}>
      <Records
        title={maintenanceText.title}
        query={useQuery(policiesQuery)}
        columns={COLUMNS}
        path="/v1/maintenance/policies"
        fields={FIELDS}
        permission="bgp:maintenance:write"
        madeAgain={{ also: ['parameters'] }}
        nameOf={({ name }) => name}
        create={maintenanceText.create}
        empty={{
          title: maintenanceText.emptyTitle,
          what: maintenanceText.empty,
          command: maintenanceText.command,
        }}
        actionsOf={(policy) => <Run policy={policy} />}
      />
    </Page>
  );
}

/** How old it has to be, of kinds that go by it. */
function ageOf({ kind, parameters: { older_than_days: days } }: Policy): string {
  if (days !== undefined && days !== null) return maintenanceText.olderThan(days);
  return kind === 'revision_prune' ? maintenanceText.olderThanSetting : '';
}

function doesOf(policy: Policy): string {
  return `${maintenanceText.kinds[policy.kind]} ${ageOf(policy)}`.trim();
}

function Run({ policy }: { policy: Policy }) {
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <RowAction onClick={() => setAsking(true)}>{maintenanceText.run}</RowAction>
      {isAsking && <RunDialog policy={policy} onClose={() => setAsking(false)} />}
    </>
  );
}

/** What is removed does not come back, so it says how much that is before it runs. */
function RunDialog({ policy, onClose }: { policy: Policy; onClose: () => void }) {
  const { id, name, kind } = policy;
  const toast = useToast();
  const { data: tried } = useQuery({
    queryKey: ['maintenance', id, 'trial'],
    queryFn: () => client.post('/v1/maintenance/policies/{id}/dry-run', { params: { path: { id } } }),
    gcTime: 0,
  });
  const does = doesOf(policy);
  return (
    <ConfirmDialog
      title={maintenanceText.runTitle(name)}
      what={tried === undefined ? maintenanceText.counting : maintenanceText.runWhat(does, tried.count)}
      back={kind.startsWith('postgres') ? maintenanceText.runKeeps : maintenanceText.runForGood}
      action={maintenanceText.run}
      write={{ method: 'POST', path: `/v1/maintenance/policies/${id}/run` }}
      onClose={onClose}
      onDone={(job) => {
        onClose();
        toast(<Begun what={maintenanceText.began} jobId={(job as Schemas['Job']).id} />, { about: id });
      }}
    />
  );
}
