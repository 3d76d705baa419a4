import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AgentFault } from '../../src/agent/agent-fault.ts';
import { Backoff } from '../../src/concurrency/backoff.ts';
import { DataDirectory } from '../../src/agent/data-directory.ts';
import { NODE_REMEDY, readIdentity, writeIdentity, type Identity } from '../../src/agent/identity.ts';
import { readStatus } from '../../src/agent/status-file.ts';
import { readTrust } from '../../src/agent/trust-file.ts';
import { TrustStore } from '../../src/agent/trust.ts';
import { CLIENT_REMEDY } from '../../src/firewall/identity.ts';
import { readFirewallStatus } from '../../src/firewall/status-file.ts';
import type { BundleManifest } from '../../src/bundle/manifest.ts';
import {
  endorsement,
  generateSigningKey,
  signBytes,
  type EndorsedKey,
  type SigningKeyPair,
} from '../../src/bundle/signing-key.ts';

let path: string;
let directory: DataDirectory;
beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'prefixcast-state-'));
  directory = new DataDirectory(path);
});
afterEach(() => rmSync(path, { recursive: true, force: true }));

const identity: Identity = {
  ...{ control_url: 'https://prefixcast.example.net', tenant_id: 't', speaker_id: 's' },
  ...{ speaker_name: 'edge', daemon: 'builtin', api_key: { id: 'k', secret: 'pc_n_…' } },
};

describe('the directory of a node', () => {
  test('has files that only their user can read, and nothing beside them', async () => {
    await directory.write('a', 'first');
    await directory.write('a', 'second');
    expect((await directory.read('a'))?.toString()).toBe('second');
    expect(statSync(join(path, 'a')).mode & 0o777).toBe(0o600);
    expect(readdirSync(path)).toEqual(['a']);
  });

  test('has the old file until the new one is committed', async () => {
    await directory.write('a', 'old');
    const staged = await directory.stage('a', [Buffer.from('new')]);
    expect((await directory.read('a'))?.toString()).toBe('old');
    await staged.discard();
    expect(readdirSync(path)).toEqual(['a']);
    const again = await directory.stage('a', [Buffer.from('ne'), Buffer.from('wer')]);
    await again.commit();
    expect((await directory.read('a'))?.toString()).toBe('newer');
  });

  test('has nothing left of a file that is removed, also where a process was killed while it wrote', async () => {
    await directory.write('a', 'old');
    await directory.stage('a', [Buffer.from('half of the n')]);
    await directory.remove('a');
    expect(readdirSync(path)).toEqual([]);
  });

  test('holds one of the files, and not of both, that are written at the same time', async () => {
    const texts = ['a'.repeat(400_000), 'b', 'c'.repeat(200_000), 'd'];
    for (let round = 0; round < 20; round++) {
      await Promise.all(texts.map((text) => directory.write('status.json', text)));
      expect((await directory.read('status.json'))!.toString()).toBe('d');
    }
    expect(readdirSync(path)).toEqual(['status.json']);
  });

  test('says that it cannot be written, and how to fix it', async () => {
    writeFileSync(join(path, 'file'), '');
    const wrong = new DataDirectory(join(path, 'file', 'state'));
    await expect(wrong.open()).rejects.toThrow(AgentFault);
    await expect(wrong.open()).rejects.toThrow(/state cannot be written .*APP_AGENT_DATA_DIR/);
  });
});

describe('the identity of a node', () => {
  test('is what was written', async () => {
    expect(await readIdentity(directory)).toBeNull();
    const trust = { keys: [{ key_id: 'a', public_key: 'b', not_after: null }], highest_sequence: 7 };
    await writeIdentity(directory, identity, trust);
    expect(await readIdentity(directory)).toEqual(identity);
    expect(await readTrust(directory, NODE_REMEDY)).toEqual(trust);
  });

  test.each(['', '{', '[]', '{"keys":1}'])(
    'that is damaged (%j) is reported, with the way out',
    async (text) => {
      await directory.write('identity.json', text);
      await directory.write('trust.json', text);
      for (const read of [readIdentity, readTrust])
        await expect(read(directory, NODE_REMEDY)).rejects.toThrow(
          /missing or damaged\. Enroll the node again/,
        );
    },
  );
});

test('a status that is damaged is as good as none', async () => {
  for (const text of ['', '{"pid":', 'null', '7']) {
    await directory.write('status.json', text);
    expect(await readStatus(directory)).toBeNull();
    expect(await readFirewallStatus(directory)).toBeNull();
  }
});

describe('whom a node believes', () => {
  test('are read again with the way out of whoever believes them', async () => {
    await directory.write('trust.json', JSON.stringify({ keys: [], highest_sequence: null }));
    const store = await TrustStore.open(directory, CLIENT_REMEDY);
    await directory.write('trust.json', '{');
    await expect(store.reload()).rejects.toThrow(/missing or damaged\. Enroll the client again/);
  });

  const pairs = [generateSigningKey(), generateSigningKey(), generateSigningKey()];
  const [first, second, third] = pairs as [SigningKeyPair, SigningKeyPair, SigningKeyPair];
  const reported = ({ keyId, publicKey }: SigningKeyPair) => ({
    ...{ key_id: keyId, public_key: publicKey.toString('base64'), not_after: null },
    not_before: '2026-01-01T00:00:00Z',
  });
  const trusting = (...keys: SigningKeyPair[]): TrustStore =>
    new TrustStore(
      directory,
      {
        keys: keys
          .map(reported)
          .map(({ key_id, public_key, not_after }) => ({ key_id, public_key, not_after })),
        highest_sequence: null,
      },
      NODE_REMEDY,
    );
  const manifest = (sequence: number, ...keys: SigningKeyPair[]): BundleManifest =>
    ({ sequence, issued_at: '2026-02-01T00:00:00Z', announced_keys: keys.map(reported) }) as never;
  const ids = (store: TrustStore): string[] => store.keys.map(({ key_id }) => key_id);

  test('are those that a verified bundle announces; others sign nothing new', async () => {
    const store = trusting(first);
    await store.verified(manifest(5, first, second));
    expect(ids(store)).toEqual([first.keyId, second.keyId]);
    await store.verified(manifest(9, second));
    expect(store.keys.find(({ key_id }) => key_id === first.keyId)).toMatchObject({
      not_after: '2026-02-01T00:00:00Z',
    });
    expect(await readTrust(directory, NODE_REMEDY)).toEqual({
      ...{ keys: store.keys, highest_sequence: 9 },
      issued_at: '2026-02-01T00:00:00Z',
    });
  });

  test('are not those of before, when an older issue of the same bundle is sent again', async () => {
    const store = trusting(first);
    const older = manifest(5, first);
    await store.verified({ ...manifest(5, first, second), issued_at: '2026-02-02T00:00:00Z' });
    const { keys } = store;
    await store.verified(older);
    expect(store.keys).toEqual(keys);
    // Nor after a restart.
    const restarted = await TrustStore.open(directory, NODE_REMEDY);
    await restarted.verified(older);
    expect(restarted.keys).toEqual(keys);
    await restarted.verified(manifest(6, second));
    expect(restarted.keys).not.toEqual(keys);
  });

  test('does not forget the highest sequence', async () => {
    const store = trusting(first);
    await store.verified(manifest(9, first));
    await store.verified(manifest(9, first));
    expect(store.highestSequence).toBe(9);
  });

  test('are those that one of them vouches for, over any number of rotations', async () => {
    const store = trusting(first);
    const endorsed = (by: SigningKeyPair, key: SigningKeyPair, tenant = 't'): EndorsedKey => ({
      ...reported(key),
      endorsed_by: by.keyId,
      endorsement: signBytes(by, endorsement(tenant, by.keyId, reported(key))).toString('base64'),
    });
    expect(await store.endorsed(identity, [endorsed(first, second, 'another tenant')])).toBe(false);
    expect(await store.endorsed(identity, [endorsed(third, second)])).toBe(false);
    expect(await store.endorsed(identity, [endorsed(second, third), endorsed(first, second)])).toBe(true);
    expect(ids(store)).toEqual([first, second, third].map(({ keyId }) => keyId));
  });
});

test('pauses grow from one failure to the next, are never equal for all, and have an end', () => {
  const backoff = new Backoff(1_000, 60_000);
  const pauses = Array.from({ length: 100 }, () => backoff.next());
  pauses.forEach((pause, failure) => {
    const longest = Math.min(60_000, 1_000 * 2 ** failure);
    expect(pause).toBeGreaterThanOrEqual(longest / 2);
    expect(pause).toBeLessThanOrEqual(longest);
  });
  expect(new Set(pauses.slice(20)).size).toBeGreaterThan(10);
  backoff.reset();
  expect(backoff.next()).toBeLessThanOrEqual(1_000);
});
