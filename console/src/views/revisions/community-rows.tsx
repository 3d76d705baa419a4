/** The routes of a revision by the communities that they carry, as tables show them. */
import type { Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { Community } from '../resources/Community.tsx';

export interface CommunityRow {
  /** Null: none. */
  readonly community: string | null;
  readonly title: string;
  readonly prefix_count: Revision['prefix_count'];
}

/** With a row for those that carry none, where there are some, and somebody has counted them. */
export function communityRows({ communities, without_community: none }: Revision): readonly CommunityRow[] {
  return none === null || none.ipv4 + none.ipv6 === 0
    ? communities
    : [...communities, { community: null, title: text.revisions.noCommunity, prefix_count: none }];
}

export function communityKey({ community }: Pick<CommunityRow, 'community'>): string {
  return community ?? '';
}

/** The cell that says which. */
export function CommunityCell({ community, title }: Pick<CommunityRow, 'community' | 'title'>) {
  return community === null ? (
    <span className="muted">{title}</span>
  ) : (
    <Community community={community} title={title} />
  );
}
