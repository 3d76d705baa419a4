/** How that comes back whose removal is held: the routes are there still, and whoever removed it may be somebody else. */
import { ApiProblem, type Page, type Schemas } from '#client';
import { NOUNS } from '../nouns/nouns.ts';
import { shellWord } from '../render/shell-word.ts';
import type { HeldModule } from './held-module.ts';
import type { Session } from './run-remote.ts';
import { isUndoSaid, undoModuleText } from './undo-text.ts';

/** A removal that is older than what is held has been built since, with the refreshes of a day. */
const LATELY_MS = 86_400_000;

/** Empty where no large withdrawal is held, nothing was removed before it, what was removed is back or no longer kept, or the command has said it. */
export async function restoreLines(session: Session, module: HeldModule): Promise<string[]> {
  if (!module.held.findings.some(({ code }) => code === 'large_withdrawal')) return [];
  try {
    return module.isDeleted ? await ofModule(session, module) : await ofEntries(session, module);
  } catch (error) {
    // Advice is not worth more than what it stands below.
    if (error instanceof ApiProblem) return [];
    throw error;
  }
}

async function ofModule(session: Session, { id, name }: HeldModule): Promise<string[]> {
  if (isUndoSaid(session, id)) return [];
  const query = { q: name.slice(0, 100) };
  const answer = await session.client.request('GET', '/v1/removed-modules', { query });
  const { items } = (await answer.json()) as Page<Schemas['RemovedModule']>;
  return items.some((one) => one.id === id) ? [await undoModuleText(session, { id, name })] : [];
}

/** With the batch: without one, the command means whatever was removed last when it is typed. */
async function ofEntries(session: Session, { id, name, held }: HeldModule): Promise<string[]> {
  const path = `${NOUNS.module.path}/${id}/removed-entries`;
  const answer = await session.client.request('GET', path, { query: { limit: 1 } });
  const [last] = ((await answer.json()) as Page<Schemas['RemovedEntries']>).items;
  if (last === undefined || last.restored_at !== null || isUndoSaid(session, last.id)) return [];
  const since = held.since === undefined ? Date.now() : Date.parse(held.since);
  if (Date.parse(last.removed_at) < since - LATELY_MS) return [];
  const { entry_count: count, removed_by: by, removed_at: at } = last;
  const who = by === null ? '' : ` by ${by}`;
  const what = count === 1 ? '1 entry' : `${count} entries`;
  return [
    `To put back what was removed last (${what}${who} at ${at}): prefixcast${session.contextWords} entry restore ${shellWord(name)} ${last.id}`,
  ];
}
