import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Badge } from '../../design/shown/Badge.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { Skeleton } from '../../design/shown/Skeleton.tsx';
import { Moment, Time } from '../../design/shown/Time.tsx';
import {
  keptByQuery,
  modulesQuery,
  pastLookupQuery,
  peersQuery,
  revisionQuery,
  speakersQuery,
  type Lookup,
  type Module,
  type Speaker,
} from '../../service/queries.ts';
import { takes, unsentBy, type Unsent } from '../../service/reach.ts';
import { text } from '../../strings/english.ts';
import { chainText } from '../../strings/lookup.ts';
import { speakersText } from '../../strings/speakers.ts';
import { Community } from '../../views/resources/Community.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';
import { PeerLink, SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import { RevisionLink } from '../../views/resources/RevisionLink.tsx';

/** Of a short prefix, a list may have a hundred entries and a revision as many routes. */
const SHOWN = 8;

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
      <Speakers announced={announced} reasons={lookup.not_announced} />
    </ol>
  );
}

/** How many are not shown; an answer itself may not have all of them. */
function Rest({ count, isMore }: { readonly count: number; readonly isMore: boolean }) {
  return count <= 0 ? null : <p className="muted">{chainText.rest(count, isMore)}</p>;
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
  const entries = unique(matches, ({ entry }) => entry.id);
  const { data: modules = [] } = useQuery(modulesQuery);
  const isExclusion = (id: string): boolean =>
    modules.some((module) => module.id === id && module.purpose === 'exclude');
  /** Of a list that has it no more: its hold keeps it. */
  const keeping = isFormer ? modules.filter(({ held }) => held !== null) : [];
  return (
    <>
      <Step name={chainText.entries}>
        {entries.slice(0, SHOWN).map((match) => (
          <div key={match.entry.id} className="chain-entry">
            <Entry match={match} />
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
        ))}
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

function Step({ name, children }: { name: string; children: ReactNode }) {
  const isEmpty = Array.isArray(children) && children.flat().every((child) => child === false);
  return (
    <li className={isEmpty ? 'is-missing' : ''}>
      <h3>{name}</h3>
      {isEmpty ? <p className="muted">{text.none}</p> : children}
    </li>
  );
}

function Entry({
  match: { entry, module, prefix, domain, collected_at },
}: {
  match: Lookup['matches'][number];
}) {
  return (
    <div>
      <p className="name">
        <code>{entry.value}</code>
      </p>
      {prefix !== undefined && prefix !== entry.value && <Prefix prefix={prefix} />}
      {domain !== undefined && domain !== entry.value && <code>{domain}</code>}
      <p className="muted">
        {collected_at !== null && (
          <>
            {text.lookup.collected} <Time at={collected_at} />
          </>
        )}
        {entry.expires_at !== null && (
          <>
            {module.type !== 'IP_RANGES' && ' · '}
            {text.lookup.expires} <Time at={entry.expires_at} />
          </>
        )}
      </p>
    </div>
  );
}

/** Those that announce it, the peers that have a session with them, and those that should have one. */
function Speakers({ announced, reasons }: Pick<Lookup, 'announced'> & { reasons: Lookup['not_announced'] }) {
  const ids = [...new Set(announced.flatMap(({ speaker_ids }) => speaker_ids))];
  const { data: speakers = [] } = useQuery(speakersQuery);
  const { data: all = [] } = useQuery(peersQuery);
  const peers = all.filter((peer) => takes(peer, announced));
  const announcing = speakers.filter(({ id }) => ids.includes(id));
  const up = peers.filter(({ established_on_speakers }) =>
    established_on_speakers.some((id) => ids.includes(id)),
  );
  /** Undefined: some speaker sends it. */
  const whyUnsent = ({ id: peerId, established_on_speakers }: (typeof all)[number]): Unsent | undefined => {
    const own = established_on_speakers
      .filter((id) => ids.includes(id))
      .map((id) => unsentBy(reasons, peerId, id));
    return own.includes(null) ? undefined : (own[0] ?? undefined);
  };
  const receiving = up.filter((peer) => whyUnsent(peer) === undefined);
  const away = announcing
    .flatMap(({ live }) => live?.sessions ?? [])
    .filter(({ peer_id, state }) => state !== 'established' && peers.some(({ id }) => id === peer_id));
  return (
    <>
      <Step name={text.lookup.chain.speakers}>
        {announcing.map((speaker) => (
          <p key={speaker.id}>
            <SpeakerLink id={speaker.id} name={speaker.name} /> <OutOfReach speaker={speaker} />
          </p>
        ))}
      </Step>
      <Step name={text.lookup.chain.peers}>
        {receiving.map(({ id, name, address }) => (
          <p key={id}>
            <Link to="/peers/$peerId" params={{ peerId: id }} className="name">
              {name}
            </Link>{' '}
            <code className="muted">{address}</code> <Copy value={address} />
          </p>
        ))}
        {up
          .filter((peer) => !receiving.includes(peer))
          .map((peer) => (
            <p key={peer.id}>
              <PeerLink id={peer.id} name={peer.name} />{' '}
              <Badge tone="bad">{text.lookup.reasons[whyUnsent(peer)!]}</Badge>{' '}
              <span className="muted">{chainText.unsent[whyUnsent(peer)!]}</span>
            </p>
          ))}
        {unique(away, ({ peer_id }) => peer_id).map(({ peer_id: id, peer_name: name }) => (
          <p key={id}>
            <PeerLink id={id} name={name} /> <Badge tone="bad">{chainText.noSession}</Badge>{' '}
            <span className="muted">{chainText.sentNothing}</span>
          </p>
        ))}
      </Step>
    </>
  );
}

/** What nobody reaches had the route when it was reached last. */
function OutOfReach({ speaker: { live, agent } }: { speaker: Speaker }) {
  if (live?.reachable === true) return null;
  const seen = agent?.last_seen_at ?? null;
  return (
    <>
      <Badge tone="bad">{speakersText.unreachable}</Badge>{' '}
      <span className="muted">
        {chainText.unknown}
        {seen !== null && (
          <>
            , {text.applies.lastSeen} <Time at={seen} />
          </>
        )}
      </span>
    </>
  );
}

function unique<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
