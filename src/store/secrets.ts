import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Layout of what is sealed: version, nonce, tag, ciphertext. */
const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_BYTES = 32;

/** A sealed value cannot be opened: another key, another place, or damage. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}

/**
 * Encrypts what must not be readable in the database (AES-256-GCM, NIST SP 800-38D, with random nonces). A sealed value opens only in its
 * own context (tenant, table, id), so that nobody can move it to another row.
 */
export class SecretBox {
  readonly #sealingKey: Buffer;
  readonly #fingerprintKey: Buffer;

  /** @param key 32 bytes */
  constructor(key: Buffer) {
    if (key.length !== KEY_BYTES)
      throw new SecretError(`The key has ${key.length} bytes; it needs ${KEY_BYTES}`);
    this.#sealingKey = derive(key, 'prefixcast seal');
    this.#fingerprintKey = derive(key, 'prefixcast fingerprint');
  }

  seal(clear: string | Uint8Array, context: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#sealingKey, nonce).setAAD(Buffer.from(context));
    const body = Buffer.concat([
      typeof clear === 'string' ? cipher.update(clear, 'utf8') : cipher.update(clear),
      cipher.final(),
    ]);
    return Buffer.concat([Buffer.of(VERSION), nonce, cipher.getAuthTag(), body]);
  }

  /** @throws {SecretError} */
  open(sealed: Uint8Array, context: string): Buffer {
    if (sealed[0] !== VERSION || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) {
      throw new SecretError('What is stored here was not sealed by this program, or is damaged');
    }
    const [nonceEnd, tagEnd] = [1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES];
    try {
      const cipher = createDecipheriv('aes-256-gcm', this.#sealingKey, sealed.subarray(1, nonceEnd))
        .setAAD(Buffer.from(context))
        .setAuthTag(sealed.subarray(nonceEnd, tagEnd));
      return Buffer.concat([cipher.update(sealed.subarray(tagEnd)), cipher.final()]);
    } catch (error) {
      throw new SecretError(
        'A stored secret cannot be decrypted. Start with the APP_SECRET_KEY it was stored with, or set the secret again.',
        { cause: error },
      );
    }
  }

  /** Identifies equal texts without storing them: an HMAC, so that nobody can test likely texts. 32 bytes. */
  fingerprint(text: string): Buffer {
    return createHmac('sha256', this.#fingerprintKey).update(text).digest();
  }
}

function derive(key: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES));
}

/** @param configuredKey `APP_SECRET_KEY`; null: the key of the data directory */
export function loadSecretBox(dataDir: string, configuredKey: Buffer | null): SecretBox {
  return new SecretBox(configuredKey ?? loadSecretKey(dataDir));
}

/** The key of this data directory; created at the first start. If several processes start at once, all get the same one. */
export function loadSecretKey(dataDir: string): Buffer {
  const path = join(dataDir, 'secret-key');
  const known = readKey(path);
  if (known !== null) return known;
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  writeFileSync(draft, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  return readKey(path)!;
}

/** The key of this data directory; null: there is none yet. Throws SecretError. */
export function readSecretKey(dataDir: string): Buffer | null {
  return readKey(join(dataDir, 'secret-key'));
}

function readKey(path: string): Buffer | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  if (!/^[0-9a-f]{64}$/.test(text)) {
    throw new SecretError(`${path} does not hold 64 hexadecimal digits. Restore it, or set APP_SECRET_KEY.`);
  }
  return Buffer.from(text, 'hex');
}
