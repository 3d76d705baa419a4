/** Opens and ends the sessions of browsers, which stand for the API key that they were opened with. */
import { recordAudit } from '../store/audit/audit.ts';
import { notify, type TenantTx } from '../store/database/database.ts';
import { hashApiKey, mintApiKey } from '../store/keys/api-key-secret.ts';
import type { OpenBrowserSession } from '../store/keys/api-keys.ts';
import { deleteBrowserSession, insertBrowserSession } from '../store/keys/browser-sessions.ts';
import { KEYS_CHANNEL } from './api-keys.ts';

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
 * @param apiKey that opens it, which was just found to be good
 * @param former secret of the session that the browser had with this tenant, which ends; null: it had none
 */
export async function openBrowserSession(
  tx: TenantTx,
  actor: SessionActor,
  apiKey: string,
  former: string | null,
): Promise<OpenedSession> {
  if (former !== null) await endBrowserSession(tx, actor, former);
  const { secret, secret_hash } = mintApiKey('browser_session');
  const session = await insertBrowserSession(tx, {
    ...{ api_key_id: actor.key.id, secret_hash, key_secret_hash: hashApiKey(apiKey) },
  });
  await recordSession(tx, actor, 'browser_session.open', session.id);
  return { session, secret };
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
  action: 'browser_session.open' | 'browser_session.end',
  id: string,
): Promise<void> {
  const changes = { after: { api_key_id: key.id } };
  await recordAudit(tx, { actor, action, resource: { id, name: key.name }, changes, requestId, address });
}
