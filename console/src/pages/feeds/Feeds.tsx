import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge, type Tone } from '../../design/shown/Badge.tsx';
import { Time } from '../../design/shown/Time.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { firewallClientsQuery } from '../../service/host.ts';
import { feedsQuery, type Feed } from '../../service/outlets.ts';
import { useMay } from '../../service/permissions.ts';
import { communitiesQuery, modulesQuery } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { feedsText } from '../../strings/feeds.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { Remedy } from '../../views/faults/Remedy.tsx';
import { ConfirmDialog } from '../../views/questions/ConfirmDialog.tsx';
import type { Column } from '../../views/tables/DataTable.tsx';
import { prefixColumn, timeColumn } from '../../views/tables/shared-columns.tsx';
import { Page } from '../../views/page/Page.tsx';
import { Records } from '../../views/records/Records.tsx';
import { RowAction } from '../../views/tables/RowAction.tsx';
import type { FormField } from '../../views/forms/RecordForm.tsx';
import { SecretDialog } from '../../views/forms/SecretDialog.tsx';

const FORMATS = ['text', 'csv', 'json', 'nft', 'ipset', 'routeros', 'ios', 'junos', 'eos', 'bird', 'edl'];
const TONES: Readonly<Record<Feed['status'], Tone>> = {
  ok: 'good',
  stale: 'warning',
  failed: 'bad',
  pending: 'plain',
};

const COLUMNS: readonly Column<Feed>[] = [
  {
    name: feedsText.name,
    value: ({ name }) => name,
    cell: ({ name }) => (
      <span className="name" title={name}>
        {name}
      </span>
    ),
  },
  { name: feedsText.format, value: ({ format }) => format, cell: ({ format }) => format },
  {
    name: feedsText.state,
    value: stateOf,
    cell: (feed) => <Badge tone={feed.enabled ? TONES[feed.status] : 'plain'}>{stateOf(feed)}</Badge>,
  },
  prefixColumn(feedsText.prefixes, ({ served }) => served?.prefix_count ?? null),
  {
    name: feedsText.path,
    value: ({ path }) => path,
    cell: ({ path }) => (
      <>
        <code>{path}</code> <Copy value={location.origin + path} />
      </>
    ),
  },
  {
    name: feedsText.description,
    value: ({ description }) => description ?? '',
    cell: ({ description }) => (
      <span className="name muted" title={description ?? undefined}>
        {description}
      </span>
    ),
  },
  timeColumn(feedsText.fetched, ({ last_fetched_at }) => last_fetched_at),
];

/** What to do about one that fails stands beside it; where all is well, nothing takes the room. */
const WHY_NOT: Column<Feed> = {
  name: feedsText.error,
  value: ({ last_error: error }) => (error === null ? '' : inWordsOfThePages(error)),
  cell: ({ last_error: error }) =>
    error !== null && (
      <span className="whole-text">
        <Remedy text={error} />
      </span>
    ),
};
const STATE_AT = COLUMNS.findIndex(({ name }) => name === feedsText.state);
const WITH_FAULTS: readonly Column<Feed>[] = COLUMNS.toSpliced(STATE_AT + 1, 0, WHY_NOT);

function stateOf({ status, enabled }: Feed): string {
  return enabled ? feedsText.states[status] : text.modules.disabled;
}

interface Secret {
  readonly name: string;
  readonly token: string;
  readonly path: string;
}

export function Feeds() {
  const feeds = useQuery(feedsQuery);
  const fields = useFields();
  const [rotating, setRotating] = useState<Feed | null>(null);
  const [secret, setSecret] = useState<Secret | null>(null);
  return (
    <Page title={feedsText.title}>
      <Records
        title={feedsText.title}
        query={feeds}
        columns={feeds.data?.some(({ last_error: error }) => error !== null) ? WITH_FAULTS : COLUMNS}
        path="/v1/feeds"
        fields={fields}
        permission="bgp:feeds:write"
        nameOf={({ name }) => name}
        create={feedsText.create}
        empty={{ title: feedsText.emptyTitle, what: feedsText.empty, command: feedsText.command }}
        beforeDeletion={(feed) => <Readers feed={feed} />}
        onCreated={(created) => setSecret(created as unknown as Secret)}
        actionsOf={(feed) => <RowAction onClick={() => setRotating(feed)}>{feedsText.rotate}</RowAction>}
      />
      {rotating !== null && (
        <ConfirmDialog
          title={feedsText.rotateTitle(rotating.name)}
          what={feedsText.rotateWhat}
          concerned={<LastReader feed={rotating} />}
          back={feedsText.rotateBack}
          action={feedsText.rotate}
          write={{ method: 'POST', path: `/v1/feeds/${rotating.id}/rotate` }}
          onClose={() => setRotating(null)}
          onDone={(answer) => {
            setRotating(null);
            setSecret(answer as Secret);
          }}
        />
      )}
      {secret !== null && (
        <SecretDialog
          name={secret.name}
          secret={secret.token}
          command={feedsText.fetch(`${location.origin}${secret.path}?token=${secret.token}`)}
          onClose={() => setSecret(null)}
        />
      )}
    </Page>
  );
}

/** Nothing that is announced says who reads a feed: those that fetch it notice once it is gone. */
function Readers({ feed }: { feed: Feed }) {
  const may = useMay();
  const { data: hosts = [] } = useQuery({ ...firewallClientsQuery, enabled: may('bgp:firewall:read') });
  return (
    <>
      <p>
        <code>{feed.path}</code> {feedsText.stops}
      </p>
      <LastReader feed={feed} />
      {hosts.length > 0 && <p className="muted">{feedsText.noHost}</p>}
    </>
  );
}

function LastReader({ feed: { last_fetched_at: at, last_fetched_by: by } }: { feed: Feed }) {
  if (at === null) return <p>{feedsText.unread}</p>;
  return (
    <p>
      {feedsText.lastRead} <Time at={at} />
      {by !== null && (
        <>
          {' '}
          {feedsText.readBy} <code>{by}</code>
        </>
      )}
      .
    </p>
  );
}

function useFields(): FormField[] {
  const { data: communities = [] } = useQuery(communitiesQuery);
  const { data: modules = [] } = useQuery(modulesQuery);
  return [
    { name: 'name', label: feedsText.name, hint: feedsText.nameHint, isRequired: true, isMono: true },
    { name: 'description', label: feedsText.description },
    {
      ...{ name: 'format', label: feedsText.format, kind: 'choice', isRequired: true, initial: 'text' },
      choices: FORMATS.map((value) => ({ value, label: value })),
    },
    {
      ...{ name: 'community_ids', label: feedsText.communities, hint: feedsText.communitiesHint },
      ...{ kind: 'many', initial: [] },
      choices: communities.map(({ id, community, title }) => ({ value: id, label: `${community} ${title}` })),
    },
    {
      ...{ name: 'module_ids', label: feedsText.modules, kind: 'many', initial: [] },
      choices: modules.map(({ id, name }) => ({ value: id, label: name })),
    },
    {
      ...{ name: 'families', label: feedsText.families, kind: 'many', initial: ['ipv4', 'ipv6'] },
      choices: [
        { value: 'ipv4', label: text.families.ipv4 },
        { value: 'ipv6', label: text.families.ipv6 },
      ],
    },
    { name: 'max_prefixes', label: feedsText.limit, hint: feedsText.limitHint, kind: 'number' },
    {
      ...{
        name: 'when_too_many',
        label: feedsText.tooMany,
        kind: 'choice',
        isRequired: true,
        initial: 'fail',
      },
      choices: [
        { value: 'fail', label: feedsText.fail },
        { value: 'fit', label: feedsText.fit },
      ],
    },
    {
      ...{ name: 'allowed_networks', label: feedsText.networks, hint: feedsText.networksHint },
      ...{ kind: 'lines', isMono: true },
    },
    { name: 'enabled', label: feedsText.enabled, kind: 'toggle', initial: true },
  ];
}
