import { PrefixcastClient } from '@prefixcast/client';
import { CSRF_HEADER, SESSION_TENANT_HEADER } from '../../../src/api/access/session-headers.ts';

/** What requests of this tab say of its session; the cookie, which no script can read, says the rest. */
interface Own {
  csrfToken: string | null;
  /** Of the sessions that the browser may have. Another tab may show another tenant; null: whichever there is. */
  tenantId: string | null;
  /** Something on the page is not saved: no other tenant takes its place without a question. */
  isWriting: boolean;
}

/** Where the tab remembers the tenant that it shows, which is no secret. */
const REMEMBERED = 'prefixcast-tenant';
export const own: Own = { csrfToken: null, tenantId: sessionStorage.getItem(REMEMBERED), isWriting: false };

/** From now on this tab shows this tenant; null: whichever the browser has a session of. */
export function showTenant(tenantId: string | null): void {
  own.tenantId = tenantId;
  if (tenantId === null) sessionStorage.removeItem(REMEMBERED);
  else sessionStorage.setItem(REMEMBERED, tenantId);
}

export const client = new PrefixcastClient({
  baseUrl: location.origin,
  // The page shows what the service refuses, with a countdown where it says when to come back.
  retries: { attempts: 1 },
  fetch: (request) => {
    if (own.tenantId !== null) request.headers.set(SESSION_TENANT_HEADER, own.tenantId);
    if (request.method !== 'GET' && own.csrfToken !== null) request.headers.set(CSRF_HEADER, own.csrfToken);
    return fetch(request);
  },
});
