import type { Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber, formatSigned } from '../../strings/format.ts';
import { DataTable } from '../../views/tables/DataTable.tsx';
import { Section } from '../../views/page/Page.tsx';
import {
  CommunityCell,
  communityKey,
  communityRows,
  type CommunityRow,
} from '../../views/revisions/community-rows.tsx';

interface Row extends Pick<CommunityRow, 'community' | 'title'> {
  readonly before: number;
  readonly after: number;
}

/** Routes of each community in both revisions, as these have counted them: nothing has to be read for it. */
export function CommunityChanges({ before, after }: { before: Revision; after: Revision }) {
  return (
    <Section
      title={text.revisions.communities}
      aside={
        <span className="muted">
          {text.revisions.allRoutes} {formatNumber(routesOf(before))} → {formatNumber(routesOf(after))} (
          {formatSigned(routesOf(after) - routesOf(before))})
        </span>
      }
    >
      <DataTable<Row>
        hasRowKeys={false}
        caption={text.revisions.communities}
        rows={rowsOf(before, after)}
        keyOf={communityKey}
        file="communities-compared"
        columns={[
          {
            name: text.revisions.community,
            value: ({ community }) => community ?? text.revisions.noCommunity,
            cell: (row) => <CommunityCell {...row} />,
          },
          {
            ...{ name: text.compare.before, isNumber: true },
            value: (row) => row.before,
            cell: (row) => formatNumber(row.before),
          },
          {
            ...{ name: text.compare.after, isNumber: true },
            value: (row) => row.after,
            cell: (row) => formatNumber(row.after),
          },
          {
            ...{ name: text.compare.difference, isNumber: true },
            value: (row) => row.after - row.before,
            cell: (row) => formatSigned(row.after - row.before),
          },
        ]}
      />
    </Section>
  );
}

function routesOf({ prefix_count: { ipv4, ipv6 } }: Revision): number {
  return ipv4 + ipv6;
}

function rowsOf(before: Revision, after: Revision): Row[] {
  const rows = new Map<string | null, Row>();
  // What one of them has not counted is not compared.
  const isCounted = before.without_community !== null && after.without_community !== null;
  const rowsIn = (revision: Revision) =>
    communityRows(revision).filter(({ community }) => community !== null || isCounted);
  for (const { community, title, prefix_count } of rowsIn(before))
    rows.set(community, { community, title, before: prefix_count.ipv4 + prefix_count.ipv6, after: 0 });
  for (const { community, title, prefix_count } of rowsIn(after))
    rows.set(community, {
      ...{ community, title, before: rows.get(community)?.before ?? 0 },
      after: prefix_count.ipv4 + prefix_count.ipv6,
    });
  return [...rows.values()].sort(compareRows);
}

/** Those without a community come last, as they do in a revision. */
function compareRows({ community: one }: Row, { community: other }: Row): number {
  if (one === null || other === null) return Number(one === null) - Number(other === null);
  return one.localeCompare(other);
}
