/** The keys that belong to a database, as an archive has them: in clear, or sealed with a passphrase. */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, scryptSync } from 'node:crypto';
import { ArchiveError } from './archive.ts';

export interface Keys {
  /** 32 bytes in hexadecimal digits: what encrypts values in the database. */
  readonly secretKey: string;
  /** The first API key, where it lies beside the data. */
  readonly bootstrapKey: string | null;
}

interface SealedText {
  readonly salt: string;
  readonly nonce: string;
  readonly tag: string;
  readonly text: string;
}

/** What keys.json holds. */
interface KeysMember {
  /** Distinguishes the key from others without showing it. */
  readonly fingerprint: string;
  /** Null: they are kept elsewhere, or sealed. */
  readonly clear: Keys | null;
  readonly sealed: SealedText | null;
}

export type KeyProtection =
  | { readonly kind: 'none' }
  | { readonly kind: 'clear' }
  | { readonly kind: 'passphrase'; readonly passphrase: string };

/** Interactive logins are the measure of scrypt's usual cost; this is done once a day. Memory: 128 MiB. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1, maxmem: 256 * 1024 * 1024 } as const;
const [SALT_BYTES, NONCE_BYTES, KEY_BYTES] = [16, 12, 32];

export function fingerprintOf(secretKey: Buffer): string {
  return createHmac('sha256', secretKey).update('prefixcast backup').digest('hex').slice(0, 32);
}

export function keysText(keys: Keys, protection: KeyProtection): string {
  const member: KeysMember = {
    fingerprint: fingerprintOf(Buffer.from(keys.secretKey, 'hex')),
    clear: protection.kind === 'clear' ? keys : null,
    sealed: protection.kind === 'passphrase' ? seal(JSON.stringify(keys), protection.passphrase) : null,
  };
  return `${JSON.stringify(member, null, 1)}\n`;
}

export interface OpenedKeys {
  readonly fingerprint: string;
  /** Null: the archive has none. */
  readonly keys: Keys | null;
}

/**
 * @param passphrase null: none is known
 * @throws {ArchiveError} where it is sealed and the passphrase is not the right one
 */
export function openKeys(text: string, passphrase: string | null): OpenedKeys {
  const { fingerprint, clear, sealed } = JSON.parse(text) as KeysMember;
  if (sealed === null) return { fingerprint, keys: clear };
  if (passphrase === null)
    throw new ArchiveError(
      'The keys of this backup are sealed: --passphrase-file names the file with the passphrase.',
    );
  return { fingerprint, keys: JSON.parse(unseal(sealed, passphrase)) as Keys };
}

function seal(clear: string, passphrase: string): SealedText {
  const salt = randomBytes(SALT_BYTES);
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', scryptSync(passphrase, salt, KEY_BYTES, SCRYPT), nonce);
  const text = Buffer.concat([cipher.update(clear, 'utf8'), cipher.final()]);
  return {
    salt: salt.toString('base64'),
    nonce: nonce.toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    text: text.toString('base64'),
  };
}

function unseal({ salt, nonce, tag, text }: SealedText, passphrase: string): string {
  const bytes = (part: string): Buffer => Buffer.from(part, 'base64');
  const decipher = createDecipheriv(
    'aes-256-gcm',
    scryptSync(passphrase, bytes(salt), KEY_BYTES, SCRYPT),
    bytes(nonce),
  ).setAuthTag(bytes(tag));
  try {
    return Buffer.concat([decipher.update(bytes(text)), decipher.final()]).toString('utf8');
  } catch (error) {
    throw new ArchiveError('The passphrase does not open the keys of this backup.', { cause: error });
  }
}
