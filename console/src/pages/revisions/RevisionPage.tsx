import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Badge } from '../../design/shown/Badge.tsx';
import { Button } from '../../design/controls/Button.tsx';
import { Copy } from '../../design/messages/Copy.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { Moment, Time } from '../../design/shown/Time.tsx';
import { useState } from 'react';
import { revisionQuery, type Revision } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { kinds } from '../../strings/kinds.ts';
import { mapText } from '../../strings/map.ts';
import { formatNumber } from '../../strings/format.ts';
import { revisionTableText } from '../../strings/revision-table.ts';
import { FamilyCounts } from '../../views/difference/Counts.tsx';
import { DataTable } from '../../views/tables/DataTable.tsx';
import { Findings } from '../../views/faults/Findings.tsx';
import { LoadedPage } from '../../views/page/LoadedPage.tsx';
import { Page, Section } from '../../views/page/Page.tsx';
import { present } from '../../views/page/present.ts';
import { ModuleLink, SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import { CommunityCell, communityKey, communityRows } from '../../views/revisions/community-rows.tsx';
import { Period } from '../../views/revisions/AppliedPeriods.tsx';
import { runningByContent, runsAs } from '../../views/revisions/same-content.ts';
import { RevisionState } from '../../views/resources/StateBadges.tsx';
import { HeldRevision } from './HeldRevision.tsx';
import { RevisionMap } from './RevisionMap.tsx';
import { RevisionActions } from './RevisionActions.tsx';

const route = getRouteApi('/revisions/$revision');

export function RevisionPage() {
  const { revision: name } = route.useParams();
  return (
    <LoadedPage
      // It may be pruned while the page is open.
      query={present(useQuery(revisionQuery(name)))}
      title={kinds.revision}
      list={{ to: '/revisions', name: text.navigation.revisions }}
    >
      {(revision) => <OneRevision revision={revision} />}
    </LoadedPage>
  );
}

function OneRevision({ revision }: { revision: Revision }) {
  const title = text.revisions.numbered(revision.number);
  const { map } = route.useSearch();
  const { revision: name } = route.useParams();
  const navigate = useNavigate();
  const showMap = (): void =>
    void navigate({
      to: '/revisions/$revision',
      // As it is called in the address: another path would be another page.
      params: { revision: name },
      search: map === undefined ? { map: 'shown' } : {},
    });
  const [isByKey, setByKey] = useState(false);
  useShortcut('m', mapText.show, () => {
    setByKey(true);
    showMap();
  });
  return (
    <Page
      title={title}
      heading={
        <>
          {title} <RevisionState state={revision.state} />
          {revision.pinned && <Badge>{text.revisions.pinned}</Badge>}
        </>
      }
      actions={
        <>
          <Button aria-pressed={map !== undefined} onClick={showMap}>
            {mapText.title}
          </Button>
          <RevisionActions revision={revision} />
        </>
      }
    >
      {revision.state === 'held' && <HeldRevision revision={revision} />}
      <Facts revision={revision} />
      {revision.quarantined.length > 0 && <QuarantinedModules revision={revision} />}
      {map !== undefined && <RevisionMap revision={revision} takesFocus={isByKey} />}
      {revision.warnings.length > 0 && (
        <Section title={text.revisions.warnings}>
          <Findings findings={revision.warnings} />
        </Section>
      )}
      <Section
        title={text.revisions.communities}
        aside={
          <span className="muted">
            {text.revisions.allRoutes} <FamilyCounts counts={revision.prefix_count} />
          </span>
        }
      >
        <Uncounted revision={revision} />
        <DataTable
          caption={text.revisions.communities}
          rows={communityRows(revision)}
          keyOf={communityKey}
          file={`revision-${revision.number}`}
          columns={[
            {
              name: text.revisions.community,
              value: ({ community }) => community ?? text.revisions.noCommunity,
              cell: (row) => <CommunityCell {...row} />,
            },
            {
              ...{ name: text.families.ipv4, isNumber: true },
              value: ({ prefix_count }) => prefix_count.ipv4,
              cell: ({ prefix_count }) => formatNumber(prefix_count.ipv4),
            },
            {
              ...{ name: text.families.ipv6, isNumber: true },
              value: ({ prefix_count }) => prefix_count.ipv6,
              cell: ({ prefix_count }) => formatNumber(prefix_count.ipv6),
            },
          ]}
        />
      </Section>
    </Page>
  );
}

/**
 * Of a revision of before routes without a community were counted: of routes that carry several, each row has one more, so many carry none, or
 * more.
 */
function Uncounted({ revision: { prefix_count, communities, without_community } }: { revision: Revision }) {
  const rest = (family: 'ipv4' | 'ipv6'): number =>
    communities.reduce((left, one) => left - one.prefix_count[family], prefix_count[family]);
  const [ipv4, ipv6] = [Math.max(0, rest('ipv4')), Math.max(0, rest('ipv6'))];
  if (without_community !== null || communities.length === 0 || ipv4 + ipv6 === 0) return null;
  return <p className="muted">{text.revisions.withoutCommunity(ipv4, ipv6)}</p>;
}

function Facts({ revision }: { revision: Revision }) {
  const isNowhere = revision.applied_on.length === 0 && revision.state === 'ready';
  const { data: applied } = useQuery({ ...revisionQuery('applied'), enabled: isNowhere });
  const same = applied === undefined ? undefined : runsAs(revision, runningByContent([applied]));
  return (
    <dl className="facts">
      <dt>{text.revisions.routes}</dt>
      <dd>
        <FamilyCounts counts={revision.prefix_count} />
      </dd>
      <dt>{text.revisions.made}</dt>
      <dd>
        <Moment at={revision.created_at} /> · {text.revisions.triggers[revision.trigger.kind]}
        {revision.trigger.kind === 'release' && revision.trigger.module_id !== null && (
          <>
            {' '}
            <ModuleLink id={revision.trigger.module_id} name={null} />
          </>
        )}
        {revision.trigger.actor !== null && (
          <span className="name"> {text.revisions.by(revision.trigger.actor)}</span>
        )}
      </dd>
      <dt>{text.revisions.running}</dt>
      <dd>
        {revision.applied_on.length === 0
          ? same === undefined
            ? text.none
            : text.revisions.sameContent(formatNumber(same))
          : revision.applied_on.map(({ speaker_id, applied_at }) => (
              <span key={speaker_id}>
                <SpeakerLink id={speaker_id} name={null} /> (<Time at={applied_at} />){' '}
              </span>
            ))}
      </dd>
      {revision.applied_periods.length > 0 && (
        <>
          <dt>{revisionTableText.applied}</dt>
          <dd>
            {revision.applied_periods.map((period) => (
              <div key={period.from} className="number">
                <Period period={period} />
              </div>
            ))}
          </dd>
        </>
      )}
      {revision.content_hash !== null && (
        <>
          <dt>{text.revisions.content}</dt>
          <dd>
            <code>{revision.content_hash.slice(0, 12)}</code> <Copy value={revision.content_hash} />
          </dd>
        </>
      )}
    </dl>
  );
}

function QuarantinedModules({ revision }: { revision: Revision }) {
  return (
    <Section title={text.revisions.quarantined}>
      {revision.quarantined.map(({ module_id, findings }) => (
        <div key={module_id}>
          <ModuleLink id={module_id} name={null} />
          <Findings findings={findings} />
        </div>
      ))}
    </Section>
  );
}
