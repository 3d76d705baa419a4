/** Ed25519 (RFC 8032): the keys that sign bundles, and how a trusted key endorses the next one. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  hash,
  sign,
  verify,
  type KeyObject,
} from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';

export const SIGNATURE_BYTES = 64;
const RAW_BYTES = 32;
/** The bytes before the 32 bytes of an Ed25519 key in a SubjectPublicKeyInfo (RFC 8410). */
const SPKI_START = Buffer.from('302a300506032b6570032100', 'hex');
const ID_LENGTH = 16;

/** A public key in the shape of bundles and the API. */
export interface PublicSigningKey {
  readonly key_id: string;
  /** 32 bytes, base64. */
  readonly public_key: string;
  /** When it starts, or started, to sign. */
  readonly not_before: string;
  /** No bundle signed by it is valid after this; null: it still signs. */
  readonly not_after: string | null;
}

/** What a reader must know about a key that it trusts. */
export type TrustedKey = Pick<PublicSigningKey, 'key_id' | 'public_key' | 'not_after'>;

/** A key with the endorsement of the previous one. */
export interface EndorsedKey extends PublicSigningKey {
  /** Null: the first key of its tenant. */
  readonly endorsed_by: string | null;
  /** Signature of `endorsed_by` over {@link endorsement}, base64. */
  readonly endorsement: string | null;
}

export interface SigningKeyPair {
  readonly keyId: string;
  /** 32 bytes. */
  readonly publicKey: Buffer;
  readonly privateKey: KeyObject;
}

export function generateSigningKey(): SigningKeyPair {
  const { privateKey } = generateKeyPairSync('ed25519');
  return pairOf(privateKey);
}

/** @param der as {@link exportPrivateKey} returned it */
export function importPrivateKey(der: Buffer): SigningKeyPair {
  return pairOf(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }));
}

/** PKCS #8 (RFC 5958), DER. */
export function exportPrivateKey({ privateKey }: SigningKeyPair): Buffer {
  return privateKey.export({ format: 'der', type: 'pkcs8' });
}

/** The key in the form that `openssl pkey -pubin` reads; null for anything but the base64 of 32 bytes. */
export function publicKeyPem(base64: string): string | null {
  return publicKeyOf(base64)?.export({ format: 'pem', type: 'spki' }).toString() ?? null;
}

/** The first 16 hexadecimal digits of the SHA-256 of the raw public key. */
export function keyIdOf(publicKey: Uint8Array): string {
  return hash('sha256', publicKey).slice(0, ID_LENGTH);
}

export function signBytes({ privateKey }: SigningKeyPair, bytes: Uint8Array): Buffer {
  return sign(null, bytes, privateKey);
}

export function isSignedBy(publicKey: string, bytes: Uint8Array, signature: Uint8Array): boolean {
  const key = publicKeyOf(publicKey);
  return key !== null && signature.length === SIGNATURE_BYTES && verify(null, bytes, key, signature);
}

/** What a key signs to endorse the next one of its tenant. */
export function endorsement(tenantId: string, endorsedBy: string, key: TrustedKey): Buffer {
  return Buffer.from(
    canonicalJson({
      type: 'prefixcast-signing-key',
      tenant_id: tenantId,
      endorsed_by: endorsedBy,
      key_id: key.key_id,
      public_key: key.public_key,
    }),
  );
}

/**
 * The keys that are trusted after reading `published`: those that were before, and every one that a trusted key endorses, however many
 * rotations were missed. Keys without such an endorsement are left out, whoever published them.
 */
export function trustEndorsed(
  tenantId: string,
  trusted: readonly TrustedKey[],
  published: readonly EndorsedKey[],
): TrustedKey[] {
  const known = new Map(trusted.map((key) => [key.key_id, key]));
  for (let before = -1; before < known.size;) {
    before = known.size;
    for (const key of published) {
      const voucher = known.get(key.endorsed_by ?? '');
      if (known.has(key.key_id) || voucher === undefined || !isEndorsed(tenantId, voucher, key)) continue;
      const { key_id, public_key, not_after } = key;
      known.set(key_id, { key_id, public_key, not_after });
    }
  }
  return [...known.values()];
}

function isEndorsed(tenantId: string, voucher: TrustedKey, key: EndorsedKey): boolean {
  if (keyIdOf(Buffer.from(key.public_key, 'base64')) !== key.key_id) return false;
  const signature = Buffer.from(key.endorsement ?? '', 'base64');
  return isSignedBy(voucher.public_key, endorsement(tenantId, voucher.key_id, key), signature);
}

function pairOf(privateKey: KeyObject): SigningKeyPair {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const publicKey = spki.subarray(SPKI_START.length);
  return { keyId: keyIdOf(publicKey), publicKey, privateKey };
}

function publicKeyOf(base64: string): KeyObject | null {
  const raw = Buffer.from(base64, 'base64');
  if (raw.length !== RAW_BYTES) return null;
  return createPublicKey({ key: Buffer.concat([SPKI_START, raw]), format: 'der', type: 'spki' });
}
