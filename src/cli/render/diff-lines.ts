/** Differences of routes, as git shows those of lines. */
import type { Schemas } from '#client';
import type { Item } from '../nouns/noun.ts';
import { coloured } from './terminal.ts';

const SIGNS = { announced: '+', withdrawn: '-', changed: '~' } as const;
const COLOURS = { announced: 'green', withdrawn: 'red', changed: 'yellow' } as const;

/** A line for each change of a `RevisionDiff`. */
export function diffLines(items: readonly Item[]): string[] {
  return items.map(({ prefix, change, communities_before: was, communities_after: now }) => {
    const kind = change as keyof typeof SIGNS;
    const communities =
      kind === 'changed'
        ? `${communityText(was)} -> ${communityText(now)}`
        : communityText(kind === 'announced' ? now : was);
    return `${coloured(`${SIGNS[kind]} ${String(prefix)}`, COLOURS[kind])}  ${communities}`.trimEnd();
  });
}

export function summaryText({ announced, withdrawn, changed }: Schemas['DiffSummary']): string {
  return `${announced} announced, ${withdrawn} withdrawn, ${changed} changed`;
}

export function communityText(communities: unknown): string {
  return (communities as { community: string }[]).map(({ community }) => community).join(', ');
}
