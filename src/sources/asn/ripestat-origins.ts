import { parseAsn } from '../../core/asn.ts';
import { type Prefix, parsePrefix } from '../../core/prefix.ts';
import { covers } from '../../core/bits.ts';
import { refusedAsn, type UnreadAsn } from './answer.ts';
import { explainStatus } from './ripestat-answer.ts';
import type { Origin } from './origins.ts';

/** The members of an answer that are read: https://stat.ripe.net/docs/02.data-api/prefix-overview.html */
interface Overview {
  readonly status?: unknown;
  readonly messages?: unknown;
  readonly data?: {
    readonly resource?: unknown;
    readonly asns?: unknown;
    readonly related_prefixes?: unknown;
  };
}

export interface ReadOverview {
  readonly ok: true;
  readonly origins: readonly Origin[];
  /** Announced prefixes inside the one that was asked for. */
  readonly inside: readonly string[];
}

/** Who announces the prefix, or the least prefix around it that is announced. Never throws for any content. */
export function readPrefixOverview(body: Uint8Array, asked: Prefix): ReadOverview | UnreadAsn {
  let answer: Overview | null;
  try {
    answer = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString()) as Overview | null;
  } catch {
    return refusedAsn('source_unparseable', 'The answer is not JSON: see what the URL serves');
  }
  if (answer?.status !== 'ok') return refusedAsn('source_refused_query', explainStatus(answer));
  const { resource, asns, related_prefixes: related = [] } = answer.data ?? {};
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
