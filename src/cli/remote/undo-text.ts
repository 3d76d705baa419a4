/** What commands that remove something say of how it comes back. */
import type { Page, Schemas } from '#client';
import { shellWord } from '../render/shell-word.ts';
import type { Session } from '../session/run-remote.ts';

/** Removals that others may have made in the moment between. */
const LOOKED_AT = 20;

type Asked = Pick<Session, 'contextWords'>;

export function undoModuleText({ contextWords }: Asked, name: string): string {
  return `Take it back: prefixcast${contextWords} module restore ${shellWord(name)}`;
}

/**
 * With the batch: without one, the command means whatever was removed last when it is typed, which may be somebody else's by then.
 * @param removed what the entries are called, as far as known, by which a removal that came in between is told from this one
 */
export async function undoEntriesText(
  session: Pick<Session, 'client' | 'contextWords'>,
  { id, name }: { readonly id: string; readonly name: string },
  { count, removed }: { readonly count: number; readonly removed?: readonly string[] },
): Promise<string> {
  const batch = await ownBatch(session, id, count, removed);
  const words = `prefixcast${session.contextWords} entry`;
  return batch === null
    ? `Take it back: ${words} restore ${shellWord(name)} BATCH, as ${words} removed ${shellWord(name)} lists it`
    : `Take it back: ${words} restore ${shellWord(name)} ${batch}`;
}

/** The newest removal that can be this one; null: it is not kept, or this key may not look. */
async function ownBatch(
  { client }: Pick<Session, 'client'>,
  moduleId: string,
  count: number,
  removed?: readonly string[],
): Promise<string | null> {
  try {
    const query = { limit: LOOKED_AT };
    const answer = await client.request('GET', `/v1/modules/${moduleId}/removed-entries`, { query });
    const { items } = (await answer.json()) as Page<Schemas['RemovedEntries']>;
    const isOwn = ({ entry_count: kept, names, restored_at: back }: (typeof items)[number]): boolean =>
      back === null && kept <= count && names.every((one) => removed?.includes(one) ?? true);
    return items.find(isOwn)?.id ?? null;
  } catch {
    return null;
  }
}
