import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Empty } from '../../design/messages/Empty.tsx';
import { Skeleton } from '../../design/shown/Skeleton.tsx';
import {
  appliesQuery,
  latestReadyQuery,
  modulesQuery,
  peersQuery,
  revisionsQuery,
  settingsQuery,
  speakersQuery,
} from '../../service/queries.ts';
import type { StreamState } from '../../service/event-stream.ts';
import { firewallClientsQuery } from '../../service/host.ts';
import { feedsQuery, webhooksQuery } from '../../service/outlets.ts';
import { useStreamState } from '../../service/live.tsx';
import { useMay } from '../../service/permissions.ts';
import { sessionQuery } from '../../service/session.ts';
import { text } from '../../strings/english.ts';
import { ApplyDurations } from '../../views/charts/ApplyDurations.tsx';
import { RouteChart } from '../../views/charts/RouteChart.tsx';
import { SessionAges } from '../../views/charts/SessionAges.tsx';
import { Loaded } from '../../views/page/Loaded.tsx';
import { Problem } from '../../views/faults/Problem.tsx';
import { Page, Section } from '../../views/page/Page.tsx';
import { RevisionLog } from '../../views/revisions/RevisionLog.tsx';
import { attentionOf, hasNoRouter, needsPeers } from '../../../../src/api/activity/attention.ts';
import { AttentionList } from './AttentionList.tsx';
import { CurrentFigures } from './CurrentFigures.tsx';
import { NoRouter } from './NoRouter.tsx';

const RECENT = 10;
/** No event says what a receiver takes, or that a feed was fetched. */
const SELDOM = { refetchInterval: 15_000 };

/** Is it safe? What needs somebody comes first. */
export function Overview() {
  const session = useQuery(sessionQuery);
  const modules = useQuery(modulesQuery);
  const speakers = useQuery(speakersQuery);
  const readsPeers = needsPeers(speakers.data ?? []);
  const peers = useQuery({ ...peersQuery, enabled: readsPeers });
  const may = useMay();
  const mayReadHosts = may('bgp:firewall:read');
  const hosts = useQuery({ ...firewallClientsQuery, enabled: mayReadHosts });
  const mayReadWebhooks = may('bgp:webhooks:read');
  const webhooks = useQuery({ ...webhooksQuery, ...SELDOM, enabled: mayReadWebhooks });
  const feeds = useQuery({ ...feedsQuery, ...SELDOM });
  const applies = useQuery(appliesQuery);
  const settings = useQuery(settingsQuery);
  const held = useInfiniteQuery(revisionsQuery({ state: 'held' }));
  const revisions = useInfiniteQuery(revisionsQuery());
  const latest = useQuery(latestReadyQuery);
  const asked: Asked[] = [session, modules, speakers, applies, settings, held, revisions, latest, feeds];
  if (readsPeers) asked.push(peers);
  if (mayReadHosts) asked.push(hosts);
  if (mayReadWebhooks) asked.push(webhooks);
  const stream = useStreamState();
  const failed = asked.find(({ error }) => error !== null);
  const doubt = doubtOf(failed, stream);
  return (
    <Page title={text.overview.title}>
      <Loaded query={modules}>
        {(allModules) => (
          <Loaded query={speakers}>
            {(allSpeakers) => {
              if (isPending(asked)) return <Skeleton />;
              const items = attentionOf({
                ...{ modules: allModules, speakers: allSpeakers, peers: peers.data ?? [] },
                hosts: hosts.data ?? [],
                webhooks: webhooks.data ?? [],
                feeds: feeds.data ?? [],
                applies: applies.data?.items ?? [],
                heldRevisions: held.data?.pages[0]?.items ?? [],
                latest: latest.data?.items[0],
                revisions: revisions.data?.pages.flatMap((page) => page.items) ?? [],
                isFrozen: settings.data?.settings.deploy_freeze === true,
                canaryIds: settings.data?.settings.deploy_canary_speaker_ids ?? [],
                pendingEdits: session.data?.pending_changes.count ?? 0,
              });
              // Of a tenant without lists nothing is as it should be.
              const isEmpty = allModules.length === 0;
              return (
                <>
                  {isEmpty && <FirstRun />}
                  {!isEmpty && revisions.data?.pages[0]?.items.length === 0 && <BackToFirstRun />}
                  {(!isEmpty || items.length > 0) && (
                    <AttentionList
                      {...{ items, speakers: allSpeakers, doubt }}
                      noRouter={
                        hasNoRouter({ speakers: allSpeakers, peers: peers.data ?? [] }) ? (
                          <NoRouter hasSpeakers={allSpeakers.length > 0} />
                        ) : null
                      }
                    />
                  )}
                  <CurrentFigures modules={allModules} speakers={allSpeakers} />
                </>
              );
            }}
          </Loaded>
        )}
      </Loaded>
      <Section title={text.overview.recent} aside={<Link to="/revisions">{text.overview.allRevisions}</Link>}>
        <Loaded query={revisions}>
          {({ pages }) => {
            const items = pages[0]?.items ?? [];
            return items.length === 0 ? (
              <p className="muted">{text.overview.noRevisions}</p>
            ) : (
              <RevisionLog revisions={items.slice(0, RECENT)} />
            );
          }}
        </Loaded>
      </Section>
      {revisions.data?.pages[0]?.items.length !== 0 && (
        <Section title={text.overview.charts}>
          <div className="charts">
            <Loaded query={revisions}>
              {({ pages }) => <RouteChart revisions={pages.flatMap(({ items }) => items)} />}
            </Loaded>
            <Loaded query={speakers}>{(allSpeakers) => <SessionAges speakers={allSpeakers} />}</Loaded>
            <Loaded query={applies}>{({ items }) => <ApplyDurations applies={items} />}</Loaded>
          </div>
        </Section>
      )}
    </Page>
  );
}

interface Asked {
  readonly data: unknown;
  readonly error: Error | null;
  refetch(): unknown;
}

/** Why what is shown may not be so; null: it is. */
function doubtOf(failed: Asked | undefined, stream: StreamState): ReactNode {
  if (failed?.error instanceof Error)
    return <Problem error={failed.error} onRetry={() => void failed.refetch()} />;
  return stream === 'broken' ? <p className="muted">{text.stream.broken}</p> : null;
}

/** Something is not known yet, and may still come. */
function isPending(asked: readonly Asked[]): boolean {
  return asked.some(({ data, error }) => data === undefined && error === null);
}

/** Whoever left the first run to correct its list goes on there. */
function BackToFirstRun() {
  const may = useMay();
  if (!may('bgp:lists:write')) return null;
  return (
    <p>
      <Link className="button" to="/welcome">
        {text.overview.goOn}
      </Link>
    </p>
  );
}

function FirstRun() {
  const may = useMay();
  return (
    <Empty
      title={text.overview.emptyTitle}
      what={text.overview.emptyWhat}
      action={
        may('bgp:lists:write') && (
          <Link className="button primary" to="/welcome">
            {text.overview.start}
          </Link>
        )
      }
      command={text.overview.emptyCommand}
    />
  );
}
