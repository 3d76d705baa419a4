import { EnrollLink } from '../../views/resources/EnrollLink.tsx';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { Time } from '../../design/shown/Time.tsx';
import { removedModulesQuery, type Speaker } from '../../service/queries.ts';
import { useSettling } from '../../service/settling.ts';
import { text } from '../../strings/english.ts';
import { findingTitle } from '../../strings/findings.ts';
import { formatList } from '../../strings/format.ts';
import { overviewText } from '../../strings/overview.ts';
import { inWordsOfThePages } from '../../strings/remedies.ts';
import { PeerFieldLink } from '../../views/resources/PeerFieldLink.tsx';
import { RevertedApply } from '../../views/resources/RevertedApply.tsx';
import { HostLink, PeerLink, SpeakerLink } from '../../views/resources/ResourceLink.tsx';
import { isFault, largestSent, type Attention } from '../../../../src/api/activity/attention.ts';
import type { HeldDeleted } from '../../../../src/api/activity/seen.ts';
import { ChooseCanaries } from './ChooseCanaries.tsx';
import { FailedApply } from './FailedApply.tsx';
import { FailingOutlet } from './FailingOutlet.tsx';
import { Line } from './Line.tsx';
import { RunningApply } from './RunningApply.tsx';
import './attention.css';

/** Of routers that have a session, and may have what they should at any time, without an event. */
const UNSETTLED: ReadonlySet<Attention['kind']> = new Set(['reverted', 'holds-nothing', 'sent-less']);

interface AttentionListProps {
  readonly items: readonly Attention[];
  readonly speakers: readonly Speaker[];
  /** What could not be read, or is old: nobody says then that all is well. */
  readonly doubt: ReactNode;
  /** No router is to have the lists: what leads to one; null: some router is. */
  readonly noRouter: ReactNode;
}

export function AttentionList({ items, speakers, doubt, noRouter }: AttentionListProps) {
  const faults = items.filter(isFault).length;
  const running = speakers.filter(
    ({ enabled, applied_revision_id }) => enabled && applied_revision_id !== null,
  );
  useSettling(items.some(({ kind }) => UNSETTLED.has(kind)));
  const isSafe = faults === 0 && doubt === null;
  // Where nothing is announced, nothing is as it should be, and nothing is wrong.
  const isAnnounced = running.length > 0 && noRouter === null;
  const look = isSafe ? (isAnnounced ? 'is-safe' : 'is-idle') : 'is-faulty';
  return (
    <section className={`attention ${look}`}>
      <h2>
        {isSafe && noRouter !== null
          ? overviewText.noRouter
          : headingOf(faults, items.length, running.length, doubt !== null)}
      </h2>
      {doubt}
      {isSafe && noRouter}
      {isSafe && isAnnounced && (
        <p className="muted">{text.overview.safeDetail(running.length, largestSent(speakers))}</p>
      )}
      <Items items={items.filter(isFault)} />
      {faults > 0 && faults < items.length && <h3>{text.overview.alsoUnderWay}</h3>}
      <Items items={items.filter((item) => !isFault(item))} />
    </section>
  );
}

function Items({ items }: { items: readonly Attention[] }) {
  if (items.length === 0) return null;
  return (
    <ul>
      {items.map((item, at) => (
        <li key={at}>
          <AttentionItem item={item} isFirst={item.kind !== items[at - 1]?.kind} />
        </li>
      ))}
    </ul>
  );
}

function headingOf(faults: number, items: number, running: number, isDoubtful: boolean): string {
  if (faults > 0) return text.overview.attention(faults);
  if (isDoubtful) return text.overview.unknown;
  if (running === 0) return text.overview.nobody;
  return items > 0 ? text.overview.underWay : text.overview.safe;
}

const SESSION_WORDS = {
  'session-down': overviewText.sessionsDown,
  reverted: overviewText.reverted,
  'holds-nothing': overviewText.holdsNothing,
  'sent-less': overviewText.sentLess,
} as const;

interface AttentionItemProps {
  readonly item: Attention;
  /** Of several of a kind, which may have one cause. */
  readonly isFirst: boolean;
}

function AttentionItem({ item, isFirst }: AttentionItemProps) {
  switch (item.kind) {
    case 'held-module':
      return (
        <Line tone="warning" word={text.overview.held} since={item.module.held?.since}>
          <Link className="name" to="/modules/$moduleId" params={{ moduleId: item.module.id }}>
            {text.overview.heldModule(item.module.name)}
          </Link>
          <Codes codes={item.module.held?.findings.map(({ code }) => code) ?? []} />
        </Line>
      );
    case 'held-deleted':
      return <DeletedModule held={item.held} />;
    case 'held-revision':
      return (
        <Line tone="warning" word={text.overview.held} since={item.revision.created_at}>
          <Link to="/revisions/$revision" params={{ revision: String(item.revision.number) }}>
            {text.revisions.numbered(item.revision.number)}
          </Link>
          <Codes codes={item.revision.findings.map(({ code }) => code)} />
        </Line>
      );
    case 'frozen':
      return (
        <Line tone="warning" word={text.overview.frozen}>
          {text.overview.frozenDetail}
        </Line>
      );
    case 'failing':
      return (
        <Line tone="bad" word={text.overview.failing}>
          <Link className="name" to="/modules/$moduleId" params={{ moduleId: item.module.id }}>
            {item.module.name}
          </Link>
          <span className="muted">
            {inWordsOfThePages(item.module.last_refresh?.error ?? text.overview.failingDetail)}
            {/* Since when that is, nobody knows: the other lines have that at their end. */}
            {item.module.last_refreshed_at !== null && (
              <>
                {' '}
                {text.overview.lastGood} <Time at={item.module.last_refreshed_at} />.
              </>
            )}
          </span>
        </Line>
      );
    case 'unreachable':
      return (
        <Line
          tone="bad"
          word={text.overview.speakersDown}
          since={item.speaker.agent?.last_seen_at ?? undefined}
        >
          <SpeakerLink id={item.speaker.id} name={item.speaker.name} />
          <span className="muted">
            {text.overview.unknownThere} {item.speaker.live?.error}
          </span>
        </Line>
      );
    case 'awaited':
      return (
        <Line tone="accent" word={overviewText.awaited} since={item.speaker.agent?.last_seen_at ?? undefined}>
          <SpeakerLink id={item.speaker.id} name={item.speaker.name} />
          <span className="muted">{item.speaker.live?.error}</span>
        </Line>
      );
    case 'speaker-fault':
      return (
        <Line tone="bad" word={overviewText.speakerFault}>
          <SpeakerLink id={item.speaker.id} name={item.speaker.name} />
          <span className="muted">{item.speaker.live?.error}</span>
        </Line>
      );
    case 'ending':
      return (
        <Line tone="bad" word={overviewText.ending}>
          <SpeakerLink id={item.speaker.id} name={item.speaker.name} />
          <span className="muted">{overviewText.endingDetail}</span>
          <SomePeers peers={item.peers} />
        </Line>
      );
    case 'apply-failed':
      return (
        <Line tone="bad" word={text.overview.applyFailed}>
          <SpeakerLink id={item.speaker.id} name={item.speaker.name} />
          <span className="muted">{item.speaker.last_apply?.error}</span>
        </Line>
      );
    case 'not-applied':
      return (
        <Line
          tone={item.failedApply === null ? 'warning' : 'bad'}
          word={item.failedApply === null ? text.overview.notApplied : text.overview.applyFailed}
          since={item.revision.created_at}
        >
          <Link to="/revisions/$revision" params={{ revision: String(item.revision.number) }}>
            {text.revisions.numbered(item.revision.number)}
          </Link>
          <span className="muted name">
            {item.speaker.applied_revision_id === null
              ? overviewText.announcesNothing(item.speaker.name)
              : text.overview.notAppliedOn(item.speaker.name)}
          </span>
          {isFirst && item.failedApply !== null && (
            <FailedApply {...item.failedApply} revisionId={item.revision.id} />
          )}
        </Line>
      );
    case 'session-down':
    case 'reverted':
    case 'holds-nothing':
    case 'sent-less':
      return (
        <Line
          tone={item.kind === 'sent-less' ? 'warning' : 'bad'}
          word={SESSION_WORDS[item.kind]}
          since={item.kind === 'sent-less' ? undefined : item.since}
        >
          <span>
            <PeerLink id={item.peerId} name={item.peer} /> {text.applies.atSpeaker}{' '}
            <SpeakerLink id={item.speaker.id} name={item.speaker.name} />
          </span>
          <span className="muted">{item.error !== null && inWordsOfThePages(item.error)}</span>
          <PeerFieldLink peerId={item.peerId} said={item.error} />
          {item.isReverted && <RevertedApply lastApply={item.speaker.last_apply} />}
        </Line>
      );
    case 'no-speaker':
      return (
        <Line tone="bad" word={overviewText.noSpeaker}>
          <SomePeers peers={item.peers} />
          <span className="muted">{overviewText.theirSpeakers(item.speakers.length)}</span>
          <span>
            {item.speakers.slice(0, NAMED).map(({ id, name }) => (
              <Fragment key={id}>
                <SpeakerLink id={id} name={name} />{' '}
              </Fragment>
            ))}
          </span>
        </Line>
      );
    case 'no-canary':
      return (
        <Line tone="bad" word={overviewText.noCanary}>
          <span className="muted">{overviewText.noCanaryDetail(item.canaries.length)}</span>
          {item.canaries.map(({ id, name }) => (
            <SpeakerLink key={id} id={id} name={name} />
          ))}
          <ChooseCanaries />
        </Line>
      );
    case 'not-enrolled':
      return (
        <Line tone="warning" word={overviewText.notEnrolled}>
          <SpeakerLink id={item.speaker.id} name={item.speaker.name} />
          <EnrollLink speakerId={item.speaker.id} />
        </Line>
      );
    case 'host-unreachable':
      return (
        <Line tone="bad" word={overviewText.hostAway} since={item.host.last_seen_at ?? undefined}>
          <HostLink id={item.host.id} name={item.host.name} />
          <span className="muted">{overviewText.hostAwayDetail}</span>
        </Line>
      );
    case 'host-failed':
      return (
        <Line tone="bad" word={overviewText.hostFailed}>
          <HostLink id={item.host.id} name={item.host.name} />
          <span className="muted">{item.host.last_error}</span>
        </Line>
      );
    case 'webhook-failing':
    case 'feed-failing':
      return <FailingOutlet item={item} />;
    case 'running':
      return <RunningApply job={item.job} />;
    case 'pending':
      return (
        <Line tone="accent" word={text.overview.pending(item.edits)}>
          <span className="muted">{text.overview.pendingDetail(item.edits)}</span>
        </Line>
      );
  }
}

/** Peers and speakers that are named one by one. */
const NAMED = 5;

function SomePeers({ peers }: { peers: readonly { readonly id: string; readonly name: string }[] }) {
  return (
    <span>
      {peers.slice(0, NAMED).map(({ id, name }) => (
        <Fragment key={id}>
          <PeerLink id={id} name={name} />{' '}
        </Fragment>
      ))}
      {peers.length > NAMED && overviewText.otherPeers(peers.length - NAMED)}
    </span>
  );
}

/** By the name that it had, as long as that is kept. */
function DeletedModule({ held: { module_id: id, findings } }: { held: HeldDeleted }) {
  const { data: removed = [] } = useQuery(removedModulesQuery);
  const module = removed.find((one) => one.id === id);
  return (
    <Line tone="warning" word={text.overview.held} since={module?.removed_at}>
      <Link className="name" to="/modules/$moduleId" params={{ moduleId: id }}>
        {text.overview.deletedModule(module?.name ?? id)}
      </Link>
      <Codes codes={findings.map(({ code }) => code)} />
    </Line>
  );
}

function Codes({ codes }: { codes: readonly string[] }) {
  return <span>{formatList([...new Set(codes)].map(findingTitle))}</span>;
}
