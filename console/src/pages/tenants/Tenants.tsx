import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { tenantsQuery } from '../../service/host.ts';
import { useMay } from '../../service/permissions.ts';
import { sessionQuery } from '../../service/session.ts';
import { tenantsText } from '../../strings/tenants.ts';
import { formText } from '../../strings/forms.ts';
import { ConfirmDialog } from '../../views/questions/ConfirmDialog.tsx';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { RowAction } from '../../views/tables/RowAction.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Page } from '../../views/page/Page.tsx';
import { CreateDialog, EditDialog } from '../../views/forms/record-dialogs.ts';
import { SecretDialog } from '../../views/forms/SecretDialog.tsx';
import type { FormField } from '../../views/forms/RecordForm.tsx';
import { CreateButton } from '../../views/records/CreateButton.tsx';
import { LimitsDialog } from './LimitsDialog.tsx';
import { StopTenant } from './StopTenant.tsx';

type Tenant = Schemas['Tenant'];

const FIELDS: readonly FormField[] = [
  { name: 'name', label: tenantsText.name, isRequired: true },
  {
    ...{ name: 'slug', label: tenantsText.slug, hint: tenantsText.slugHint },
    ...{ isRequired: true, isFixed: true, isMono: true },
  },
];
/** The one whose keys manage all others: it is always active. */
const DEFAULT_SLUG = 'default';

function editedFields({ slug, status }: Tenant): readonly FormField[] {
  if (slug === DEFAULT_SLUG) return FIELDS;
  // One that is stopped cannot be suspended, whose routes would stay.
  const choices = status === 'stopped' ? ['active', 'stopped'] : ['active', 'suspended'];
  return [
    ...FIELDS,
    {
      ...{ name: 'status', label: tenantsText.status, kind: 'choice', isRequired: true },
      hint: status === 'stopped' ? tenantsText.stoppedHint : tenantsText.statusHint,
      choices: choices.map((value) => ({ value, label: tenantsText.statuses[value]! })),
    },
  ];
}

const TONES: Readonly<Record<Tenant['status'], Tone>> = {
  active: 'good',
  suspended: 'warning',
  stopped: 'bad',
};

/** One that has no router announces nothing, which is neither good nor bad. */
function toneOf({ status, usage }: Tenant): Tone {
  return status === 'active' && usage.peers === 0 ? 'plain' : TONES[status];
}

type Task =
  | { readonly what: 'create' }
  | { readonly what: 'edit' | 'limits' | 'stop' | 'start'; readonly tenant: Tenant }
  /** Of one that was just made. */
  | { readonly what: 'secret'; readonly tenant: Tenant; readonly secret: string };

export function Tenants() {
  const [task, setTask] = useState<Task | null>(null);
  const may = useMay();
  const { data: session } = useQuery(sessionQuery);
  const canWrite = may('tenants:write');
  const columns = columnsOf(session?.tenant.id);
  const actions: Column<Tenant> = {
    ...{ name: formText.actions, isActions: true, value: () => '' },
    cell: (tenant) => (
      <>
        <RowAction data-opens="" onClick={() => setTask({ what: 'edit', tenant })}>
          {formText.edit}
        </RowAction>
        <RowAction onClick={() => setTask({ what: 'limits', tenant })}>{tenantsText.limits}</RowAction>
        {tenant.status !== 'active' && (
          <RowAction onClick={() => setTask({ what: 'start', tenant })}>{tenantsText.start}</RowAction>
        )}
        {tenant.status !== 'stopped' && tenant.slug !== DEFAULT_SLUG && (
          <RowAction onClick={() => setTask({ what: 'stop', tenant })}>{tenantsText.stop}</RowAction>
        )}
      </>
    ),
  };
  return (
    <Page title={tenantsText.title}>
      <p className="muted">{tenantsText.signIn}</p>
      <Loaded query={useQuery(tenantsQuery)}>
        {(tenants) => (
          <DataTable
            caption={tenantsText.title}
            columns={canWrite ? [...columns, actions] : columns}
            rows={tenants}
            keyOf={({ id }) => id}
            file="tenants"
            tools={
              canWrite && (
                <CreateButton action={tenantsText.create} onCreate={() => setTask({ what: 'create' })} />
              )
            }
          />
        )}
      </Loaded>
      {task !== null && <Dialogs task={task} onTask={setTask} onClose={() => setTask(null)} />}
    </Page>
  );
}

interface DialogsProps {
  readonly task: Task;
  readonly onTask: (task: Task) => void;
  readonly onClose: () => void;
}

function Dialogs({ task, onTask, onClose }: DialogsProps) {
  const toast = useToast();
  const finish = (said: string): void => {
    onClose();
    toast(said);
  };
  switch (task.what) {
    case 'create':
      return (
        <CreateDialog
          title={tenantsText.create}
          path="/v1/tenants"
          fields={FIELDS}
          isOpen
          onClose={onClose}
          onDone={(created) => {
            const { api_key: key, ...tenant } = created as unknown as Schemas['TenantCreated'];
            onTask({ what: 'secret', tenant, secret: key.secret });
          }}
        >
          <p>{tenantsText.beginsClosed}</p>
        </CreateDialog>
      );
    case 'secret':
      return (
        <SecretDialog
          name={tenantsText.firstKey(task.tenant.name)}
          secret={task.secret}
          // It may announce nothing before they are set.
          onClose={() => onTask({ what: 'limits', tenant: task.tenant })}
        />
      );
    case 'limits':
      return <LimitsDialog tenant={task.tenant} onClose={onClose} onDone={() => finish(formText.saved)} />;
    case 'edit':
      return (
        <EditDialog
          title={formText.editTitle(task.tenant.name)}
          path={`/v1/tenants/${task.tenant.id}`}
          fields={editedFields(task.tenant)}
          warningOf={({ status }) => (status === 'suspended' ? tenantsText.suspends(task.tenant.name) : null)}
          isOpen
          onClose={onClose}
          onDone={() => finish(formText.saved)}
        />
      );
    case 'stop':
      return (
        <StopTenant
          tenant={task.tenant}
          onClose={onClose}
          onDone={() => finish(tenantsText.stopped(task.tenant.name))}
        />
      );
    case 'start': {
      const { id, name, status } = task.tenant;
      return (
        <ConfirmDialog
          title={tenantsText.startTitle(name)}
          what={tenantsText.startWhat[status === 'stopped' ? 'stopped' : 'suspended']}
          back={tenantsText.startBack}
          action={tenantsText.start}
          write={{ method: 'PATCH', path: `/v1/tenants/${id}`, body: { status: 'active' } }}
          onClose={onClose}
          onDone={() => finish(tenantsText.started(name))}
        />
      );
    }
  }
}

function columnsOf(shownId: string | undefined): Column<Tenant>[] {
  const counts = (['modules', 'entries', 'speakers', 'peers'] as const).map((what): Column<Tenant> => ({
    ...{ name: tenantsText[what], isNumber: true },
    value: ({ usage }) => usage[what],
    saved: { [tenantsText[what]]: ({ usage, quotas }) => tenantsText.ofQuota(usage[what], quotas[what]) },
    cell: ({ usage, quotas }) => tenantsText.ofQuota(usage[what], quotas[what]),
  }));
  return [
    {
      name: tenantsText.name,
      value: ({ name }) => name,
      cell: ({ id, name }) => (
        <>
          <span className="name" title={name}>
            {name}
          </span>{' '}
          {id === shownId && <Badge tone="accent">{tenantsText.shown}</Badge>}
        </>
      ),
    },
    { name: tenantsText.slug, value: ({ slug }) => slug, cell: ({ slug }) => <code>{slug}</code> },
    {
      name: tenantsText.status,
      value: ({ status }) => tenantsText.statuses[status]!,
      cell: (tenant) => <Badge tone={toneOf(tenant)}>{tenantsText.statuses[tenant.status]}</Badge>,
    },
    ...counts,
  ];
}
