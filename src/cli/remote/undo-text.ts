/** What commands that remove something say of how it comes back. */
import { shellWord } from '../render/shell-word.ts';
import type { Session } from '../session/run-remote.ts';

type Asked = Pick<Session, 'contextWords'>;

export function undoModuleText({ contextWords }: Asked, name: string): string {
  return `Take it back: prefixcast${contextWords} module restore ${shellWord(name)}`;
}

export function undoEntriesText({ contextWords }: Asked, name: string): string {
  return `Take it back: prefixcast${contextWords} entry restore ${shellWord(name)}`;
}
