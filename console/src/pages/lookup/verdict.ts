import type { Tone } from '../../design/shown/Badge.tsx';
import type { Lookup } from '../../service/queries.ts';
import { text } from '../../strings/english.ts';

/** Whether something is announced, in a word. */
export function verdictOf({ announced, not_announced, matches }: Lookup): { word: string; tone: Tone } {
  if (announced.length > 0)
    return not_announced.length > 0
      ? { word: text.lookup.partly, tone: 'warning' }
      : { word: text.lookup.announced, tone: 'good' };
  return matches.length > 0 || not_announced.length > 0
    ? { word: text.lookup.notAnnounced, tone: 'bad' }
    : { word: text.lookup.unknown, tone: 'plain' };
}
