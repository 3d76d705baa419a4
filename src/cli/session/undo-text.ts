/** What commands that remove something say of how it comes back. */
import type { Page } from '#client';
import type { Item } from '../nouns/noun.ts';
import { shellWord } from '../render/shell-word.ts';
import type { Session } from './run-remote.ts';

type Asked = Pick<Session, 'contextWords'>;

/** Of each command, ids of modules and batches that it has said how to take back. */
const said = new WeakMap<object, Set<string>>();

/** From now on, what explains why their removal is held leaves out how they come back. */
export function noteUndo(session: Asked, id: string | null): void {
  if (id === null) return;
  const before = said.get(session) ?? new Set();
  said.set(session, before.add(id));
}

export function isUndoSaid(session: Asked, id: string): boolean {
  return said.get(session)?.has(id) === true;
}

/** By its name, or by its id where other modules that were called so can be restored, too. */
export async function undoModuleText(
  { client, contextWords }: Session,
  { id, name }: { readonly id: string; readonly name: string },
): Promise<string> {
  const answer = await client.request('GET', '/v1/removed-modules', { query: { q: name.slice(0, 100) } });
  const { items } = (await answer.json()) as Page<Item>;
  const isAlone = items.every((item) => item.id === id || item.name !== name);
  return `Take it back: prefixcast${contextWords} module restore ${isAlone ? shellWord(name) : id}`;
}

/**
 * With the batch: without one, the command means whatever was removed last when it is typed, which may be somebody else's by then.
 * @param batch null: nothing is kept of it
 */
export function undoEntriesText({ contextWords }: Asked, module: string, batch: string | null): string {
  if (batch === null) return 'It cannot be restored: none of it is kept';
  return `Take it back: prefixcast${contextWords} entry restore ${shellWord(module)} ${batch}`;
}
