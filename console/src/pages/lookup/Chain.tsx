import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { Skeleton } from '../../design/shown/Skeleton.tsx';
import { Moment, Time } from '../../design/shown/Time.tsx';
import {
  keptByQuery,
  modulesQuery,
  pastLookupQuery,
  revisionQuery,
  type Lookup,
  type Module,
} from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { chainText } from '../../strings/lookup.ts';
import { Community } from '../../views/resources/Community.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';
import { RevisionLink } from '../../views/resources/RevisionLink.tsx';
import { ChainSpeakers } from './ChainSpeakers.tsx';
import { Rest, SHOWN, Step } from './chain-parts.tsx';

/** From the entry that has it to the peers that receive it, each link of the chain with all that it has. */
export function Chain({ lookup }: { lookup: Lookup }) {
  const { matches, announced } = lookup;
  if (matches.length === 0 && announced.length === 0) return null;
  return (
    <ol className="chain">
      {matches.length > 0 ? (
        <Lists matches={matches} isMore={lookup.has_more === true} />
      ) : (
        <FormerLists lookup={lookup} />
      )}
      <Step name={text.lookup.chain.revision}>
        {announced.slice(0, SHOWN).map(({ revision_id, prefix, communities }) => (
          <div key={revision_id + prefix}>
            <p>
              <RevisionLink id={revision_id} />
            </p>
            <p>
              <Prefix prefix={prefix} />
            </p>
            {communities.map(({ community, title }) => (
              <Community key={community} community={community} title={title} />
            ))}
          </div>
        ))}
        {announced.length > SHOWN && (
          <Rest count={announced.length - SHOWN} isMore={lookup.has_more === true} />
        )}
      </Step>
      <ChainSpeakers announced={announced} reasons={lookup.not_announced} />
    </ol>
  );
}

/** What the answer has of entries and their modules. */
function Lists({
  matches,
  isFormer = false,
  isMore = false,
}: {
  readonly matches: Lookup['matches'];
  /** As a revision was built; none of them has it now. */
  readonly isFormer?: boolean;
  readonly isMore?: boolean;
}) {
  const entries = [...Map.groupBy(matches, ({ entry }) => entry.id).values()];
  const { data: modules = [] } = useQuery(modulesQuery);
  const isExclusion = (id: string): boolean =>
    modules.some((module) => module.id === id && module.purpose === 'exclude');
  /** Of a list that has it no more: its hold keeps it. */
  const keeping = isFormer ? modules.filter(({ held }) => held !== null) : [];
  return (
    <>
      <Step name={chainText.entries}>
        {entries.slice(0, SHOWN).map((own) => {
          // What was collected says when; an entry alone does not.
          const match = own.at(-1)!;
          return (
            <div key={match.entry.id} className="chain-entry">
              <Entry match={match} prefixes={own.flatMap(({ prefix }) => prefix ?? [])} />
              <p>
                <Link className="name" to="/modules/$moduleId" params={{ moduleId: match.module.id }}>
                  {match.module.name}
                </Link>{' '}
                <span className="muted">{text.modules.types[match.module.type] ?? match.module.type}</span>{' '}
                {isExclusion(match.module.id) && <Badge tone="warning">{text.modules.exclude}</Badge>}
              </p>
              {keeping
                .filter(({ id }) => id === match.module.id)
                .map((module) => (
                  <KeptByHold key={module.id} module={module} />
                ))}
            </div>
          );
        })}
        <Rest count={entries.length - SHOWN} isMore={isMore} />
        {isFormer && <p className="muted">{chainText.former}</p>}
      </Step>
    </>
  );
}

/** Why routers have what the list has lost, and where somebody decides whether they should. */
function KeptByHold({ module: { id, held } }: { readonly module: Module }) {
  return (
    <p>
      <Badge tone="warning">{text.lookup.reasons.held}</Badge>{' '}
      <span className="muted">
        {held !== null && (
          <>
            {chainText.heldSince} <Moment at={held.since} />.{' '}
          </>
        )}
        {chainText.keptByHold}
      </span>{' '}
      <Link to="/modules/$moduleId" params={{ moduleId: id }} search={{ tab: 'held' }}>
        {chainText.decideHold}
      </Link>
    </p>
  );
}

/** No list has it now, and it is announced: a list had it when the revision was built, or the hold of one that was deleted keeps it. */
function FormerLists({ lookup: { query, announced } }: { lookup: Lookup }) {
  const [route] = announced;
  const past = useQuery(pastLookupQuery(query, route!.revision_id));
  if (past.isPending)
    return (
      <Step name={chainText.entries}>
        <Skeleton />
      </Step>
    );
  if (past.data !== undefined && past.data.matches.length > 0)
    return <Lists matches={past.data.matches} isFormer />;
  return <DeletedLists route={route!} />;
}

function DeletedLists({ route: { prefix } }: { route: Lookup['announced'][number] }) {
  const { data: revision } = useQuery(revisionQuery('latest'));
  const { data: present } = useQuery(modulesQuery);
  const isDeleted = (id: string): boolean => present?.every((module) => module.id !== id) === true;
  const ids = (revision?.quarantined ?? []).map(({ module_id }) => module_id).filter(isDeleted);
  const kept = useQueries({ queries: ids.map((id) => keptByQuery(id)) });
  const keeping = ids.filter((_, at) => {
    const { items = [], next_cursor: next = null } = kept[at]!.data ?? {};
    // Of one that keeps more than that, it is likely.
    return next !== null || items.some((item) => item.prefix === prefix);
  });
  return (
    <>
      <Step name={chainText.entries}>
        <p className="muted">{chainText.deletedEntry}</p>
        {keeping.length === 0 ? (
          <p>
            <Link to="/modules" search={{ tab: 'deleted' }}>
              {chainText.deletedModules}
            </Link>
          </p>
        ) : (
          keeping.map((id) => (
            <p key={id}>
              <Link className="name" to="/modules/$moduleId" params={{ moduleId: id }}>
                {kept[ids.indexOf(id)]!.data!.name}
              </Link>{' '}
              <span className="muted">{chainText.kept}</span>
            </p>
          ))
        )}
      </Step>
    </>
  );
}

interface EntryProps {
  readonly match: Lookup['matches'][number];
  /** All that it has of what is asked for: a name has several addresses. */
  readonly prefixes: readonly string[];
}

function Entry({ match: { entry, domain, collected_at }, prefixes }: EntryProps) {
  const others = [...new Set(prefixes)].filter((prefix) => prefix !== entry.value);
  return (
    <div>
      <p className="name">
        <code>{entry.value}</code>
      </p>
      {others.slice(0, SHOWN).map((prefix) => (
        <p key={prefix}>
          <Prefix prefix={prefix} />
        </p>
      ))}
      <Rest count={others.length - SHOWN} isMore={false} />
      {domain !== undefined && domain !== entry.value && <code>{domain}</code>}
      <p className="muted">
        {collected_at !== null && (
          <>
            {text.lookup.collected} <Time at={collected_at} />
          </>
        )}
        {entry.expires_at !== null && (
          <>
            {collected_at !== null && ' · '}
            {text.lookup.expires} <Time at={entry.expires_at} />
          </>
        )}
      </p>
    </div>
  );
}
