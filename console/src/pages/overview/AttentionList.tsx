import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Badge, type Tone } from '../../design/Badge.tsx';
import { Time } from '../../design/Time.tsx';
import type { Speaker } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';
import { isFault, type Attention } from './attention.ts';
import './attention.css';

export function AttentionList({
  items,
  speakers,
}: {
  items: readonly Attention[];
  speakers: readonly Speaker[];
}) {
  const faults = items.filter(isFault).length;
  const running = speakers.filter(
    ({ enabled, applied_revision_id }) => enabled && applied_revision_id !== null,
  );
  return (
    <section className={`attention ${faults === 0 ? 'is-safe' : 'is-faulty'}`}>
      <h2>{faults === 0 ? text.overview.safe : text.overview.attention(faults)}</h2>
      {faults === 0 && running.length > 0 && (
        <p className="muted">{text.overview.safeDetail(running.length, largestSent(speakers))}</p>
      )}
      {items.length > 0 && (
        <ul>
          {items.map((item, at) => (
            <li key={at}>
              <AttentionItem item={item} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** Peers with filters are sent a part of the routes; whoever has most has all. */
export function largestSent(speakers: readonly Speaker[]): number {
  const sent = speakers.flatMap(
    ({ live }) => live?.sessions.map(({ routes_exported }) => routes_exported) ?? [],
  );
  return sent.reduce((most, one) => Math.max(most, one), 0);
}

function AttentionItem({ item }: { item: Attention }) {
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
        <Line tone="bad" word={text.overview.failing} since={item.module.last_refreshed_at ?? undefined}>
          <Link className="name" to="/modules/$moduleId" params={{ moduleId: item.module.id }}>
            {item.module.name}
          </Link>
          <span className="muted">{item.module.last_refresh?.error ?? text.overview.failingDetail}</span>
        </Line>
      );
    case 'unreachable':
      return (
        <Line tone="bad" word={text.overview.speakersDown}>
          <Link to="/sessions" className="name">
            {item.speaker.name}
          </Link>
          <span className="muted">{item.speaker.live?.error}</span>
        </Line>
      );
    case 'session-down':
      return (
        <Line tone="bad" word={text.overview.sessionsDown}>
          <Link to="/sessions" className="name">{`${item.peer} · ${item.speaker.name}`}</Link>
          <span className="muted">{item.error}</span>
        </Line>
      );
    case 'running':
      return (
        <Line tone="accent" word={text.overview.running} since={item.job.started_at ?? undefined}>
          <Link to="/applies/$jobId" params={{ jobId: item.job.id }}>
            {text.overview.watch}
          </Link>
        </Line>
      );
    case 'pending':
      return (
        <Line tone="accent" word={text.overview.pending(item.edits)}>
          <span className="muted">{text.overview.pendingDetail}</span>
        </Line>
      );
  }
}

interface LineProps {
  readonly tone: Tone;
  readonly word: string;
  readonly since?: string | undefined;
  readonly children: ReactNode;
}

function Line({ tone, word, since, children }: LineProps) {
  return (
    <>
      <Badge tone={tone}>{word}</Badge>
      <span className="attention-what">{children}</span>
      <span className="muted">{since !== undefined && <Time at={since} />}</span>
    </>
  );
}

function Codes({ codes }: { codes: readonly string[] }) {
  return <code>{[...new Set(codes)].join(', ')}</code>;
}
