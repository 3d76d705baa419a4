import { describe, expect, test } from 'vitest';
import {
  type EndorsedKey,
  type SigningKeyPair,
  endorsement,
  exportPrivateKey,
  generateSigningKey,
  importPrivateKey,
  isSignedBy,
  keyIdOf,
  publicKeyPem,
  signBytes,
  trustEndorsed,
} from '../../src/bundle/signing-key.ts';
import { TENANT, trusted } from './sample.ts';

/** A key as it is published, with the word of another one. */
function published(
  pair: SigningKeyPair,
  by: SigningKeyPair | null,
  tenant = TENANT,
  keyId = pair.keyId,
): EndorsedKey {
  const reported = { ...trusted(pair), key_id: keyId, not_before: '2026-01-01T00:00:00Z' };
  if (by === null) return { ...reported, endorsed_by: null, endorsement: null };
  const signature = signBytes(by, endorsement(tenant, by.keyId, reported));
  return { ...reported, endorsed_by: by.keyId, endorsement: signature.toString('base64') };
}

const [first, second, third, stranger] = Array.from({ length: 4 }, generateSigningKey) as [
  SigningKeyPair,
  SigningKeyPair,
  SigningKeyPair,
  SigningKeyPair,
];

describe('a signing key', () => {
  test('comes back from its private part', () => {
    const again = importPrivateKey(exportPrivateKey(first));
    expect(again.keyId).toBe(first.keyId);
    const signature = signBytes(again, Buffer.from('x'));
    expect(isSignedBy(trusted(first).public_key, Buffer.from('x'), signature)).toBe(true);
    expect(isSignedBy(trusted(second).public_key, Buffer.from('x'), signature)).toBe(false);
    expect(isSignedBy('AAAA', Buffer.from('x'), signature)).toBe(false);
    expect(publicKeyPem(trusted(first).public_key)).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    expect(publicKeyPem('AAAA')).toBeNull();
    expect(keyIdOf(first.publicKey)).toBe(first.keyId);
  });

  test('signs the same bytes in the same way', () => {
    expect(signBytes(first, Buffer.from('x'))).toEqual(signBytes(first, Buffer.from('x')));
  });
});

describe('trust goes on', () => {
  const ids = (keys: readonly { key_id: string }[]) => keys.map(({ key_id }) => key_id).sort();

  test('over several rotations that were missed, in whatever order they are published', () => {
    const chain = [published(third, second), published(second, first), published(first, null)];
    const all = [first, second, third].map(({ keyId }) => keyId).sort();
    expect(ids(trustEndorsed(TENANT, [trusted(first)], chain))).toEqual(all);
    expect(ids(trustEndorsed(TENANT, [trusted(first)], [...chain].reverse()))).toEqual(all);
  });

  test('not to a key that nobody vouches for, or a stranger, or another tenant, or that is called otherwise', () => {
    const misnamed = { ...published(second, first), key_id: stranger.keyId };
    for (const key of [
      published(second, null),
      published(second, stranger),
      published(second, first, '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0cff'),
      { ...published(second, stranger), endorsed_by: first.keyId },
      misnamed,
      // Its name is that of another key, and the one that is trusted says so as well.
      published(second, first, TENANT, stranger.keyId),
    ])
      expect(ids(trustEndorsed(TENANT, [trusted(first)], [key]))).toEqual([first.keyId]);
  });

  test('in a circle ends', () => {
    const circle = [published(second, third), published(third, second)];
    expect(trustEndorsed(TENANT, [trusted(first)], circle)).toHaveLength(1);
  });
});
