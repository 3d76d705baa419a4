import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Time } from '../../design/Time.tsx';
import { peersQuery, speakersQuery, type Lookup } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { Community } from '../../views/Community.tsx';
import { Prefix } from '../../views/Prefix.tsx';
import { SpeakerLink } from '../../views/ResourceLink.tsx';
import { RevisionLink } from '../../views/RevisionLink.tsx';

/** From the entry that has it to the peers that receive it, each link of the chain with all that it has. */
export function Chain({ lookup: { matches, announced } }: { lookup: Lookup }) {
  if (matches.length === 0 && announced.length === 0) return null;
  const modules = new Map(matches.map(({ module }) => [module.id, module]));
  return (
    <ol className="chain">
      <Step name={text.lookup.chain.entry}>
        {unique(matches, ({ entry }) => entry.id).map((match) => (
          <Entry key={match.entry.id} match={match} />
        ))}
      </Step>
      <Step name={text.lookup.chain.module}>
        {[...modules.values()].map(({ id, name, type }) => (
          <p key={id}>
            <Link className="name" to="/modules/$moduleId" params={{ moduleId: id }}>
              {name}
            </Link>{' '}
            <span className="muted">{text.modules.types[type] ?? type}</span>
          </p>
        ))}
      </Step>
      <Step name={text.lookup.chain.revision}>
        {announced.map(({ revision_id, prefix, communities }) => (
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
      </Step>
      <Speakers ids={[...new Set(announced.flatMap(({ speaker_ids }) => speaker_ids))]} />
    </ol>
  );
}

function Step({ name, children }: { name: string; children: ReactNode }) {
  const isEmpty = Array.isArray(children) && children.length === 0;
  return (
    <li className={isEmpty ? 'is-missing' : ''}>
      <h3>{name}</h3>
      {isEmpty ? <p className="muted">{text.none}</p> : children}
    </li>
  );
}

function Entry({
  match: { entry, prefix, domain, collected_at, source },
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
        {collected_at === null ? (
          source
        ) : (
          <>
            {text.lookup.collected} <Time at={collected_at} />
          </>
        )}
        {entry.expires_at !== null && (
          <>
            {' · '}
            {text.lookup.expires} <Time at={entry.expires_at} />
          </>
        )}
      </p>
    </div>
  );
}

/** Those that announce it, and the peers that have a session with them. */
function Speakers({ ids }: { ids: readonly string[] }) {
  const { data: speakers = [] } = useQuery(speakersQuery);
  const { data: peers = [] } = useQuery(peersQuery);
  const announcing = speakers.filter(({ id }) => ids.includes(id));
  const receiving = peers.filter(({ established_on_speakers }) =>
    established_on_speakers.some((id) => ids.includes(id)),
  );
  return (
    <>
      <Step name={text.lookup.chain.speakers}>
        {announcing.map(({ id, name }) => (
          <p key={id}>
            <SpeakerLink id={id} name={name} />
          </p>
        ))}
      </Step>
      <Step name={text.lookup.chain.peers}>
        {receiving.map(({ id, name, address }) => (
          <p key={id}>
            <Link to="/sessions" className="name">
              {name}
            </Link>{' '}
            <code className="muted">{address}</code>
          </p>
        ))}
      </Step>
    </>
  );
}

function unique<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return [...new Map(items.map((item) => [keyOf(item), item])).values()];
}
