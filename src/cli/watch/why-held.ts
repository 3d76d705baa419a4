/** Revisions that have what was asked for, and that guardrails hold: what holds each, and what lets it through. */
import type { Schemas } from '#client';
import { heldRevisionText } from '../session/held.ts';
import type { Session } from '../session/run-remote.ts';

type Reason = Schemas['Lookup']['not_announced'][number];

/** What the service advises by a request; the whole line stands below. */
const ADVICE = / Apply it with override and a reason, or correct the list\.$/;

export function withoutAdvice(detail: string): string {
  return detail.replace(ADVICE, '');
}

/** Each once, however many addresses it has. Null: none is held. */
export async function heldRevisionsText(
  session: Session,
  reasons: readonly Reason[],
): Promise<string | null> {
  const ids = new Set(
    reasons.flatMap(({ reason, revision_id: id }) => (reason === 'held' && id !== null ? [id] : [])),
  );
  const texts: string[] = [];
  for (const id of ids) {
    const revision = await session.client.get('/v1/revisions/{revision_id}', {
      params: { path: { revision_id: id } },
    });
    // It may have been let through a moment ago.
    const text = await heldRevisionText(session, revision);
    if (text !== null) texts.push(text);
  }
  return texts.length === 0 ? null : texts.join('\n');
}
