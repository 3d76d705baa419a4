/** Answers that never change, so that whoever has one need not ask again. */
import { createHash } from 'node:crypto';
import { SESSION_TENANT_HEADER } from '../api/access/session-headers.ts';
import type { Answer } from './route.ts';

const YEAR_SECONDS = 31_536_000;
/** The same path is another tenant's for another key: a browser with several keeps their answers apart. */
const VARY = `Authorization, Cookie, ${SESSION_TENANT_HEADER}`;

/**
 * @param facts all that the answer follows from, the version of the service included
 * @param isNamedForGood false: the path names something else later, so that caches ask whether it is still the same (RFC 9111, section 5.2.2.4)
 */
export function immutable<T>(
  answer: Answer<T>,
  facts: readonly unknown[],
  isNamedForGood: boolean,
): Answer<T> {
  const digest = createHash('sha256').update(JSON.stringify(facts)).digest('base64url').slice(0, 22);
  const caching = isNamedForGood ? `private, max-age=${YEAR_SECONDS}, immutable` : 'private, no-cache';
  return { ...answer, etag: `"${digest}"`, headers: { 'cache-control': caching }, vary: VARY };
}
