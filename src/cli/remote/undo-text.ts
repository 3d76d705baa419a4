/** What commands that remove something say of how it comes back. */
import { shellWord } from '../render/shell-word.ts';
import type { Session } from '../session/run-remote.ts';

type Asked = Pick<Session, 'contextWords'>;

export function undoModuleText({ contextWords }: Asked, name: string): string {
  return `Take it back: prefixcast${contextWords} module restore ${shellWord(name)}`;
}

/**
 * With the batch: without one, the command means whatever was removed last when it is typed, which may be somebody else's by then.
 * @param batch null: nothing is kept of it
 */
export function undoEntriesText({ contextWords }: Asked, module: string, batch: string | null): string {
  if (batch === null) return 'It cannot be restored: none of it is kept';
  return `Take it back: prefixcast${contextWords} entry restore ${shellWord(module)} ${batch}`;
}
