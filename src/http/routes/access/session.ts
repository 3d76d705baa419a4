import { ROLE_PERMISSIONS } from '../../../api/access/permissions.ts';
import {
  type BrowserSession,
  Session,
  SessionOpen,
  SIGN_IN_MINUTES,
  SignInLink,
} from '../../../api/access/session.ts';
import { Problem } from '../../../api/problems/problem.ts';
import {
  endBrowserSession,
  makeSignInLink,
  openBrowserSession,
  type SessionActor,
} from '../../../control/access/browser-sessions.ts';
import type { Database } from '../../../store/database/database.ts';
import { readNumberedRange } from '../../../store/events.ts';
import { hashApiKey } from '../../../store/keys/api-key-secret.ts';
import type { OpenBrowserSession } from '../../../store/keys/api-keys.ts';
import { listOpenSessions } from '../../../store/keys/browser-sessions.ts';
import { countPending } from '../../../store/modules/pending-changes.ts';
import { readOwnTenant } from '../../../store/tenants/tenants.ts';
import { csrfTokenOf } from '../../request/csrf-token.ts';
import type { SessionCookies } from '../../request/session-cookies.ts';
import { tenantRoute, type TenantRequest } from '../../route.ts';

const path = '/v1/auth/session';
const tag = 'session';

export const sessionRoutes = [
  tenantRoute({
    method: 'GET',
    path,
    operation: 'getSession',
    permission: 'bgp:session:read',
    tag,
    summary:
      'Show tenant, role and permissions of the key in use, what the tenant may do, and what waits for a revision',
    description:
      'With the cookie of a browser, `browser_session` has the CSRF token, and the other tenants whose sessions this browser has. Where it has several and ' +
      'does not say which, the answer is of the first that is open.',
    status: 200,
    isOfBrowser: true,
    response: Session,
    handler: async (request) => {
      const { principal, cookies } = request;
      const secret = cookies.secretOf(principal.tenant.id);
      const { browserSession } = principal;
      const isOfBrowser = browserSession !== null && secret !== null;
      return { body: await describeSession(request, isOfBrowser ? { ...browserSession, secret } : null) };
    },
  }),
  tenantRoute({
    method: 'POST',
    path,
    operation: 'openSession',
    permission: 'bgp:session:browse',
    audit: { written: 'browser_session.open' },
    tag,
    summary: 'Open a session for a browser',
    description:
      'The answer sets a cookie (HttpOnly, SameSite=Strict, Secure except on loopback) that stands for the key from then on, so that no page keeps the key. Writes ' +
      'with the cookie send `browser_session.csrf_token` as `X-CSRF-Token`. The session ends with the key, by `DELETE`, or when nobody has used it for ' +
      '12 hours. A browser has one session of each tenant; with several, `X-Session-Tenant` says which is meant.',
    status: 201,
    keyInBody: true,
    isOfBrowser: true,
    bodyLimit: 4096,
    problems: ['csrf_failed', 'insecure_origin'],
    body: SessionOpen,
    example: { api_key: 'pc_v_0000000000000000000000000000000000000000000_000000' },
    response: Session,
    handler: async (request) => {
      const { tx, principal, cookies, body } = request;
      const { id: tenantId } = principal.tenant;
      const former = cookies.secretOf(tenantId);
      const { session, secret } = await openBrowserSession(tx, actorOf(request), body.api_key, former);
      return {
        body: await describeSession(request, { ...session, secret }),
        headers: { 'set-cookie': cookies.set(tenantId, secret) },
      };
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path,
    operation: 'endSession',
    permission: 'bgp:session:browse',
    audit: { written: 'browser_session.end' },
    tag,
    summary: 'End the session of the browser',
    description:
      'Its cookie stops working within a second, and the answer removes it. The key goes on working.',
    status: 204,
    isOfBrowser: true,
    isOfList: true,
    problems: ['conflict'],
    handler: async (request) => {
      const { tx, principal, cookies } = request;
      const secret = cookies.secretOf(principal.tenant.id);
      if (principal.browserSession === null || secret === null)
        throw new Problem(
          'conflict',
          'This request came with an API key, which has no session to end. To end the key: DELETE /v1/api-keys/{id}.',
        );
      await endBrowserSession(tx, actorOf(request), secret);
      return { headers: { 'set-cookie': cookies.clear(principal.tenant.id) } };
    },
  }),
  tenantRoute({
    method: 'POST',
    path: '/v1/auth/sign-in-links',
    operation: 'createSignInLink',
    permission: 'bgp:session:browse',
    audit: { written: 'sign_in_link.create' },
    tag,
    summary: 'Make a link that signs a browser in once',
    description:
      `Whoever opens it signs in as the key that made it, without seeing the key. It works once, within ${SIGN_IN_MINUTES} minutes. What it opens lasts as long as the secret that made it, while a rotated key has two the former. ` +
      'Loading the page does not use it up: its form does.',
    status: 201,
    response: SignInLink,
    handler: async (request) => {
      const { browserSession } = request.principal;
      const link = await makeSignInLink(request.tx, actorOf(request), browserSession?.id ?? null);
      return { body: { ...link, path: `/console/#sign-in=${link.token}` } };
    },
  }),
];

function actorOf({ context, principal, caller }: TenantRequest): SessionActor {
  return { actor: context.actor, key: principal.key, ...caller };
}

/** @param own the session of the browser that asks; null: a key asks */
async function describeSession(
  { tx, principal, cookies, services }: TenantRequest,
  own: (OpenBrowserSession & { readonly secret: string }) | null,
): Promise<Session> {
  const { role, key } = principal;
  const { id, slug, name } = principal.tenant;
  const { policy } = await readOwnTenant(tx);
  const pending_changes = await countPending(tx);
  return {
    tenant: { id, slug, name },
    ...{ role, permissions: [...ROLE_PERMISSIONS[role]], key, policy, pending_changes },
    browser_session: own && {
      ...{ id: own.id, created_at: own.created_at, expires_at: own.expires_at },
      csrf_token: csrfTokenOf(own.secret),
      last_event_id: String((await readNumberedRange(tx)).last),
      others: await listOthers(services.db, cookies, id),
    },
  };
}

async function listOthers(
  db: Database,
  { sent }: SessionCookies,
  tenantId: string,
): Promise<BrowserSession['others']> {
  const others = sent.filter((cookie) => cookie.tenantId !== tenantId);
  if (others.length === 0) return [];
  const hashes = others.map(({ secret }) => hashApiKey(secret));
  return db.inSystem((tx) => listOpenSessions(tx, hashes));
}
