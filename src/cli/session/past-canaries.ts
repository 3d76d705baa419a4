/** How a change that cannot wait goes past canaries which show nothing of it. */
import type { Job, Schemas } from '#client';
import { awayCanaries, othersThan } from '../../api/activity/canary-speakers.ts';
import { NO_CANARY_SESSION } from '../../api/revisions/canaries.ts';
import { counted, named } from '../render/counted.ts';
import { shellWord } from '../render/shell-word.ts';
import type { Session } from './run-remote.ts';

/** Speakers that are named; of more, their number. */
const NAMED = 10;

interface Speaker {
  readonly id: string;
  readonly name: string;
}

/** A line for people; none where the job ended otherwise: of a revision that a canary did not bear, nothing is advised. */
export async function pastCanaries(session: Session, job: Job): Promise<string[]> {
  const { type, error, result, resource } = job;
  if (type !== 'apply' || error?.detail.startsWith(NO_CANARY_SESSION) !== true) return [];
  const left = (result?.speakers ?? []).filter((one) => one.error === error.detail && one.wave > 0);
  if (left.length === 0 || resource?.type !== 'revision') return [];
  const number = await numberOf(session, resource.id);
  const called = await session.names.called(
    'speaker',
    left.map(({ speaker_id: id }) => id),
  );
  const others = left.map(({ speaker_id: id }) => ({ id, name: called.get(id) ?? id }));
  return [lineTo(session, number, others)];
}

async function numberOf({ client }: Session, revisionId: string): Promise<number> {
  const answer = await client.request('GET', `/v1/revisions/${encodeURIComponent(revisionId)}`);
  return ((await answer.json()) as Schemas['Revision']).number;
}

/** The command that announces the revision to these speakers now, whatever the canaries do. */
export function commandPast({ contextWords }: Session, number: number, others: readonly Speaker[]): string {
  const words =
    others.length > NAMED
      ? '--speaker NAME, for each of them'
      : others.map(({ name }) => `--speaker ${shellWord(name)}`).join(' ');
  return `prefixcast${contextWords} revision apply ${number} ${words}`;
}

function lineTo(session: Session, number: number, others: readonly Speaker[]): string {
  const where = others.length > NAMED ? counted(others.length, 'other speaker') : 'the other speakers';
  return `To announce it to ${where} now, with no canary that has shown whether routers bear it: ${commandPast(session, number, others)}`;
}

interface Reported extends Speaker {
  readonly enabled: boolean;
  readonly live?: { readonly reachable: boolean } | null | undefined;
}

/**
 * What to do about an apply that a command has waited for in vain: nothing else is wrong with it but that its canaries are out of reach. Empty
 * where it is otherwise.
 */
export async function waysPastAway(
  session: Session,
  job: Job,
  speakers: readonly Reported[],
): Promise<string[]> {
  const away = awayCanaries(job, speakers);
  const others = othersThan(away, speakers);
  if (away.length === 0 || others.length === 0 || job.resource === null) return [];
  const number = await numberOf(session, job.resource.id);
  return [`It ${waitingWords(away)}.`, lineTo(session, number, others)];
}

export function waitingWords(away: readonly Speaker[]): string {
  const { names } = named(
    'canary',
    away.map(({ name }) => name),
  );
  return away.length === 1
    ? `waits for the canary ${names}, which is out of reach`
    : `waits for the canaries ${names}, which are out of reach`;
}
