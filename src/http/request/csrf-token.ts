/**
 * What shows that a write comes from a page of this service: a browser sends a cookie by itself, but no page of another origin can read this
 * token. It follows from the secret of the session, so it needs no place of its own, and changes with every session.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export function csrfTokenOf(sessionSecret: string): string {
  return createHmac('sha256', sessionSecret).update('prefixcast csrf token').digest('base64url');
}

export function isCsrfToken(sessionSecret: string, sent: unknown): boolean {
  const token = Buffer.from(csrfTokenOf(sessionSecret));
  const given = Buffer.from(typeof sent === 'string' ? sent : '');
  return given.length === token.length && timingSafeEqual(given, token);
}
