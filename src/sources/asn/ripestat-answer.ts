import { formatAsn, parseAsn } from '../../core/asn.ts';
import { prefixesFromValues } from '../../core/text/prefix-text.ts';
import { type ReadAsn, type UnreadAsn, judgeAsn, refusedAsn } from './answer.ts';

/** The members of an answer that are read; `data` is that of the question. */
interface Answer {
  readonly status?: unknown;
  readonly messages?: unknown;
  readonly data?: Readonly<Record<string, unknown>> | null;
}

interface Announcement {
  readonly prefix: string;
  readonly timelines: readonly { readonly endtime?: unknown }[];
}

/** What RIPEstat found, or why it did not: https://stat.ripe.net/docs/02.data-api. Never throws for any content. */
export function readRipestatData(
  body: Uint8Array,
): { readonly ok: true; readonly data: Readonly<Record<string, unknown>> } | UnreadAsn {
  let answer: Answer | null;
  try {
    answer = JSON.parse(Buffer.from(body.buffer, body.byteOffset, body.length).toString()) as Answer | null;
  } catch {
    return refusedAsn('source_unparseable', 'The answer is not JSON: see what the URL serves');
  }
  if (answer?.status !== 'ok') return refusedAsn('source_refused_query', explainStatus(answer));
  return { ok: true, data: answer.data ?? {} };
}

/**
 * The prefixes that the AS announces now, from an answer of RIPEstat's announced-prefixes. The answer covers two weeks; a prefix is
 * announced now if it was still seen at the end of that time. Never throws for any content.
 */
export function readRipestatAnswer(
  body: Uint8Array,
  asn: number,
  bogons: 'drop' | 'allow',
): ReadAsn | UnreadAsn {
  const read = readRipestatData(body);
  if (!read.ok) return read;
  const { resource, query_endtime: now, prefixes } = read.data;
  const about = typeof resource === 'string' || typeof resource === 'number' ? parseAsn(resource) : null;
  if (about?.ok !== true || about.value !== asn)
    return refusedAsn('source_unparseable', `The answer is not about ${formatAsn(asn)}`);
  if (typeof now !== 'string' || !Array.isArray(prefixes) || !prefixes.every(isAnnouncement))
    return refusedAsn(
      'source_unparseable',
      'The answer lacks query_endtime, or prefixes with their timelines: it is not that of announced-prefixes',
    );
  const values = prefixes.flatMap(({ prefix, timelines }, index) =>
    timelines.at(-1)?.endtime === now ? [{ line: index + 1, text: prefix }] : [],
  );
  return judgeAsn(prefixesFromValues(values), bogons);
}

function isAnnouncement(value: unknown): value is Announcement {
  const { prefix, timelines } = (value ?? {}) as Partial<Announcement>;
  return (
    typeof prefix === 'string' &&
    Array.isArray(timelines) &&
    timelines.every((line) => line instanceof Object)
  );
}

/** Messages are pairs of a kind and a text. */
function explainStatus(answer: Answer | null): string {
  const messages = Array.isArray(answer?.messages) ? (answer.messages as unknown[]) : [];
  const message = messages.find((message) => Array.isArray(message) && message[0] === 'error') as
    | unknown[]
    | undefined;
  const text = typeof message?.[1] === 'string' ? `: ${message[1].slice(0, 200)}` : '';
  return `The answer has the status ${JSON.stringify(answer?.status ?? null).slice(0, 40)} where "ok" is needed${text}`;
}
