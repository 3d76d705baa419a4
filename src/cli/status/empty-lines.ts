/** A line for each entry that was read and has nothing: nobody has to act by it, and a misspelt name is found here. */
import { shellWord } from '../render/shell-word.ts';
import { emptyEntries, emptyText } from '../session/empty-entries.ts';
import type { Session } from '../session/run-remote.ts';
import type { Line } from './attention-lines.ts';

export const EMPTY = 'empty';

/** More than are shown, so that the text says that there are more. */
const LOOKED_AT = 100;

export async function emptyLines(session: Session): Promise<Line[]> {
  const found = await emptyEntries(session, { limit: LOOKED_AT });
  return found.map((one) => ({
    ...{ state: EMPTY, what: `${emptyText(one)}, in the module ${one.module_name}`, since: null, by: null },
    detail: one.last_error,
    command:
      one.type === 'domain_entry'
        ? `prefixcast${session.contextWords} why ${shellWord(one.name)}`
        : `prefixcast${session.contextWords} entry list ${shellWord(one.module_name)}`,
    needs_somebody: false,
  }));
}
