/** The common result of all readers of an AS's prefixes, and its checks. Pure, so that it runs in threads and outside. */
import type { CollectedPrefixes } from '../../core/text/prefix-text.ts';
import { type Bogons, NO_BOGONS, dropBogons } from '../bogons.ts';
import type { SourceErrorCode } from '../source-error.ts';

export interface ReadAsn {
  readonly ok: true;
  /** May be empty. */
  readonly prefixes: CollectedPrefixes;
  readonly bogons: Bogons;
}

export interface UnreadAsn {
  readonly ok: false;
  readonly code: SourceErrorCode;
  readonly reason: string;
}

/** Unreadable values are left out and counted; an answer without any readable value is rejected. */
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
