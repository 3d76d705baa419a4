import type { Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { formatNumber, formatSigned } from '../../strings/format.ts';
import { Community } from '../../views/resources/Community.tsx';
import { DataTable } from '../../views/tables/DataTable.tsx';
import { Section } from '../../views/page/Page.tsx';

interface Row {
  readonly community: string;
  readonly title: string;
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
        keyOf={({ community }) => community}
        file="communities-compared"
        columns={[
          {
            name: text.revisions.community,
            value: ({ community }) => community,
            cell: ({ community, title }) => <Community community={community} title={title} />,
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

/** With those that carry no community, which are in no row. */
function routesOf({ prefix_count: { ipv4, ipv6 } }: Revision): number {
  return ipv4 + ipv6;
}

function rowsOf(before: Revision, after: Revision): Row[] {
  const rows = new Map<string, Row>();
  for (const { community, title, prefix_count } of before.communities)
    rows.set(community, { community, title, before: prefix_count.ipv4 + prefix_count.ipv6, after: 0 });
  for (const { community, title, prefix_count } of after.communities)
    rows.set(community, {
      ...{ community, title, before: rows.get(community)?.before ?? 0 },
      after: prefix_count.ipv4 + prefix_count.ipv6,
    });
  return [...rows.values()].sort((one, other) => one.community.localeCompare(other.community));
}
