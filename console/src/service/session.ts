/** The session of this browser: a cookie that no script can read, and a token that writes send beside it. */
import { ApiProblem, PrefixcastClient, type Schemas } from '@prefixcast/client';
import { queryOptions } from '@tanstack/react-query';
import { client, own, showTenant } from './client.ts';

export type Session = Schemas['Session'];

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: ({ client: queries }) =>
    readSession().catch(async (error: unknown) => {
      // The session of the tenant that this tab showed has ended; the browser may have one of another.
      if (own.tenantId === null || own.isWriting || !isSignedOut(error)) throw error;
      showTenant(null);
      const session = await readSession();
      // What is known is of the tenant before.
      queries.removeQueries({ predicate: ({ queryKey: [first] }) => first !== 'session' });
      return session;
    }),
  staleTime: 60_000,
});

async function readSession(): Promise<Session> {
  return keep(await client.get('/v1/auth/session'));
}

function keep(session: Session): Session {
  own.csrfToken = session.browser_session?.csrf_token ?? null;
  showTenant(session.tenant.id);
  return session;
}

/** Whether the browser has no session, or none any more. */
export function isSignedOut(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 401;
}

/** Why the keys of the tenant are refused, as while it is stopped; null: they are not. */
export function tenantRefusal(error: unknown): ApiProblem | null {
  return error instanceof ApiProblem && error.code === 'tenant_suspended' ? error : null;
}

/** All tabs of the browser share its sessions. */
const CHANNEL = 'prefixcast-session';

/** Calls whenever another tab has signed in or out. @returns what ends it */
export function onSessionChange(listener: () => void): () => void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.addEventListener('message', listener);
  return () => channel.close();
}

function announceChange(): void {
  const channel = new BroadcastChannel(CHANNEL);
  channel.postMessage('changed');
  channel.close();
}

/** A good key, of a tenant that was not asked for. */
export class OtherTenant extends Error {
  override readonly name = 'OtherTenant';
  readonly tenant: Session['tenant'];

  constructor(tenant: Session['tenant']) {
    super(tenant.name);
    this.tenant = tenant;
  }
}

/** A good key that may change less than the one before: what is written could not be saved with it. */
export class WeakerKey extends Error {
  override readonly name = 'WeakerKey';
  readonly role: Session['role'];

  constructor(role: Session['role']) {
    super(role);
    this.role = role;
  }
}

/** Of what belongs to a tenant: whoever made tenants as well goes on with the rest. */
const CHANGES = /^bgp:.*:write$/;

function isWeaker(now: Session, before: Session): boolean {
  return before.permissions.some((one) => CHANGES.test(one) && !now.permissions.includes(one));
}

const API_KEY = /^pc_[^i]_/;

/** Whose key it is, and what it may do. No session begins with the question: neither this tab nor another one learns of the tenant. */
async function ownerOf(apiKey: string): Promise<Session> {
  const asked = new PrefixcastClient({
    ...{ baseUrl: location.origin, key: apiKey, retries: { attempts: 1 } },
    fetch: (request) => fetch(request, { credentials: 'omit' }),
  });
  return await asked.get('/v1/auth/session');
}

/**
 * The key is exchanged for the cookie, and forgotten. Until then, the tab shows what it did.
 * @param only the session that the key must be able to go on with, if any key will not do: that of its tenant, and no weaker one
 * @returns the session; the tab shows it already unless it shows another tenant, which may have something that is not saved
 * @throws OtherTenant, WeakerKey
 */
export async function signIn(apiKey: string, only?: Session): Promise<Session> {
  // The token of a link would be used up by the question.
  if (only !== undefined && API_KEY.test(apiKey)) {
    const owner = await ownerOf(apiKey);
    if (owner.tenant.id !== only.tenant.id) throw new OtherTenant(owner.tenant);
    if (isWeaker(owner, only)) throw new WeakerKey(owner.role);
  }
  const session = await client.post('/v1/auth/session', { body: { api_key: apiKey } });
  if (own.tenantId === null || own.tenantId === session.tenant.id) keep(session);
  announceChange();
  if (only !== undefined && session.tenant.id !== only.tenant.id) throw new OtherTenant(session.tenant);
  return session;
}

/** From now on this tab shows what this session may see. */
export function showSession(session: Session): void {
  keep(session);
}

export async function signOut(): Promise<void> {
  await client.delete('/v1/auth/session');
  own.csrfToken = null;
  showTenant(null);
  announceChange();
}
