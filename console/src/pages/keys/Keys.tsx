import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { mayGrant, ROLES, type Role } from '../../../../src/api/access/permissions.ts';
import { Badge } from '../../design/shown/Badge.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { Empty } from '../../design/messages/Empty.tsx';
import { useToast } from '../../design/messages/Toasts.tsx';
import { keysQuery, type ApiKey } from '../../service/operations.ts';
import { useMay } from '../../service/permissions.ts';
import { sessionQuery, signIn, type Session } from '../../service/session.ts';
import { formText } from '../../strings/forms.ts';
import { keysText } from '../../strings/operations.ts';
import { ConfirmDialog } from '../../views/questions/ConfirmDialog.tsx';
import type { Column } from '../../views/tables/column.ts';
import { RowAction } from '../../views/tables/RowAction.tsx';
import { timeColumn } from '../../views/tables/shared-columns.tsx';
import { CreateButton } from '../../views/records/CreateButton.tsx';
import { List } from '../../views/records/List.tsx';
import { Page } from '../../views/page/Page.tsx';
import { CreateDialog, EditDialog } from '../../views/forms/record-dialogs.ts';
import type { FormField } from '../../views/forms/RecordForm.tsx';
import { SecretDialog } from '../../views/forms/SecretDialog.tsx';
import { HostLink, SpeakerLink } from '../../views/resources/ResourceLink.tsx';

/** Nodes and firewall clients get theirs when they enroll. */
const FIELDS: readonly FormField[] = [
  { name: 'name', label: keysText.name, hint: keysText.nameHint, isRequired: true },
  {
    ...{ name: 'role', label: keysText.role, hint: keysText.roleHint, kind: 'choice', isRequired: true },
    ...{
      initial: 'viewer',
      choices: ROLES.map((value) => ({ value, label: `${value}: ${keysText.roles[value]}` })),
    },
  },
  { name: 'expires_at', label: keysText.expiresAt, hint: keysText.expiresHint, kind: 'time' },
];

/** Nobody makes a key that may do more than their own. */
function fieldsOf(role: Role | undefined): readonly FormField[] {
  return FIELDS.map((field) =>
    field.name === 'role' && role !== undefined
      ? { ...field, choices: field.choices!.filter(({ value }) => mayGrant(role, value as Role)) }
      : field,
  );
}

/** What it may do is settled when it is made. */
const CHANGED_FIELDS = FIELDS.filter(({ name }) => name !== 'role');

type Task =
  | { readonly what: 'create' }
  | { readonly what: 'edit' | 'rotate' | 'revoke'; readonly key: ApiKey }
  | { readonly what: 'secret'; readonly name: string; readonly secret: string };

export function Keys() {
  const [task, setTask] = useState<Task | null>(null);
  const may = useMay();
  const { data: session } = useQuery(sessionQuery);
  const creating = may('bgp:keys:write') && (
    <CreateButton action={keysText.create} onCreate={() => setTask({ what: 'create' })} />
  );
  return (
    <Page title={keysText.title}>
      <List
        query={useQuery(keysQuery)}
        caption={keysText.title}
        columns={columnsOf(session, may('bgp:keys:write') ? setTask : null)}
        keyOf={({ id }) => id}
        file="api-keys"
        tools={creating}
        empty={
          <Empty
            title={keysText.emptyTitle}
            what={keysText.empty}
            action={creating}
            command={keysText.command}
          />
        }
      />
      {task !== null && <Dialogs task={task} session={session} onTask={setTask} />}
    </Page>
  );
}

interface DialogsProps {
  readonly task: Task;
  readonly session: Session | undefined;
  readonly onTask: (task: Task | null) => void;
}

function Dialogs({ task, session, onTask }: DialogsProps) {
  const toast = useToast();
  const ownId = session?.key.id;
  const close = (): void => onTask(null);
  /** Where it concerns the session that asks, that is said. */
  const saidOf = (key: ApiKey, what: string, own: string): string =>
    key.id === ownId ? `${what} ${own}` : what;
  switch (task.what) {
    case 'create':
      return (
        <CreateDialog
          title={keysText.create}
          path="/v1/api-keys"
          fields={fieldsOf(session?.role)}
          isOpen
          onClose={close}
          onDone={({ name, secret }) =>
            onTask({ what: 'secret', name: String(name), secret: String(secret) })
          }
        />
      );
    case 'secret':
      return <SecretDialog name={task.name} secret={task.secret} onClose={close} />;
    case 'edit':
      return (
        <EditDialog
          title={formText.editTitle(task.key.name)}
          path={`/v1/api-keys/${task.key.id}`}
          fields={CHANGED_FIELDS}
          isOpen
          onClose={close}
          onDone={() => {
            close();
            toast(formText.saved);
          }}
        />
      );
    case 'rotate':
      return (
        <ConfirmDialog
          title={keysText.rotateTitle(task.key.name)}
          what={saidOf(task.key, keysText.rotateWhat, keysText.rotateOwn)}
          concerned={<Users apiKey={task.key} />}
          back={keysText.rotateBack}
          action={keysText.rotate}
          write={{ method: 'POST', path: `/v1/api-keys/${task.key.id}/rotate`, body: {} }}
          withIt={task.key.id === ownId ? goOnWith : undefined}
          onClose={close}
          onDone={(answer) =>
            onTask({
              what: 'secret',
              name: task.key.name,
              secret: secretOf(answer),
            })
          }
        />
      );
    case 'revoke':
      return (
        <ConfirmDialog
          title={keysText.revokeTitle(task.key.name)}
          what={saidOf(task.key, keysText.revokeWhat, keysText.revokeOwn)}
          concerned={<Users apiKey={task.key} />}
          back={keysText.revokeBack}
          action={keysText.revoke}
          write={{ method: 'DELETE', path: `/v1/api-keys/${task.key.id}` }}
          onClose={close}
          onDone={() => {
            close();
            toast(keysText.revokedNow(task.key.name));
          }}
        />
      );
  }
}

/** Who is refused from then on, as far as anybody knows. */
function Users({ apiKey }: { apiKey: ApiKey }) {
  const { last_used_at: at, speaker_id: speaker, firewall_client_id: host } = apiKey;
  return (
    <>
      <p>
        {at === null ? (
          keysText.unused
        ) : (
          <>
            {keysText.lastUse} <Time at={at} />.
          </>
        )}
      </p>
      {speaker !== null && <p>{keysText.ofNode}</p>}
      {host !== null && <p>{keysText.ofHost}</p>}
    </>
  );
}

function secretOf(answer: unknown): string {
  return (answer as { readonly secret: string }).secret;
}

/** The session has ended with the old secret. Without a new one, the window that asks for a key comes above the secret, which stays. */
async function goOnWith(answer: unknown): Promise<void> {
  await signIn(secretOf(answer)).catch(() => undefined);
}

function stateOf({ revoked_at, expires_at }: ApiKey): 'works' | 'expired' | 'revoked' {
  if (revoked_at !== null) return 'revoked';
  return expires_at !== null && Date.parse(expires_at) < Date.now() ? 'expired' : 'works';
}

/** The name, which leads to the node or the host whose key it is. */
function Owner({ apiKey: { name, speaker_id: speaker, firewall_client_id: host } }: { apiKey: ApiKey }) {
  if (speaker !== null) return <SpeakerLink id={speaker} name={name} />;
  if (host !== null) return <HostLink id={host} name={name} />;
  return (
    <span className="name" title={name}>
      {name}
    </span>
  );
}

function columnsOf(session: Session | undefined, onTask: ((task: Task) => void) | null): Column<ApiKey>[] {
  const ownId = session?.key.id;
  const columns: Column<ApiKey>[] = [
    {
      name: keysText.name,
      value: ({ name }) => name,
      cell: (apiKey) => (
        <>
          <Owner apiKey={apiKey} /> {apiKey.id === ownId && <Badge tone="accent">{keysText.own}</Badge>}
        </>
      ),
    },
    { name: keysText.role, value: ({ role }) => role, cell: ({ role }) => role },
    {
      name: keysText.state,
      value: (key) => keysText[stateOf(key)],
      cell: (key) => (
        <Badge tone={stateOf(key) === 'works' ? 'good' : 'plain'}>{keysText[stateOf(key)]}</Badge>
      ),
    },
    {
      name: keysText.prefix,
      value: ({ prefix }) => prefix,
      cell: ({ prefix }) => <code>{prefix}</code>,
    },
    timeColumn(keysText.used, ({ last_used_at }) => last_used_at),
    timeColumn(keysText.expires, ({ expires_at }) => expires_at),
    {
      name: keysText.by,
      value: ({ created_by }) => created_by ?? '',
      cell: ({ created_by }) => <span className="name">{created_by}</span>,
    },
  ];
  if (onTask === null) return columns;
  return [
    ...columns,
    {
      ...{ name: keysText.revoke, isActions: true, value: () => '' },
      cell: (key) =>
        key.revoked_at === null &&
        session !== undefined &&
        mayGrant(session.role, key.role) && (
          <>
            <RowAction data-opens="" onClick={() => onTask({ what: 'edit', key })}>
              {formText.edit}
            </RowAction>
            <RowAction onClick={() => onTask({ what: 'rotate', key })}>{keysText.rotate}</RowAction>
            <RowAction onClick={() => onTask({ what: 'revoke', key })}>{keysText.revoke}</RowAction>
          </>
        ),
    },
  ];
}
