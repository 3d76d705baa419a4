import { Type, type Static } from 'typebox';
import { RoleName } from './api-keys.ts';
import { PendingChanges } from '../shapes/members.ts';
import { Id, Nullable, Strict, Timestamp } from '../shapes/page.ts';
import { CSRF_HEADER, SESSION_TENANT_HEADER } from './session-headers.ts';
import { TenantPolicy } from './tenant-policy.ts';

/** A session of a browser ends when nobody has used it for so long. */
export const SESSION_IDLE_HOURS = 12;

/** A sign-in link ends when nobody has opened it for so long. */
export const SIGN_IN_MINUTES = 10;

const SessionTenant = Strict({ id: Id, slug: Type.String(), name: Type.String() });

/** Another session that the same browser has, of another tenant. */
const OtherSession = Strict({ tenant: SessionTenant, role: RoleName });

export const BrowserSession = Strict({
  id: Id,
  created_at: Timestamp,
  expires_at: Type.String({
    format: 'date-time',
    description: `When it ends if nobody uses it until then: after ${SESSION_IDLE_HOURS} hours, or with its key`,
  }),
  csrf_token: Type.String({ description: `What every write with the cookie sends as \`${CSRF_HEADER}\`` }),
  last_event_id: Type.String({
    description:
      'The last event before this answer: a stream that begins with it as `Last-Event-ID` misses nothing of what happens to what is read from now on',
  }),
  others: Type.Array(OtherSession, {
    description: `Sessions of other tenants in this browser; \`${SESSION_TENANT_HEADER}\` chooses among them by the tenant's id`,
  }),
});
export type BrowserSession = Static<typeof BrowserSession>;

export const Session = Strict({
  tenant: SessionTenant,
  role: RoleName,
  permissions: Type.Array(Type.String()),
  policy: TenantPolicy,
  key: Strict({ id: Id, name: Type.String(), prefix: Type.String(), expires_at: Nullable(Timestamp) }),
  pending_changes: PendingChanges,
  browser_session: Nullable(
    BrowserSession,
    'The session of the browser that asks; null: the request came with an API key',
  ),
});
export type Session = Static<typeof Session>;

export const SessionOpen = Strict({
  api_key: Type.String({
    minLength: 1,
    maxLength: 200,
    writeOnly: true,
    description:
      'An API key of a role that people have: viewer, operator, super_viewer or super_admin; or the token of a sign-in link',
  }),
});
export type SessionOpen = Static<typeof SessionOpen>;

export const SignInLink = Strict({
  token: Type.String({
    description: 'Opens one session, as `api_key` of `POST /v1/auth/session`; it is shown once',
    examples: ['pc_i_0000000000000000000000000000000000000000000_000000'],
  }),
  path: Type.String({
    description: 'Of the console, which sends what stands after `#` to nobody before somebody signs in',
    examples: ['/console/#sign-in=pc_i_0000000000000000000000000000000000000000000_000000'],
  }),
  expires_at: Timestamp,
});
export type SignInLink = Static<typeof SignInLink>;
