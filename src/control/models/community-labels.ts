/**
 * What communities are in the routes of a revision: labels, which are the values that they had when it was built. They may be given
 * others since, so a community is known there by its id.
 */
import type { Community } from '../../api/lists/communities.ts';
import type { RevisionCommunity } from '../../api/revisions/revisions.ts';
import type { LabelModel } from '../../speakers/speaker.ts';

export type NamedCommunity = Pick<RevisionCommunity, 'community_id' | 'community'>;

/** What a community means on the wire beside its value. */
export type CommunityNextHops = Pick<Community, 'id' | 'next_hop_ipv4' | 'next_hop_ipv6'>;

/** By the id of each community the labels that it has in some routes. */
export type CommunityLabels = ReadonlyMap<string, readonly string[]>;

/**
 * The labels of communities in routes of these revisions, of which one may be taking the other's place: a community that was given
 * another value meanwhile has two. One that none of them has goes by its present value, unless that is another's there.
 */
export function communityLabels(
  communities: readonly Community[],
  revisions: readonly (readonly NamedCommunity[])[],
): CommunityLabels {
  const named = new Map<string, Set<string>>();
  for (const { community_id: id, community } of revisions.flat())
    named.set(id, (named.get(id) ?? new Set()).add(community));
  const taken = new Set(revisions.flat().map(({ community }) => community));
  return new Map(
    communities.map(({ id, community }) => {
      const known = named.get(id);
      return [id, known === undefined ? [community].filter((value) => !taken.has(value)) : [...known].sort()];
    }),
  );
}

/** What each of these labels of a revision means on the wire now; a community that is gone since keeps its value. */
export function labelModels(
  labels: Iterable<string>,
  revision: readonly NamedCommunity[],
  communities: readonly CommunityNextHops[],
): Record<string, LabelModel> {
  const ids = new Map(revision.map(({ community, community_id: id }) => [community, id]));
  const byId = new Map(communities.map((community) => [community.id, community]));
  const models: Record<string, LabelModel> = {};
  for (const label of labels) {
    const known = byId.get(ids.get(label) ?? '');
    models[label] = {
      community: label,
      nextHopIpv4: known?.next_hop_ipv4 ?? null,
      nextHopIpv6: known?.next_hop_ipv6 ?? null,
    };
  }
  return models;
}
