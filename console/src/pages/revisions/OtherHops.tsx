import { useQuery } from '@tanstack/react-query';
import { formerHopsQuery } from '../../service/route-changes.ts';
import { communitiesQuery, peersQuery, type Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { peersText } from '../../strings/speakers.ts';

interface Hop {
  readonly key: string;
  readonly line: string;
}

/** Next hops are a part of no revision: whoever goes back to one has those of now, which may not be those of then. */
export function OtherHops({ revision }: { readonly revision: Revision }) {
  const { data: former } = useQuery(formerHopsQuery(revision.first_applied_at ?? revision.created_at));
  const { data: communities = [] } = useQuery(communitiesQuery);
  const { data: peers = [] } = useQuery(peersQuery);
  const carried = new Set(revision.communities.map(({ community_id }) => community_id));
  const things = [
    ...communities
      .filter(({ id }) => carried.has(id))
      .map(({ community, ...rest }) => ({ ...rest, name: community })),
    ...peers,
  ];
  const changed = things.flatMap((thing): Hop[] =>
    (['next_hop_ipv4', 'next_hop_ipv6'] as const).flatMap((hop) => {
      const [then, now] = [former?.get(thing.id)?.[hop], thing[hop]];
      if (then === undefined || then === now) return [];
      const label = hop === 'next_hop_ipv4' ? peersText.nextHop4 : peersText.nextHop6;
      return { key: `${thing.id} ${hop}`, line: text.revisions.otherHop(thing.name, label, then, now) };
    }),
  );
  if (changed.length === 0) return null;
  return (
    <div className="problem">
      <p>{text.revisions.otherHops}</p>
      <ul>
        {changed.map(({ key, line }) => (
          <li key={key} className="name">
            {line}
          </li>
        ))}
      </ul>
    </div>
  );
}
