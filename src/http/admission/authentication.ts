/**
 * Who asks, by an API key, an enrollment token or a browser's session (credentials.ts). A typo is refused without the database; a good key is remembered for
 * under a second, so that a revoked one stops working within a second while a busy client costs one look-up a second. Keys that were not
 * good lately, from an address that has sent many wrong ones, are looked up one after the other (suspect-keys.ts): none is refused for what
 * others have sent, because many clients may stand behind one address.
 */
import { LRUCache } from 'lru-cache';
import { roleHas, rolesWith, type Permission } from '../../api/access/permissions.ts';
import { Problem } from '../../api/problems/problem.ts';
import {
  hashApiKey,
  isApiKeyText,
  isBrowserSessionText,
  isEnrollmentTokenText,
  isSignInText,
  roleOfApiKey,
} from '../../store/keys/api-key-secret.ts';
import {
  authenticateApiKey,
  findKeyRefusal,
  type AuthenticatedKey,
  type KeyRefusal,
} from '../../store/keys/api-keys.ts';
import type { Database, SystemTx } from '../../store/database/database.ts';
import { authenticateBrowserSession, findSessionRefusal } from '../../store/keys/browser-sessions.ts';
import { authenticateEnrollmentToken } from '../../store/keys/enrollment-tokens.ts';
import { USED_LINK } from '../../control/access/browser-sessions.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { type RateLimiter, networkOf } from './rate-limits.ts';
import type { Principal } from '../route.ts';
import { type Credential, keyIn } from '../request/credentials.ts';
import { SuspectKeys } from './suspect-keys.ts';

/** Counted from the start of the look-up, with room for the look-up itself inside the promised second. */
const REMEMBERED_MILLISECONDS = 800;
const REMEMBERED_KEYS = 10_000;
/** Concurrent look-ups of nodes' keys, which arrive all at once when there is something new, and of all other keys. */
const LOOKUPS_AT_ONCE = { nodes: 3, others: 2 };

const REFUSALS: Readonly<Record<KeyRefusal | 'unknown', string>> = {
  unknown: 'The API key is unknown. Ask an operator of the tenant for another one.',
  expired: 'The API key has expired. Ask an operator of the tenant to give it a later expires_at.',
  revoked: 'The API key was revoked. Ask an operator of the tenant for another one.',
  rotated: 'The API key was given another secret since. Use the new one.',
  used: 'The enrollment token was used, and works once. Ask an operator of the tenant for another one.',
  used_link: USED_LINK,
  expired_token: 'The enrollment token has expired. Ask an operator of the tenant for another one.',
};

/** How a key ends the sessions that it opened. */
const SESSION_ENDS: Readonly<Partial<Record<KeyRefusal, string>>> = {
  expired: 'its API key has expired',
  revoked: 'its API key was revoked',
  rotated: 'its API key was given another secret',
};

interface Remembered {
  until: number;
  readonly found: Promise<AuthenticatedKey | KeyRefusal | null>;
  /** What was found, if it was a good key; null also until then. */
  principal: Principal | null;
  /** The tenant of a key, or of one that was valid before; empty if unknown. */
  tenantId: string;
  wasGood: boolean;
  /** The look-up noted that it was used. */
  readonly isUse: boolean;
}

export class Authenticator {
  readonly #db: Database;
  readonly #limiter: RateLimiter;
  readonly #now: () => number;
  readonly #remembered = new LRUCache<string, Remembered>({ max: REMEMBERED_KEYS });
  readonly #suspects = new SuspectKeys();
  /** By tenant, for known keys: a tenant with many keys waits only for itself. */
  readonly #turns = {
    nodes: new Semaphore(LOOKUPS_AT_ONCE.nodes),
    others: new Semaphore(LOOKUPS_AT_ONCE.others),
  };
  /** By connection the last header and the hash of its key, by which alone keys are remembered. */
  readonly #sent = new WeakMap<object, { readonly authorization: string; readonly name: string }>();

  /** @param now milliseconds that never go back */
  constructor(db: Database, limiter: RateLimiter, now: () => number = () => performance.now()) {
    this.#db = db;
    this.#limiter = limiter;
    this.#now = now;
  }

  /**
   * @param address from which the request came
   * @throws {Problem} `unauthenticated`, `session_ended`, `tenant_suspended`, `rate_limited`
   */
  async authenticate(credential: Credential, address: string): Promise<Principal> {
    const hash = hashApiKey(credential.text);
    const known = this.#remembered.get(hash.toString('base64'));
    // A refusal without a look-up costs nothing, and is not counted.
    if (known === undefined) requireForm(credential);
    // A session that a stream looks up every second would else never be used.
    if (known !== undefined && known.until > this.#now() && known.isUse)
      return admit(credential, await known.found);
    const found = await this.#lookUpInTime(credential, hash, known, address);
    if (found === null || typeof found === 'string') this.#limiter.countFailure(address);
    return admit(credential, found);
  }

  /**
   * Whom a key that was good lets in now, for answers that go on after their request. It waits for no wrong keys of its address:
   * whoever sends enough of them would else keep what a key opened that was taken back. A session is not used by it: an answer that goes on
   * says nothing about whether somebody sits there.
   * @throws {Problem} `unauthenticated`, `session_ended`, `tenant_suspended`
   */
  async authenticateAgain(credential: Credential): Promise<Principal> {
    const hash = hashApiKey(credential.text);
    const known = this.#remembered.get(hash.toString('base64'));
    return admit(credential, await this.#find(credential, hash, known, false));
  }

  /**
   * Whom {@link authenticate} would answer at once, without a look-up; null: it takes one, or refuses.
   * @param connection over which the request came; most send one key again and again
   */
  remembered(authorization: string, connection: object): Principal | null {
    let sent = this.#sent.get(connection);
    if (sent?.authorization !== authorization) {
      const key = keyIn(authorization);
      // Of a session, which is remembered too, only the cookie is good.
      // And a sign-in link is good for that alone.
      if (key === null || isBrowserSessionText(key) || isSignInText(key)) return null;
      sent = { authorization, name: hashApiKey(key).toString('base64') };
      this.#sent.set(connection, sent);
    }
    const known = this.#remembered.get(sent.name);
    if (known === undefined || known.until <= this.#now()) return null;
    return known.principal !== null && refusalOf(known.principal) === null ? known.principal : null;
  }

  /** Keys or tenants have changed: the next request of each key looks it up. */
  forget(): void {
    for (const entry of this.#remembered.values()) entry.until = 0;
  }

  /** At once, or when it is the turn of an address that has sent many wrong keys. */
  #lookUpInTime(
    credential: Credential,
    hash: Buffer,
    known: Remembered | undefined,
    address: string,
  ): Remembered['found'] {
    if (known?.wasGood === true || !this.#limiter.hasManyFailures(address))
      return this.#lookUp(credential, hash, known, true);
    // Another request may have asked for the same key while this one waited.
    const find = (): Remembered['found'] =>
      this.#find(credential, hash, this.#remembered.get(hash.toString('base64')), true);
    return this.#suspects.lookUp(
      networkOf(address),
      find,
      (found) => typeof found === 'object' && found !== null,
    );
  }

  #find(
    credential: Credential,
    hash: Buffer,
    known: Remembered | undefined,
    isUse: boolean,
  ): Remembered['found'] {
    if (known !== undefined && known.until > this.#now() && (known.isUse || !isUse)) return known.found;
    return this.#lookUp(credential, hash, known, isUse);
  }

  #lookUp(
    credential: Credential,
    hash: Buffer,
    known: Remembered | undefined,
    isUse: boolean,
  ): Remembered['found'] {
    const name = hash.toString('base64');
    // One statement, mostly; a use is noted where no other note waits.
    const isKey = credential.tenantId === null && isApiKeyText(credential.text);
    const ask = (): Remembered['found'] =>
      this.#db[isKey ? 'alone' : 'inSystem']((tx) => find(tx, credential, hash, isUse));
    const { wasGood = false, tenantId = '' } = known ?? {};
    const lane = roleOfApiKey(credential.text) === 'node' ? 'nodes' : 'others';
    const found = this.#turns[lane].run(ask, tenantId);
    const asked = this.#now();
    const entry: Remembered = {
      until: asked + REMEMBERED_MILLISECONDS,
      ...{ found, principal: null, tenantId, wasGood, isUse },
    };
    this.#remembered.set(name, entry);
    found.then(
      (result) => {
        entry.principal = typeof result === 'object' ? result : null;
        entry.wasGood = entry.principal !== null;
        entry.tenantId = entry.principal?.tenant.id ?? tenantId;
        const left = (typeof result === 'object' ? result?.expires_in : null) ?? Infinity;
        entry.until = Math.min(entry.until, asked + left * 1_000);
      },
      () => {
        entry.until = 0;
      },
    );
    return found;
  }
}

export function hasPermission({ role, isEnrollment }: Principal, permission: Permission): boolean {
  if (!isEnrollment) return roleHas(role, permission);
  return permission === (role === 'node' ? 'bgp:node:enroll' : 'bgp:firewall:enroll');
}

/** @throws {Problem} `forbidden` */
export function checkPermission(principal: Principal, permission: Permission): void {
  if (hasPermission(principal, permission)) return;
  const { role, isEnrollment } = principal;
  if (isEnrollment)
    throw new Problem(
      'forbidden',
      `This enrollment token is good for POST ${role === 'node' ? '/v1/nodes/enroll' : '/v1/firewall/clients/enroll'} only. Use an API key.`,
    );
  throw new Problem(
    'forbidden',
    permission === 'bgp:node:enroll'
      ? 'A node enrolls with an enrollment token, not with an API key. Make one: POST /v1/speakers/{speaker_id}/enrollment-tokens.'
      : permission === 'bgp:firewall:enroll'
        ? 'A firewall client enrolls with an enrollment token, not with an API key. Make one: POST /v1/firewall/enrollment-tokens.'
        : `The role ${role} lacks the permission ${permission}. Use a key of a role that has it: ${rolesWith(permission)}.`,
  );
}

async function find(
  tx: SystemTx,
  { text, tenantId }: Credential,
  hash: Buffer,
  isUse: boolean,
): Promise<AuthenticatedKey | KeyRefusal | null> {
  if (tenantId !== null)
    return (await authenticateBrowserSession(tx, hash, isUse)) ?? findSessionRefusal(tx, hash);
  if (isSignInText(text)) {
    const opened = await authenticateBrowserSession(tx, hash, false);
    return opened === null ? 'used_link' : { ...opened, browserSession: null };
  }
  if (isEnrollmentTokenText(text)) return authenticateEnrollmentToken(tx, hash);
  return (await authenticateApiKey(tx, hash)) ?? findKeyRefusal(tx, hash);
}

function admit(credential: Credential, found: Principal | KeyRefusal | null): Principal {
  const ownerId = typeof found === 'object' ? found?.tenant.id : undefined;
  // Nor is a session good under the name of another tenant.
  if (credential.tenantId !== null && ownerId !== credential.tenantId)
    throw new Problem(
      'session_ended',
      `The session has ended: ${(typeof found === 'string' ? SESSION_ENDS[found] : undefined) ?? 'somebody signed out, it was not used for 12 hours, or its API key stopped working'}. Sign in again.`,
    );
  if (found === null || typeof found === 'string')
    throw new Problem('unauthenticated', REFUSALS[found ?? 'unknown']);
  const refusal = refusalOf(found);
  if (refusal !== null) throw refusal;
  return found;
}

/** Why the tenant may not use a valid key. Nodes of a stopped tenant are let in: otherwise they could not be sent the withdrawal. */
function refusalOf({ tenant, role, isEnrollment }: Principal): Problem | null {
  if (tenant.status === 'active') return null;
  if (tenant.status === 'stopped' && role === 'node' && !isEnrollment) return null;
  return new Problem(
    'tenant_suspended',
    `The tenant ${tenant.slug} is ${tenant.status}. Ask the operator of the service.`,
  );
}

function requireForm({ text, tenantId }: Credential): void {
  if (tenantId === null && !isApiKeyText(text) && !isEnrollmentTokenText(text) && !isSignInText(text))
    throw new Problem(
      'unauthenticated',
      'This is not an API key: its form or checksum is wrong. Look for missing or mistyped characters.',
    );
}
