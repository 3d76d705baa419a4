/**
 * Who asks: `Authorization: Bearer <API key>` (RFC 6750). A typo is told without the database; a good key is remembered for
 * under a second, so that a revoked one stops working within a second while a busy client costs one look-up a second. Keys that were not
 * good lately, from an address that has sent many wrong ones, are looked up one after the other (suspect-keys.ts): none is refused for what
 * others have sent, because many clients may stand behind one address.
 */
import { LRUCache } from 'lru-cache';
import { roleHas, type Permission } from '../../api/access/permissions.ts';
import { Problem } from '../../api/problems/problem.ts';
import {
  hashApiKey,
  isApiKeyText,
  isEnrollmentTokenText,
  roleOfApiKey,
} from '../../store/keys/api-key-secret.ts';
import {
  authenticateApiKey,
  findKeyRefusal,
  type AuthenticatedKey,
  type KeyRefusal,
} from '../../store/keys/api-keys.ts';
import type { Database } from '../../store/database/database.ts';
import { authenticateEnrollmentToken } from '../../store/keys/enrollment-tokens.ts';
import { Semaphore } from '../../concurrency/semaphore.ts';
import { type RateLimiter, networkOf } from './rate-limits.ts';
import type { Principal } from '../route.ts';
import { SuspectKeys } from './suspect-keys.ts';

/** Counted from the start of the look-up, with room for the look-up itself inside the promised second. */
const REMEMBERED_MILLISECONDS = 800;
const REMEMBERED_KEYS = 10_000;
/** Keys of nodes, which come all at once when there is something new, and of everybody else: so many of each are looked up at once. */
const LOOKUPS_AT_ONCE = { nodes: 3, others: 2 };

const REFUSALS: Readonly<Record<KeyRefusal | 'unknown', string>> = {
  unknown: 'The API key is unknown. Ask an operator of the tenant for another one.',
  expired: 'The API key has expired. Ask an operator of the tenant to give it a later expires_at.',
  revoked: 'The API key was revoked. Ask an operator of the tenant for another one.',
  rotated: 'The API key was given another secret since. Use the new one.',
  used: 'The enrollment token was used, and works once. Ask an operator of the tenant for another one.',
  expired_token: 'The enrollment token has expired. Ask an operator of the tenant for another one.',
};

interface Remembered {
  until: number;
  readonly found: Promise<AuthenticatedKey | KeyRefusal | null>;
  /** What was found, if it was a good key; null also until then. */
  principal: Principal | null;
  /** Whose key it is, or was when it was good last; empty where nobody knows. */
  tenantId: string;
  wasGood: boolean;
}

export class Authenticator {
  readonly #db: Database;
  readonly #limiter: RateLimiter;
  readonly #now: () => number;
  readonly #remembered = new LRUCache<string, Remembered>({ max: REMEMBERED_KEYS });
  readonly #suspects = new SuspectKeys();
  /** By tenant, as far as keys are known: whoever has many keys waits for itself. */
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
   * @throws {Problem} `unauthenticated`, `tenant_suspended`, `rate_limited`
   */
  async authenticate(authorization: string | undefined, address: string): Promise<Principal> {
    const key = readKey(authorization);
    const hash = hashApiKey(key);
    const known = this.#remembered.get(hash.toString('base64'));
    // What is told without a look-up costs nothing, and is not counted.
    if (known === undefined) requireForm(key);
    if (known !== undefined && known.until > this.#now()) return admit(await known.found);
    const found = await this.#lookUpInTime(key, hash, known, address);
    if (found === null || typeof found === 'string') this.#limiter.countFailure(address);
    return admit(found);
  }

  /**
   * Whom a key that was good lets in now, for answers that go on after their request. It waits for no wrong keys of its address:
   * whoever sends enough of them would else keep what a key opened that was taken back.
   * @throws {Problem} `unauthenticated`, `tenant_suspended`
   */
  async authenticateAgain(authorization: string | undefined): Promise<Principal> {
    const key = readKey(authorization);
    const hash = hashApiKey(key);
    return admit(await this.#find(key, hash, this.#remembered.get(hash.toString('base64'))));
  }

  /**
   * Whom {@link authenticate} would answer at once, without a look-up; null: it takes one, or refuses.
   * @param connection over which the request came; most send one key again and again
   */
  remembered(authorization: string, connection: object): Principal | null {
    let sent = this.#sent.get(connection);
    if (sent?.authorization !== authorization) {
      const key = keyIn(authorization);
      if (key === null) return null;
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
    key: string,
    hash: Buffer,
    known: Remembered | undefined,
    address: string,
  ): Remembered['found'] {
    if (known?.wasGood === true || !this.#limiter.hasManyFailures(address))
      return this.#lookUp(key, hash, known);
    // Another request may have asked for the same key while this one waited.
    const find = (): Remembered['found'] =>
      this.#find(key, hash, this.#remembered.get(hash.toString('base64')));
    return this.#suspects.lookUp(
      networkOf(address),
      find,
      (found) => typeof found === 'object' && found !== null,
    );
  }

  #find(key: string, hash: Buffer, known: Remembered | undefined): Remembered['found'] {
    if (known !== undefined && known.until > this.#now()) return known.found;
    return this.#lookUp(key, hash, known);
  }

  #lookUp(key: string, hash: Buffer, known: Remembered | undefined): Remembered['found'] {
    const name = hash.toString('base64');
    const ask = (): Remembered['found'] =>
      this.#db.inSystem(async (tx) =>
        isEnrollmentTokenText(key)
          ? authenticateEnrollmentToken(tx, hash)
          : ((await authenticateApiKey(tx, hash)) ?? (await findKeyRefusal(tx, hash))),
      );
    const { wasGood = false, tenantId = '' } = known ?? {};
    const found = this.#turns[roleOfApiKey(key) === 'node' ? 'nodes' : 'others'].run(ask, tenantId);
    const asked = this.#now();
    const entry: Remembered = {
      until: asked + REMEMBERED_MILLISECONDS,
      ...{ found, principal: null, tenantId, wasGood },
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
        : `The role ${role} lacks the permission ${permission}. Use a key of a role that has it.`,
  );
}

function admit(found: Principal | KeyRefusal | null): Principal {
  if (found === null || typeof found === 'string')
    throw new Problem('unauthenticated', REFUSALS[found ?? 'unknown']);
  const refusal = refusalOf(found);
  if (refusal !== null) throw refusal;
  return found;
}

/** What the tenant has against a good key. Nodes of a stopped tenant are let in: else nobody could tell them to withdraw. */
function refusalOf({ tenant, role, isEnrollment }: Principal): Problem | null {
  if (tenant.status === 'active') return null;
  if (tenant.status === 'stopped' && role === 'node' && !isEnrollment) return null;
  return new Problem(
    'tenant_suspended',
    `The tenant ${tenant.slug} is ${tenant.status}. Ask the operator of the service.`,
  );
}

function readKey(authorization: string | undefined): string {
  if (authorization === undefined)
    throw new Problem('unauthenticated', 'Send the header `Authorization: Bearer <API key>`.');
  const key = keyIn(authorization);
  if (key === null)
    throw new Problem(
      'unauthenticated',
      'The header Authorization is not of the form `Bearer <API key>`. Send it in this form.',
    );
  return key;
}

function keyIn(authorization: string): string | null {
  return /^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null;
}

function requireForm(key: string): void {
  if (!isApiKeyText(key) && !isEnrollmentTokenText(key))
    throw new Problem(
      'unauthenticated',
      'This is not an API key: its form or checksum is wrong. Look for missing or mistyped characters.',
    );
}
