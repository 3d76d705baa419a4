import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { lookupsQuery, type Lookup } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatList } from '../../strings/format.ts';
import { lookupsText } from '../../strings/lookup.ts';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Section } from '../../views/page/Page.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';
import { useKnown, verdictOf, type Known } from './verdict.ts';

/** As many as one request may ask for. */
const MOST = 1_000;

const COLUMNS = (knownOf: (lookup: Lookup) => Known): readonly Column<Lookup>[] => [
  {
    name: lookupsText.asked,
    value: ({ query }) => query,
    cell: ({ query }) => (
      <Link to="/lookup" search={{ q: query }} className="name">
        <code>{query}</code>
      </Link>
    ),
  },
  {
    name: lookupsText.verdict,
    value: (lookup) => verdictOf(lookup, knownOf(lookup)).word,
    cell: (lookup) => {
      const { word, tone } = verdictOf(lookup, knownOf(lookup));
      return <Badge tone={tone}>{word}</Badge>;
    },
  },
  {
    name: lookupsText.routes,
    value: (lookup) => routesOf(lookup).join(' '),
    cell: (lookup) => routesOf(lookup).map((prefix) => <Prefix key={prefix} prefix={prefix} />),
  },
  {
    name: lookupsText.modules,
    value: (lookup) => modulesOf(lookup),
    cell: (lookup) => <span className="name">{modulesOf(lookup)}</span>,
  },
  {
    name: lookupsText.why,
    value: (lookup) => reasonsOf(lookup, knownOf(lookup)),
    cell: (lookup) => reasonsOf(lookup, knownOf(lookup)),
  },
];

/** What is asked for, if it is more than one thing. */
export function severalIn(q: string): readonly string[] | null {
  const parts = [...new Set(q.split(/[\s,;]+/).filter((part) => part !== ''))];
  // Whatever is not of this form is one mistake, and is said once.
  return parts.length > 1 && parts.every((part) => /[.:]/.test(part)) ? parts : null;
}

export function ManyAnswers({ queries }: { queries: readonly string[] }) {
  const asked = queries.slice(0, MOST);
  const lookups = useQuery(lookupsQuery(asked));
  const columns = COLUMNS(useKnown());
  return (
    <Loaded query={lookups}>
      {({ items }) => (
        <Section title={lookupsText.title(items.length)}>
          {queries.length > MOST && <p className="muted">{lookupsText.tooMany(MOST)}</p>}
          <DataTable
            {...{ caption: text.lookup.title, columns, rows: items, file: 'lookup' }}
            keyOf={({ query }) => query}
          />
        </Section>
      )}
    </Loaded>
  );
}

function routesOf({ announced }: Lookup): string[] {
  return [...new Set(announced.map(({ prefix }) => prefix))];
}

function modulesOf({ matches }: Lookup): string {
  return formatList([...new Set(matches.map(({ module }) => module.name))]);
}

function reasonsOf({ not_announced }: Lookup, { besides }: Known): string {
  const own = not_announced.filter((one) => !besides.includes(one));
  return formatList([...new Set(own.map(({ reason }) => text.lookup.reasons[reason]))]);
}
