/** Opens and ends the sessions of browsers, which stand for the API key that they were opened with. */
import { recordAudit } from '../../store/audit/audit.ts';
import { notify, type TenantTx } from '../../store/database/database.ts';
import { SIGN_IN_MINUTES } from '../../api/access/session.ts';
import { Problem } from '../../api/problems/problem.ts';
import { hashApiKey, isSignInText, mintApiKey } from '../../store/keys/api-key-secret.ts';
import type { OpenBrowserSession } from '../../store/keys/api-keys.ts';
import {
  deleteBrowserSession,
  insertBrowserSession,
  insertSignInLink,
  openSignInLink,
} from '../../store/keys/browser-sessions.ts';
import { KEYS_CHANNEL } from './api-keys.ts';

export const USED_LINK = `The sign-in link was used, or is older than ${SIGN_IN_MINUTES} minutes: each works once. Sign in with an API key, or let whoever gave you the link make another one (POST /v1/auth/sign-in-links).`;

/** Who opens or ends a session, and from where. */
export interface SessionActor {
  readonly actor: string;
  readonly requestId: string;
  readonly address: string;
  readonly key: { readonly id: string; readonly name: string };
}

export interface OpenedSession {
  readonly session: OpenBrowserSession;
  /** For the cookie; it is kept nowhere else. */
  readonly secret: string;
}

/**
 * Opens a session under a secret of its own, never under one that the browser brings.
 * @param apiKey that opens it, which was just found to be good; or the token of a sign-in link, which it uses up
 * @param former secret of the session that the browser had with this tenant, which ends; null: it had none
 * @throws {Problem} `unauthenticated` where somebody else has used the link meanwhile
 */
export async function openBrowserSession(
  tx: TenantTx,
  actor: SessionActor,
  apiKey: string,
  former: string | null,
): Promise<OpenedSession> {
  if (former !== null) await endBrowserSession(tx, actor, former);
  const { secret, secret_hash } = mintApiKey('browser_session');
  const offered = hashApiKey(apiKey);
  const session = isSignInText(apiKey)
    ? await openSignInLink(tx, offered, secret_hash)
    : await insertBrowserSession(tx, {
        ...{ api_key_id: actor.key.id, secret_hash, key_secret_hash: offered },
      });
  if (session === null) throw new Problem('unauthenticated', USED_LINK);
  await recordSession(tx, actor, 'browser_session.open', session.id);
  return { session, secret };
}

/**
 * A link that opens one session for whoever has it, as the key of who makes it.
 * @param ownSession id of the browser's session that asks for it; null: a key asks
 */
export async function makeSignInLink(
  tx: TenantTx,
  actor: SessionActor,
  ownSession: string | null,
): Promise<{ readonly token: string; readonly expires_at: string }> {
  const { secret: token, secret_hash } = mintApiKey('sign_in');
  const { id, expires_at } = await insertSignInLink(
    tx,
    { api_key_id: actor.key.id, secret_hash },
    ownSession,
  );
  await recordSession(tx, actor, 'sign_in_link.create', id);
  return { token, expires_at };
}

/** The session stops working on every process within a second. One that has ended already stays ended. */
export async function endBrowserSession(tx: TenantTx, actor: SessionActor, secret: string): Promise<void> {
  const id = await deleteBrowserSession(tx, hashApiKey(secret));
  if (id === null) return;
  await notify(tx, KEYS_CHANNEL, tx.tenantId);
  await recordSession(tx, actor, 'browser_session.end', id);
}

async function recordSession(
  tx: TenantTx,
  { actor, key, requestId, address }: SessionActor,
  action: 'browser_session.open' | 'browser_session.end' | 'sign_in_link.create',
  id: string,
): Promise<void> {
  const changes = { after: { api_key_id: key.id } };
  await recordAudit(tx, { actor, action, resource: { id, name: key.name }, changes, requestId, address });
}
