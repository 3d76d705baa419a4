/** How a change that cannot wait goes past canaries which show nothing of it. */
import type { Job, Schemas } from '#client';
import { NO_CANARY_SESSION } from '../../api/revisions/canaries.ts';
import { shellWord } from '../render/shell-word.ts';
import type { Session } from './run-remote.ts';

/** Speakers that are named; of more, their number. */
const NAMED = 10;

/** A line for people; none where the job ended otherwise: of a revision that a canary did not bear, nothing is advised. */
export async function pastCanaries(session: Session, job: Job): Promise<string[]> {
  const { type, error, result, resource } = job;
  if (type !== 'apply' || error?.detail.startsWith(NO_CANARY_SESSION) !== true) return [];
  const left = (result?.speakers ?? []).filter((one) => one.error === error.detail && one.wave > 0);
  if (left.length === 0 || resource?.type !== 'revision') return [];
  const { client, names, contextWords } = session;
  const path = `/v1/revisions/${encodeURIComponent(resource.id)}`;
  const { number } = (await (await client.request('GET', path)).json()) as Schemas['Revision'];
  const called = await names.called(
    'speaker',
    left.map(({ speaker_id: id }) => id),
  );
  const words = left.map(({ speaker_id: id }) => `--speaker ${shellWord(called.get(id) ?? id)}`);
  const speakers = left.length > NAMED ? '--speaker NAME, for each of them' : words.join(' ');
  const where = left.length > NAMED ? `${left.length} other speakers` : 'the other speakers';
  return [
    `To announce it to ${where} now, with no canary that has shown whether routers bear it: prefixcast${contextWords} revision apply ${number} ${speakers}`,
  ];
}
