/**
 * Entity tags (RFC 9110, section 8.8.3). A tag is `"<version>-<digest>"`: the digest distinguishes representations,
 * so that `If-None-Match` notices members that change by themselves (counters, session states); `If-Match` looks at the
 * version alone, so that these never fail somebody's change while a lost update always does.
 */
import { createHash } from 'node:crypto';
import { Problem } from '../api/problems/problem.ts';

export function entityTag(version: number, body: string): string {
  return `"${version}-${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`;
}

/** Whether a GET may be answered 304; compares weakly (RFC 9110, section 13.1.2). */
export function matchesAny(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((given) => given.trim().replace(/^W\//, '') === tag);
}

/**
 * The version that `If-Match` asks for; null when any will do.
 * @throws {Problem} `precondition_failed` for a tag that this API never gave out; `malformed_request` for several tags
 */
export function expectedVersion(ifMatch: string | undefined): number | null {
  const given = ifMatch?.trim();
  if (given === undefined || given === '*') return null;
  if (given.includes(','))
    throw new Problem(
      'malformed_request',
      'If-Match takes one entity tag here. Send the ETag you read last.',
    );
  const match = /^"(\d{1,9})-[\w-]{16}"$/.exec(given);
  if (match?.[1] === undefined)
    throw new Problem(
      'precondition_failed',
      `If-Match: ${given.slice(0, 80)} is not an ETag of this resource. Read it again and send its ETag.`,
    );
  return Number(match[1]);
}
