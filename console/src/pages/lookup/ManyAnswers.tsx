import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import type { Asked } from '../../service/lookups.ts';
import { lookupsQuery, type Lookup } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatList } from '../../strings/format.ts';
import { chainText, lookupsText } from '../../strings/lookup.ts';
import { DataTable, type Column } from '../../views/tables/DataTable.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Section } from '../../views/page/Page.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';
import { useKnown, verdictOf, type Known } from './verdict.ts';

/** As many as one request may ask for. */
const MOST = 1_000;

const ROUTES_SHOWN = 3;

const COLUMNS = (knownOf: (lookup: Lookup) => Known): readonly Column<Asked>[] => {
  const verdict = ({ lookup }: Asked): ReturnType<typeof verdictOf> =>
    lookup === null ? UNREADABLE : verdictOf(lookup, knownOf(lookup));
  const why = ({ lookup, fault }: Asked): string =>
    lookup === null ? (fault ?? '') : reasonsOf(lookup, knownOf(lookup));
  return [
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
      value: (asked) => verdict(asked).word,
      cell: (asked) => <Badge tone={verdict(asked).tone}>{verdict(asked).word}</Badge>,
    },
    // In sight on a narrow screen: whoever asks of several asks why not.
    {
      name: lookupsText.why,
      value: why,
      cell: (asked) => <span className={asked.lookup === null ? 'lookup-fault' : 'name'}>{why(asked)}</span>,
    },
    {
      name: lookupsText.routes,
      value: ({ lookup }) => (lookup === null ? '' : routesOf(lookup).join(' ')),
      cell: ({ lookup }) => lookup !== null && <Routes lookup={lookup} />,
    },
    {
      name: lookupsText.modules,
      value: modulesOf,
      cell: (asked) => <span className="name">{modulesOf(asked)}</span>,
    },
  ];
};

const UNREADABLE = { word: lookupsText.unreadable, tone: 'bad' } as const;

/** What is asked for, if it is more than one thing. */
export function severalIn(q: string): readonly string[] | null {
  const parts = [...new Set(q.split(/[\s,;]+/).filter((part) => part !== ''))];
  // Where nothing is of this form it is one mistake, and is said once.
  return parts.length > 1 && parts.some((part) => /[.:]/.test(part)) ? parts : null;
}

export function ManyAnswers({ queries }: { queries: readonly string[] }) {
  const asked = queries.slice(0, MOST);
  const lookups = useQuery(lookupsQuery(asked));
  const columns = COLUMNS(useKnown());
  return (
    <Loaded query={lookups}>
      {(items) => (
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

/** The first routes of the answer, a line each. */
function Routes({ lookup }: { readonly lookup: Lookup }) {
  const routes = routesOf(lookup);
  const rest = routes.length - ROUTES_SHOWN;
  return (
    <>
      {routes.slice(0, ROUTES_SHOWN).map((prefix) => (
        <div key={prefix}>
          <Prefix prefix={prefix} />
        </div>
      ))}
      {rest > 0 && <div className="muted">{chainText.rest(rest, lookup.has_more === true)}</div>}
      {lookup.coverage?.state === 'part' && (
        <div className="muted">{lookupsText.missing(lookup.coverage.missing!)}</div>
      )}
    </>
  );
}

function routesOf({ announced }: Lookup): string[] {
  return [...new Set(announced.map(({ prefix }) => prefix))];
}

function modulesOf({ lookup }: Asked): string {
  return formatList([...new Set((lookup?.matches ?? []).map(({ module }) => module.name))]);
}

function reasonsOf({ not_announced }: Lookup, { besides }: Known): string {
  const own = not_announced.filter((one) => !besides.includes(one));
  return formatList([...new Set(own.map(({ reason }) => text.lookup.reasons[reason]))]);
}
