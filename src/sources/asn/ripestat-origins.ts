import { parseAsn } from '../../core/asn.ts';
import { type Prefix, parsePrefix } from '../../core/prefix.ts';
import { covers } from '../../core/bits.ts';
import { refusedAsn, type UnreadAsn } from './answer.ts';
import { readRipestatData } from './ripestat-answer.ts';
import type { Origin } from './origins.ts';

export interface ReadOverview {
  readonly ok: true;
  readonly origins: readonly Origin[];
  /** Announced prefixes inside the one that was asked for. */
  readonly inside: readonly string[];
}

/** Who announces the prefix, or the least prefix around it that is announced, by RIPEstat's prefix-overview. Never throws for any content. */
export function readPrefixOverview(body: Uint8Array, asked: Prefix): ReadOverview | UnreadAsn {
  const read = readRipestatData(body);
  if (!read.ok) return read;
  const { resource, asns, related_prefixes: related = [] } = read.data;
  if (typeof resource !== 'string' || !Array.isArray(asns) || !Array.isArray(related))
    return refusedAsn(
      'source_unparseable',
      'The answer lacks resource or asns: it is not that of prefix-overview',
    );
  return {
    ok: true,
    origins: asns.flatMap((one) => originOf(one, resource)),
    inside: related.filter((text): text is string => typeof text === 'string' && isInside(text, asked)),
  };
}

function originOf(value: unknown, range: string): Origin[] {
  const { asn, holder } = (value ?? {}) as { asn?: unknown; holder?: unknown };
  const parsed = typeof asn === 'string' || typeof asn === 'number' ? parseAsn(asn) : null;
  if (parsed?.ok !== true) return [];
  return [{ asn: parsed.value, name: typeof holder === 'string' && holder !== '' ? holder : null, range }];
}

function isInside(text: string, asked: Prefix): boolean {
  const parsed = parsePrefix(text);
  if (!parsed.ok || parsed.value.family !== asked.family) return false;
  const { words, length } = parsed.value;
  return length > asked.length && covers(asked.words, 0, asked.length, words, 0);
}
