/** What every reader of prefixes of an AS gives, and how it is judged. Pure, so that it runs on either side of a thread. */
import type { CollectedPrefixes } from '../../core/text/prefix-text.ts';
import { type Bogons, NO_BOGONS, dropBogons } from '../bogons.ts';
import type { SourceErrorCode } from '../source-error.ts';

export interface ReadAsn {
  readonly ok: true;
  /** May be none. */
  readonly prefixes: CollectedPrefixes;
  readonly bogons: Bogons;
}

export interface UnreadAsn {
  readonly ok: false;
  readonly code: SourceErrorCode;
  readonly reason: string;
}

/** Values that can't be read are left out and counted; an answer of which none can be read is refused. */
export function judgeAsn(collected: CollectedPrefixes, bogonRule: 'drop' | 'allow'): ReadAsn | UnreadAsn {
  const { accepted, rejectedCount, rejects } = collected;
  if (accepted === 0 && rejectedCount > 0)
    return refusedAsn(
      'source_unparseable',
      `None of the ${rejectedCount} prefixes of the answer can be read. The first: ${rejects[0]!.reason}`,
    );
  if (bogonRule === 'allow') return { ok: true, prefixes: collected, bogons: NO_BOGONS };
  return { ok: true, ...dropBogons(collected) };
}

export function refusedAsn(code: SourceErrorCode, reason: string): UnreadAsn {
  return { ok: false, code, reason };
}
