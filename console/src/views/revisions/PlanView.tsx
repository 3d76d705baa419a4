import type { Schemas } from '@prefixcast/client';
import { Badge } from '../../design/shown/Badge.tsx';
import { useQuery } from '@tanstack/react-query';
import { hasNoNode } from '../../../../src/api/activity/no-node.ts';
import {
  keptByQuery,
  modulesQuery,
  settingsQuery,
  speakersQuery,
  type Module,
  type Speaker,
} from '../../service/queries.ts';
import type { Plan } from '../../service/writes.ts';
import { text } from '../../strings/english.ts';
import { formatList, formatNumber } from '../../strings/format.ts';
import { planText } from '../../strings/plan.ts';
import { Community } from '../resources/Community.tsx';
import { ChangeCounts, FamilyCounts } from '../difference/Counts.tsx';
import { Findings } from '../faults/Findings.tsx';
import { Prefix } from '../../design/shown/Prefix.tsx';
import { RevisionState } from '../resources/StateBadges.tsx';
import { PeerCover } from './Cover.tsx';
import { givesOthers } from './harm.ts';
import { plannedHolds } from './holds.ts';
import './plan.css';

type Effect = Plan['effect'];

interface PlanViewProps {
  readonly plan: Plan;
  /** The setting `auto_revision` with the writes, where they change it. */
  readonly isBuilt?: boolean | undefined;
}

/** What writes would change: the revision that follows, its guardrails, the speakers and peers that would hear of it, and routes. */
export function PlanView({ plan: { effect }, isBuilt }: PlanViewProps) {
  const { revision, summary, speakers, items } = effect;
  return (
    <div className="plan">
      {revision === null ? (
        <>
          <p>{speakers.length === 0 ? planText.nothing : planText[kindOf(effect)]}</p>
          {effect.latest_findings !== undefined && (
            <>
              <p className="banner">{planText.latestBreaks}</p>
              <Findings findings={effect.latest_findings} />
            </>
          )}
        </>
      ) : (
        <>
          <p className="plan-head">
            <RevisionState state={revision.state} /> <ChangeCounts summary={summary} />
          </p>
          <p className="muted">
            {planText.next} <FamilyCounts counts={revision.prefix_count} />.{' '}
            <WhenApplied effect={effect} isBuilt={isBuilt} />
          </p>
          {revision.findings.length > 0 && (
            <>
              <h3>{planText.held}</h3>
              <Findings findings={revision.findings} />
            </>
          )}
          <Holds revision={revision} />
        </>
      )}
      <Expired effect={effect} />
      <Remarks effect={effect} />
      {speakers.length > 0 && <Speakers speakers={speakers} />}
      {items.length > 0 && <Routes effect={effect} />}
    </div>
  );
}

/** Without `auto_revision`, edits wait for somebody who builds a revision, and the plan is what that has then. */
function WhenApplied({ effect, isBuilt }: { readonly effect: Effect } & Pick<PlanViewProps, 'isBuilt'>) {
  const { data } = useQuery(settingsQuery);
  if (!(isBuilt ?? data?.settings.auto_revision ?? true)) return planText.notBuilt;
  return effect.applied_by_itself ? planText.applied : planText.notApplied;
}

/** What changes of what routers are sent where no revision follows: a sentence on top may not deny the figures below it. */
function kindOf(effect: Effect): 'sameRoutes' | 'otherRoutes' | 'otherParts' {
  if (!givesOthers(effect)) return 'sameRoutes';
  const peers = effect.speakers.flatMap((speaker) => speaker.peers);
  const isOfThem = ({ withdrawn, before, after }: Schemas['PeerEffect']): boolean =>
    withdrawn > 0 || before.ipv4 !== after.ipv4 || before.ipv6 !== after.ipv6;
  return peers.some(isOfThem) ? 'otherParts' : 'otherRoutes';
}

/** What the writes would hold, and of which module they end a rollback; what is held anyway is no matter of theirs. */
export function Holds({ revision }: { revision: NonNullable<Effect['revision']> }) {
  const { data: modules, isFetching, isFetchedAfterMount } = useQuery(modulesQuery);
  if (modules === undefined) return null;
  const { caused, staying, freed } = plannedHolds(revision, modules);
  // A rollback that has ended by now would be said to end once more, with all that came back then.
  const isOfNow = isFetchedAfterMount || !isFetching;
  return (
    <>
      {isOfNow && freed.map((module) => <EndedRollback key={module.id} module={module} />)}
      {caused.length > 0 && (
        <>
          <h3>{planText.quarantined}</h3>
          {caused.map(({ module_id, findings }) => (
            <Findings key={module_id} findings={findings} />
          ))}
        </>
      )}
      {staying.length > 0 && (
        <p className="muted">
          {planText.staying} {formatList(staying.map(({ name }) => name))}
        </p>
      )}
    </>
  );
}

/** The module has other content with the writes, and so nothing of the rollback any more. */
function EndedRollback({ module: { id, name } }: { module: Module }) {
  const { data } = useQuery(keptByQuery(id));
  return (
    <p className="banner">
      {planText.endedRollback(name)} {data !== undefined && <ChangeCounts summary={data.summary} />}
    </p>
  );
}

/** What left by itself at its time, and is in the content that comes back. */
export function Expired({ effect: { expired } }: { effect: Effect }) {
  if (expired === undefined) return null;
  const { count, prefixes } = expired;
  const named = prefixes.slice(0, NAMED_EXPIRED);
  return (
    <div className="banner">
      <p>{planText.expired(count)}</p>
      <p className="plan-expired">
        {named.map((prefix) => (
          <Prefix key={prefix} prefix={prefix} />
        ))}
        {count > named.length && <span>{planText.further(count - named.length)}</span>}
      </p>
    </div>
  );
}

const NAMED_EXPIRED = 10;

function Remarks({ effect: { other_changes, uncollected_module_ids } }: { effect: Effect }) {
  return (
    <>
      {other_changes > 0 && <p className="muted">{planText.others(other_changes)}</p>}
      {uncollected_module_ids.length > 0 && (
        <p className="muted">{planText.uncollected(uncollected_module_ids.length)}</p>
      )}
    </>
  );
}

/** A speaker that is a node which nobody has enrolled sends nobody anything, whatever the next revision has. */
export function Speakers({ speakers }: { speakers: Effect['speakers'] }) {
  const { data: all = [] } = useQuery(speakersQuery);
  const silent = new Set(all.filter(hasNoNode).map(({ id }) => id));
  const down = new Set(all.flatMap(downPeers));
  return (
    <>
      <h3>{planText.speakers}</h3>
      <ul className="plan-speakers">
        {speakers.map(({ speaker_id, name, peers, ...summary }) => (
          <li key={speaker_id}>
            <p>
              <span className="name">{name}</span>{' '}
              {silent.has(speaker_id) ? (
                <span className="muted">{planText.notEnrolled}</span>
              ) : (
                // Where who is sent them changes alone, zeros would say that no router loses any.
                summary.announced + summary.withdrawn + summary.changed > 0 && (
                  <ChangeCounts summary={summary} />
                )
              )}
            </p>
            {(silent.has(speaker_id) ? [] : peers).map((peer) => (
              <div key={peer.peer_id} className="plan-peer muted">
                <p>
                  <span className="name">{peer.name}</span>{' '}
                  {down.has(`${speaker_id} ${peer.peer_id}`) ? (
                    planText.down(routesOf(peer.after))
                  ) : (
                    <PeerChanges peer={peer} />
                  )}
                </p>
                <PeerCover of={peer} />
              </div>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function PeerChanges({ peer }: { peer: Schemas['PeerEffect'] }) {
  return (
    <>
      <span className="number">
        {peer.withdrawn > 0 && (
          <span className="change-withdrawn">
            {text.changeSigns.withdrawn}
            {formatNumber(peer.withdrawn)} {text.changes.withdrawn}
          </span>
        )}{' '}
        {planText.peerRoutes(routesOf(peer.before), routesOf(peer.after), peer.updated)}
      </span>{' '}
      {planText.sessions[peer.session]}
    </>
  );
}

/** Of those whose state is known: no session that ends, and no route that one loses. */
function downPeers({ id, live }: Speaker): string[] {
  return (live?.sessions ?? [])
    .filter(({ state }) => state !== 'established')
    .map(({ peer_id: peer }) => `${id} ${peer}`);
}

function routesOf({ ipv4, ipv6 }: Schemas['PrefixCount']): string {
  return formatNumber(ipv4 + ipv6);
}

function Routes({ effect: { items, has_more } }: { effect: Effect }) {
  return (
    <>
      <h3>{has_more ? planText.first(items.length) : text.compare.rows}</h3>
      <div className="plan-routes" tabIndex={0} role="group" aria-label={text.compare.rows}>
        <ul>
          {items.map(({ prefix, change, communities_before, communities_after }) => (
            <li key={prefix}>
              <span className={`diff-sign change-${change}`} role="img" aria-label={text.changes[change]}>
                {text.changeSigns[change]}
              </span>
              <Prefix prefix={prefix} />
              {(communities_after.length > 0 ? communities_after : communities_before).map(
                ({ community }) => (
                  <Community key={community} community={community} />
                ),
              )}
            </li>
          ))}
        </ul>
      </div>
    </>
  );
}

/** What an import of entries would do. */
export function ImportCounts({ counts }: { counts: Schemas['EntryImport'] }) {
  return (
    <p className="plan-import">
      {(['created', 'updated', 'deleted', 'unchanged'] as const).map((what) => (
        <Badge key={what} tone={counts[what] > 0 ? IMPORT_TONES[what] : 'plain'}>
          {formatNumber(counts[what])} {planText.imported[what]}
        </Badge>
      ))}
    </p>
  );
}

const IMPORT_TONES = { created: 'good', updated: 'warning', deleted: 'bad', unchanged: 'plain' } as const;
