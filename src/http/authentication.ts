/**
 * Who asks: `Authorization: Bearer <API key>` (RFC 6750). A typo is told without the database; a good key is remembered for
 * under a second, so that a revoked one stops working within a second while a busy client costs one look-up a second.
 */
import { Problem } from '../api/problem.ts';
import { hashApiKey, isApiKeyText } from '../store/api-key-secret.ts';
import { authenticateApiKey } from '../store/api-keys.ts';
import type { Database } from '../store/database.ts';
import type { Principal } from './route.ts';

/** Counted from the start of the look-up, with room for the look-up itself inside the promised second. */
const REMEMBERED_MILLISECONDS = 800;
const REMEMBERED_KEYS = 10_000;

interface Remembered {
  readonly until: number;
  readonly found: Promise<Principal | null>;
}

export type Authenticator = (authorization: string | undefined) => Promise<Principal>;

/** @param now milliseconds that never go back */
export function createAuthenticator(
  db: Database,
  now: () => number = () => performance.now(),
): Authenticator {
  const remembered = new Map<string, Remembered>();

  const lookUp = (hash: Buffer): Promise<Principal | null> => {
    const name = hash.toString('base64');
    const known = remembered.get(name);
    if (known !== undefined && known.until > now()) return known.found;
    // The oldest go first: a map keeps the order of insertion.
    remembered.delete(name);
    if (remembered.size >= REMEMBERED_KEYS) remembered.delete(remembered.keys().next().value!);
    const found = db.inSystem((tx) => authenticateApiKey(tx, hash));
    const entry = { until: now() + REMEMBERED_MILLISECONDS, found };
    remembered.set(name, entry);
    found.catch(() => {
      if (remembered.get(name) === entry) remembered.delete(name);
    });
    return found;
  };

  return async (authorization) => {
    const principal = await lookUp(hashApiKey(readKey(authorization)));
    if (principal === null || hasExpired(principal))
      throw new Problem(
        'unauthenticated',
        'The API key is unknown, expired or revoked. Ask an operator of the tenant for another one.',
      );
    if (principal.tenant.status === 'suspended')
      throw new Problem(
        'tenant_suspended',
        `The tenant ${principal.tenant.slug} is suspended. Ask the operator of the service.`,
      );
    return principal;
  };
}

function hasExpired({ key }: Principal): boolean {
  return key.expires_at !== null && Date.parse(key.expires_at) <= Date.now();
}

function readKey(authorization: string | undefined): string {
  if (authorization === undefined)
    throw new Problem('unauthenticated', 'Send the header `Authorization: Bearer <API key>`.');
  const key = /^Bearer +(\S+) *$/i.exec(authorization)?.[1];
  if (key === undefined)
    throw new Problem(
      'unauthenticated',
      'The header Authorization is not of the form `Bearer <API key>`. Send it in this form.',
    );
  if (!isApiKeyText(key))
    throw new Problem(
      'unauthenticated',
      'This is not an API key: its form or checksum is wrong. Look for missing or mistyped characters.',
    );
  return key;
}
