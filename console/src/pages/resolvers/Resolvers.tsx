import type { Schemas } from '@prefixcast/client';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Url } from '../../design/shown/Url.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { resolversQuery } from '../../service/queries.ts';
import { formatNumber } from '../../strings/format.ts';
import { resolversText as words } from '../../strings/resolvers.ts';
import type { Column } from '../../views/tables/DataTable.tsx';
import { Page } from '../../views/page/Page.tsx';
import { Records } from '../../views/records/Records.tsx';
import { RowAction } from '../../views/tables/RowAction.tsx';
import type { FormField } from '../../views/forms/RecordForm.tsx';
import { TestDialog } from './TestDialog.tsx';

type Resolver = Schemas['DohProfile'];

const FIELDS: readonly FormField[] = [
  { name: 'name', label: words.name, isRequired: true },
  { name: 'url', label: words.url, hint: words.urlHint, isRequired: true, isMono: true },
  {
    ...{ name: 'method', label: words.method, kind: 'choice', isRequired: true, initial: 'POST' },
    choices: ['POST', 'GET'].map((value) => ({ value, label: value })),
  },
  { name: 'bootstrap_addresses', label: words.bootstrap, kind: 'lines', initial: [], isMono: true },
  { name: 'client_subnet', label: words.subnet, hint: words.subnetHint, isMono: true },
  { name: 'timeout_ms', label: words.timeout, hint: words.timeoutHint, kind: 'number' },
  { name: 'enabled', label: words.enabled, kind: 'toggle', initial: true },
];

const COLUMNS: readonly Column<Resolver>[] = [
  {
    name: words.name,
    value: ({ name }) => name,
    cell: ({ name }) => (
      <span className="name" title={name}>
        {name}
      </span>
    ),
  },
  {
    name: words.state,
    value: ({ enabled }) => (enabled ? words.on : words.off),
    cell: ({ enabled }) => <Badge tone={enabled ? 'good' : 'plain'}>{enabled ? words.on : words.off}</Badge>,
  },
  {
    name: words.url,
    value: ({ url }) => url,
    cell: ({ url }) => (
      <>
        <Url url={url} /> <Copy value={url} />
      </>
    ),
  },
  {
    ...{ name: words.timeout, isNumber: true },
    value: ({ timeout_ms }) => timeout_ms,
    cell: ({ timeout_ms }) => formatNumber(timeout_ms),
  },
];

/** Whom modules of domain names ask for addresses. */
export function Resolvers() {
  return (
    <Page title={words.title}>
      <Records
        title={words.title}
        query={useQuery(resolversQuery)}
        columns={COLUMNS}
        path="/v1/doh-profiles"
        fields={FIELDS}
        permission="bgp:lists:write"
        // Headers are never shown.
        madeAgain={{ unless: ({ headers }) => Object.keys(headers).length > 0 }}
        nameOf={({ name }) => name}
        create={words.create}
        empty={{ title: words.emptyTitle, what: words.empty, command: words.command }}
        actionsOf={(resolver) => <Test resolver={resolver} />}
      />
    </Page>
  );
}

function Test({ resolver }: { resolver: Resolver }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <RowAction onClick={() => setOpen(true)}>{words.test}</RowAction>
      {isOpen && <TestDialog resolver={resolver} onClose={() => setOpen(false)} />}
    </>
  );
}
