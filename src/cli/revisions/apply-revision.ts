/** Announces a revision, one that breaks guardrails only after these were shown. */
import type { Job, Schemas } from '#client';
import { begun } from './revisions.ts';
import { meantRevision } from './meant-revision.ts';
import { EXIT } from '../process/command-error.ts';
import { summaryText } from '../render/diff-lines.ts';
import { isMeant, UNFORESEEN, type CautionOptions } from '../session/consequences.ts';
import { agreedOverride, namedCodes, type OverrideOptions } from '../session/overrides.ts';
import type { Session } from '../session/run-remote.ts';
import type { WaitOptions } from '../session/wait.ts';

type Revision = Schemas['Revision'];

export interface ApplyOptions extends WaitOptions, OverrideOptions, CautionOptions {
  readonly speaker: readonly string[];
}

export async function apply(session: Session, given: string, options: ApplyOptions): Promise<number> {
  const speakers = await Promise.all(options.speaker.map((name) => session.names.idOf('speaker', name)));
  // By its id: `latest` may be another one a moment later.
  const revision = await meantRevision(session, given, options.override);
  const isByNumber = given === String(revision.number);
  const { override, wasAsked } =
    options['dry-run'] === true
      ? { override: namedCodes(options.override), wasAsked: false }
      : await overrideOf(session, revision, { speakers, isByNumber }, options);
  const body = {
    revision_id: revision.id,
    ...(speakers.length === 0 ? {} : { speaker_ids: speakers }),
    ...(override.length === 0 ? {} : { override }),
    ...(options.reason === undefined ? {} : { reason: options.reason }),
  };
  const question = !wasAsked ? `Announce revision ${revision.number}?` : null;
  const write = { method: 'POST', path: '/v1/apply', body } as const;
  // What an older one brings back is said in scripts, too.
  const foreseen = (await isLatest(session, revision)) ? null : UNFORESEEN;
  if (!(await isMeant(session, write, question, options, foreseen))) return EXIT.ok;
  const answer = await session.client.request('POST', '/v1/apply', { body });
  return begun(session, (await answer.json()) as Job, { ...options, counted: 'all' });
}

async function isLatest({ client }: Session, { id }: Revision): Promise<boolean> {
  const { items } = await client.get('/v1/revisions', { params: { query: { state: ['ready'], limit: 1 } } });
  return items[0]?.id === id;
}

/** What a revision breaks is asked for where it is held, or somebody overrides: other ones break nothing that they did not before. */
async function overrideOf(
  { client }: Session,
  { id, number, state }: Revision,
  {
    speakers: speakerIds,
    isByNumber,
  }: { readonly speakers: readonly string[]; readonly isByNumber: boolean },
  options: ApplyOptions,
): Promise<{ readonly override: readonly string[]; readonly wasAsked: boolean }> {
  if (state !== 'held' && options.override.length === 0) return { override: [], wasAsked: false };
  const answer = await client.request('GET', `/v1/revisions/${id}/preview`);
  const { findings, speakers } = (await answer.json()) as Schemas['RevisionPreview'];
  if (findings.length === 0) return { override: namedCodes(options.override), wasAsked: false };
  const touched = speakers.filter(
    (one) => one.enabled && (speakerIds.length === 0 || speakerIds.includes(one.speaker_id)),
  );
  const override = await agreedOverride(
    {
      what: `Revision ${number}`,
      findings,
      lines: touched.map(({ name, difference }) => `At ${name}: ${summaryText(difference)}`),
      question: `Announce revision ${number}?`,
      // A number names one content for good.
      isInspected: isByNumber,
    },
    options,
  );
  return { override, wasAsked: true };
}
