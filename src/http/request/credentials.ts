/** What a request shows to be let in: `Authorization: Bearer <API key>` (RFC 6750), else the cookie of a browser's session. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { SESSION_TENANT_HEADER } from '../../api/access/session-headers.ts';
import { Problem } from '../../api/problems/problem.ts';
import { SessionCookies } from './session-cookies.ts';

export interface Credential {
  /** The API key or token itself, or the secret of a session. */
  readonly text: string;
  /** Whose session it is, as the name of its cookie says; null: it is an API key or an enrollment token. */
  readonly tenantId: string | null;
}

/** @param publicUrl `APP_PUBLIC_URL` */
export function sessionCookiesOf(
  { headers, host }: Pick<FastifyRequest, 'headers' | 'host'>,
  publicUrl: string | null,
): SessionCookies {
  const { cookie, origin } = headers;
  const forwardedProtocol = [headers['x-forwarded-proto']].flat()[0];
  return new SessionCookies({ cookie, host, publicUrl, origin, forwardedProtocol });
}

/** @throws {Problem} `unauthenticated` for what only a cookie may hold: whoever takes a session to elsewhere gets nothing by it */
export function keyCredential(text: string): Credential {
  if (text.startsWith('pc_b_'))
    throw new Problem(
      'unauthenticated',
      'This is the secret of a browser session, which works in its cookie alone. Send an API key.',
    );
  if (text.startsWith('pc_i_'))
    throw new Problem(
      'unauthenticated',
      'This is the token of a sign-in link, which opens a session of a browser and nothing else. Send an API key.',
    );
  return { text, tenantId: null };
}

/**
 * What opens a session: an API key, or the token of a sign-in link.
 * @throws {Problem} `unauthenticated`
 */
export function signInCredential(text: string): Credential {
  return text.startsWith('pc_i_') ? { text, tenantId: null } : keyCredential(text);
}

/**
 * What the request shows: one, or where any session will do and the browser has several, all of them.
 * @param anySession the request asks which sessions there are
 * @throws {Problem} `unauthenticated`, `session_ended`
 */
export function readCredentials(
  headers: IncomingHttpHeaders,
  cookies: SessionCookies,
  anySession: boolean,
): readonly Credential[] {
  const { authorization } = headers;
  // A key that is sent on purpose is meant; cookies come by themselves.
  if (authorization !== undefined) return [readAuthorization(authorization)];
  const sessions = cookies.sent.map(({ tenantId, secret: text }) => ({ text, tenantId }));
  const chosen = headers[SESSION_TENANT_HEADER.toLowerCase()];
  if (typeof chosen === 'string' && sessions.length > 0) {
    const session = sessions.find(({ tenantId }) => tenantId === chosen.toLowerCase());
    if (session !== undefined) return [session];
    throw new Problem(
      'session_ended',
      `This browser has no session of the tenant that ${SESSION_TENANT_HEADER} names. Sign in to it.`,
    );
  }
  if (sessions.length === 1 || (anySession && sessions.length > 1)) return sessions;
  throw new Problem(
    'unauthenticated',
    sessions.length === 0
      ? 'Send the header `Authorization: Bearer <API key>`.'
      : `This browser has sessions of ${sessions.length} tenants. Say which with the header ${SESSION_TENANT_HEADER}: the tenant's id.`,
  );
}

function readAuthorization(authorization: string): Credential {
  const key = keyIn(authorization);
  if (key !== null) return keyCredential(key);
  throw new Problem(
    'unauthenticated',
    'The header Authorization is not of the form `Bearer <API key>`. Send it in this form.',
  );
}

export function keyIn(authorization: string): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null;
}
