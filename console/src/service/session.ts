/** The session of this browser: a cookie that no script can read, and a token that writes send beside it. */
import { ApiProblem, type Schemas } from '@prefixcast/client';
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

/**
 * The key is exchanged for the cookie, and forgotten. Until then, the tab shows what it did.
 * @returns the session; the tab shows it already unless it shows another tenant, which may have something that is not saved
 */
export async function signIn(apiKey: string): Promise<Session> {
  const session = await client.post('/v1/auth/session', { body: { api_key: apiKey } });
  if (own.tenantId === null || own.tenantId === session.tenant.id) keep(session);
  announceChange();
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
