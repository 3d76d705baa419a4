import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROLES } from '../../src/api/access/permissions.ts';
import { hashApiKey, isApiKeyText, mintApiKey, roleOfApiKey } from '../../src/store/keys/api-key-secret.ts';
import { SecretBox, loadSecretBox, loadSecretKey } from '../../src/store/secrets.ts';

const box = new SecretBox(Buffer.alloc(32, 1));

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'prefixcast-secrets-'));
});
afterEach(() => {
  rmSync(dataDir, { recursive: true });
});

test('what is sealed opens with the same key in the same context only', () => {
  const sealed = box.seal('hunter2', 'peer 1');
  expect(box.open(sealed, 'peer 1').toString()).toBe('hunter2');
  expect(() => box.open(sealed, 'peer 2')).toThrow('APP_SECRET_KEY');
  expect(() => new SecretBox(Buffer.alloc(32, 2)).open(sealed, 'peer 1')).toThrow('APP_SECRET_KEY');
});

test('equal secrets look different, and every changed byte is noticed', () => {
  const sealed = box.seal('hunter2', 'c');
  expect(box.seal('hunter2', 'c').equals(sealed)).toBe(false);
  expect(sealed.includes('hunter2')).toBe(false);
  for (let at = 0; at < sealed.length; at++) {
    const changed = Buffer.from(sealed);
    changed[at]! ^= 1;
    expect(() => box.open(changed, 'c'), `byte ${at}`).toThrow();
  }
  expect(() => box.open(sealed.subarray(0, 20), 'c')).toThrow('damaged');
});

test('a fingerprint depends on text and key', () => {
  expect(box.fingerprint('a').equals(box.fingerprint('a'))).toBe(true);
  expect(box.fingerprint('a').equals(box.fingerprint('b'))).toBe(false);
  expect(new SecretBox(Buffer.alloc(32, 2)).fingerprint('a').equals(box.fingerprint('a'))).toBe(false);
});

test('the key of the data directory is made once, for its owner only', () => {
  const key = loadSecretKey(dataDir);
  expect(key).toHaveLength(32);
  expect(loadSecretKey(dataDir).equals(key)).toBe(true);
  expect(statSync(join(dataDir, 'secret-key')).mode & 0o777).toBe(0o600);
  const sealed = loadSecretBox(dataDir, null).seal('x', 'c');
  expect(
    new SecretBox(Buffer.from(readFileSync(join(dataDir, 'secret-key'), 'utf8').trim(), 'hex'))
      .open(sealed, 'c')
      .toString(),
  ).toBe('x');
});

test('a damaged key file stops, and a given key goes first', () => {
  writeFileSync(join(dataDir, 'secret-key'), 'half');
  expect(() => loadSecretBox(dataDir, null)).toThrow('secret-key');
  expect(loadSecretBox(dataDir, Buffer.alloc(32, 1)).open(box.seal('x', 'c'), 'c').toString()).toBe('x');
});

test.each(ROLES)('a key of role %s says so, and checks', (role) => {
  const { secret, prefix, secret_hash } = mintApiKey(role);
  expect(secret).toMatch(/^pc_[vonfws]_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/);
  expect(isApiKeyText(secret)).toBe(true);
  expect(roleOfApiKey(secret)).toBe(role);
  expect(secret.startsWith(prefix)).toBe(true);
  expect(prefix.length).toBeLessThan(16);
  expect(hashApiKey(secret).equals(secret_hash)).toBe(true);
});

test('a key with one character wrong is no key', () => {
  const { secret } = mintApiKey('operator');
  for (let at = 0; at < secret.length; at++) {
    const other = secret[at] === 'a' ? 'b' : 'a';
    expect(isApiKeyText(secret.slice(0, at) + other + secret.slice(at + 1)), `character ${at}`).toBe(false);
  }
  expect(isApiKeyText(`${secret} `)).toBe(false);
  expect(isApiKeyText('')).toBe(false);
});
