import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Url } from '../../design/shown/Url.tsx';
import { webhooksQuery, type Webhook } from '../../service/outlets.ts';
import { formatList } from '../../strings/format.ts';
import { webhooksText as words } from '../../strings/webhooks.ts';
import { Page } from '../../views/page/Page.tsx';
import type { Column } from '../../views/tables/DataTable.tsx';
import { timeColumn } from '../../views/tables/shared-columns.tsx';
import { Records } from '../../views/records/Records.tsx';
import { SecretDialog } from '../../views/forms/SecretDialog.tsx';
import { WEBHOOK_FIELDS, webhookState } from './webhook-parts.tsx';

const COLUMNS: readonly Column<Webhook>[] = [
  {
    name: words.name,
    value: ({ name }) => name,
    cell: ({ id, name }) => (
      <Link className="name" to="/webhooks/$webhookId" params={{ webhookId: id }} title={name}>
        {name}
      </Link>
    ),
  },
  {
    name: words.state,
    value: (webhook) => webhookState(webhook).word,
    cell: (webhook) => <Badge tone={webhookState(webhook).tone}>{webhookState(webhook).word}</Badge>,
  },
  {
    name: words.url,
    value: ({ url }) => url,
    cell: ({ url }) => <Url url={url} />,
  },
  {
    name: words.events,
    value: eventsOf,
    cell: (webhook) => <span className="wraps">{eventsOf(webhook)}</span>,
  },
  timeColumn(words.last, ({ last_delivered_at }) => last_delivered_at),
];

function eventsOf({ events }: Webhook): string {
  return formatList(events.map((kind) => words.kinds[kind]));
}

interface Secret {
  readonly name: string;
  readonly secret: string;
}

export function Webhooks() {
  const [secret, setSecret] = useState<Secret | null>(null);
  return (
    <Page title={words.title}>
      <Records
        title={words.title}
        query={useQuery(webhooksQuery)}
        columns={COLUMNS}
        path="/v1/webhooks"
        fields={WEBHOOK_FIELDS}
        permission="bgp:webhooks:write"
        hasPages
        nameOf={({ name }) => name}
        create={words.create}
        empty={{ title: words.emptyTitle, what: words.empty, command: words.command }}
        onCreated={({ name, secret: value }) => setSecret({ name: String(name), secret: String(value) })}
      />
      {secret !== null && <SecretDialog {...secret} onClose={() => setSecret(null)} />}
    </Page>
  );
}
