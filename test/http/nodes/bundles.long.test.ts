import { createPublicKey } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { SigningKeys } from '../../../src/api/nodes/bundles.ts';
import { digestPieces, packBundle } from '../../../src/bundle/bundle.ts';
import { openBundle } from '../../../src/bundle/open-bundle.ts';
import { trustEndorsed } from '../../../src/bundle/signing-key.ts';
import { formatPrefixAt } from '../../../src/core/prefix.ts';
import { createServer } from '../../../src/http/server/server.ts';
import { insertPeer } from '../../../src/store/speakers/peers.ts';
import { refusal } from '../../bundle/sample.ts';
import { newMetrics } from '../service.ts';
import { startNodeService, type NodeService } from './node-service.ts';

let service: NodeService;
beforeAll(async () => {
  service = await startNodeService();
});
afterAll(() => service.close());

test('before anything was applied there is nothing to pull', async () => {
  const { status, body } = await service.latest();
  expect({ status, code: body.code }).toEqual({ status: 409, code: 'revision_not_ready' });
});

describe('a bundle', () => {
  let revisionId: string;
  beforeAll(async () => {
    revisionId = await service.revisionOf(['192.0.2.0/24', '2001:db8::/32']);
    await service.apply(revisionId);
  });

  test('is reported with its number, its hash and where it is', async () => {
    const { bundle, ...rest } = await service.assigned();
    expect(rest).toMatchObject({ speaker_id: service.speakerId, revision_id: revisionId });
    const { status, headers, bytes } = await service.pull(bundle.url);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/x-tar');
    expect(headers.get('cache-control')).toMatch(/^private, immutable, max-age=\d+$/);
    expect(bytes.length).toBe(bundle.length);
    expect(headers.get('content-length')).toBe(String(bundle.length));
  });

  test('opens with the published key to the routes of the revision and the peers of the speaker', async () => {
    const { bundle, sequence } = await service.assigned();
    const { bytes } = await service.pull(bundle.url);
    const opened = openBundle(bytes, await service.reader());
    const { ipv4, ipv6 } = opened.routes.table;
    expect([formatPrefixAt(ipv4, 0), formatPrefixAt(ipv6, 0)]).toEqual(['192.0.2.0/24', '2001:db8::/32']);
    expect(opened.manifest).toMatchObject({
      sequence,
      revision_id: revisionId,
      speaker_id: service.speakerId,
    });
    expect(opened.speaker.peers.map(({ name }) => name)).toEqual(['router']);
    expect(opened.routes.labels).toEqual({
      '65000:100': { community: '65000:100', nextHopIpv4: null, nextHopIpv6: null },
    });
  });

  test('is the same from every process, and 304 to who has it', async () => {
    const { bundle, etag } = await service.assigned();
    const first = await service.pull(bundle.url);
    const other = await createServer({ ...service.dependencies, metrics: newMetrics() });
    try {
      const headers = { authorization: `Bearer ${service.tenant.keys.node}` };
      const again = await other.inject({ url: bundle.url, headers });
      expect(again.rawPayload.equals(first.bytes)).toBe(true);
    } finally {
      await other.close();
    }
    expect((await service.latest('', { 'if-none-match': etag })).status).toBe(304);
    const tag = first.headers.get('etag')!;
    expect((await service.pull(bundle.url, { 'if-none-match': tag })).status).toBe(304);
  });

  test('keeps number and hash as long as nothing changes, and rises with what does', async () => {
    const before = await service.assigned();
    expect(await service.assigned()).toEqual(before);
    await service.call('PATCH', '/v1/settings', { body: { guard_no_export: false } });
    expect(await service.assigned()).toEqual(before);
    await service.apply(null);
    const after = await service.assigned();
    expect(after.sequence).toBeGreaterThan(before.sequence);
    expect(after.content_hash).toBe(before.content_hash);
    expect(
      openBundle((await service.pull(after.bundle.url)).bytes, await service.reader()).routes.noExport,
    ).toBe(false);
    // The one before is gone: its node asks for the latest.
    expect((await service.pull(before.bundle.url)).status).toBe(404);
  });

  test('carries passwords of sessions, which nothing in the database or the log does', async () => {
    const body = { name: 'secret', address: '192.0.2.77', remote_asn: 64501, password: 'a-very-secret-word' };
    const { db } = service.database;
    await db.inTenant(service.tenant.id, (tx) => insertPeer(tx, service.dependencies.secrets, body));
    const { bundle } = await service.assigned();
    const { bytes } = await service.pull(bundle.url);
    expect(bytes.includes(body.password)).toBe(true);
    const rows = await service.database.admin<{ text: string }>(
      'SELECT to_jsonb(b)::text AS text FROM speaker_bundle b',
    );
    const hex = Buffer.from(body.password).toString('hex');
    for (const { text } of rows) expect(text.includes(body.password) || text.includes(hex)).toBe(false);
    expect(service.log.some((line) => line.includes(body.password))).toBe(false);
  });

  test('of a speaker that is disabled has no peers', async () => {
    await service.call('PATCH', `/v1/speakers/${service.speakerId}`, { body: { enabled: false } });
    const { bundle } = await service.assigned();
    expect(openBundle((await service.pull(bundle.url)).bytes, await service.reader()).speaker.peers).toEqual(
      [],
    );
    await service.call('PATCH', `/v1/speakers/${service.speakerId}`, { body: { enabled: true } });
  });

  test('of a revision with the same content keeps its number', async () => {
    const before = await service.assigned();
    const same = await service.revisionOf(['2001:db8::/32', '192.0.2.0/24']);
    await service.apply(same);
    const after = await service.assigned();
    expect(after).toMatchObject({ sequence: before.sequence, revision_id: same });
    expect(after.etag).not.toBe(before.etag);
  });

  test('is signed again before it expires, under its number', async () => {
    const before = await service.assigned();
    await service.database.admin("UPDATE speaker_bundle SET expires_at = now() + interval '80 hours'");
    const after = await service.assigned();
    expect(after.sequence).toBe(before.sequence);
    expect(after.etag).not.toBe(before.etag);
    expect(Date.parse(after.expires_at)).toBeGreaterThan(Date.now() + 160 * 3_600_000);
    const { manifest } = openBundle((await service.pull(after.bundle.url)).bytes, await service.reader());
    expect(manifest.expires_at).toBe(after.expires_at);
  });

  test('is good for as long as the setting says', async () => {
    await service.call('PATCH', '/v1/settings', { body: { bundle_valid_hours: 1 } });
    const { bundle, expires_at } = await service.assigned();
    expect(Date.parse(expires_at)).toBeLessThan(Date.now() + 3_700_000);
    const { bytes } = await service.pull(bundle.url);
    const late = await service.reader({ now: new Date(Date.now() + 3_700_000) });
    expect(refusal(() => openBundle(bytes, late))).toBe('bundle_expired');
    await service.call('PATCH', '/v1/settings', { body: { bundle_valid_hours: null } });
    expect(Date.parse((await service.assigned()).expires_at)).toBeGreaterThan(Date.now() + 160 * 3_600_000);
  });
});

describe('what changed since a revision', () => {
  const many = Array.from({ length: 3_000 }, (_, i) => `20.${i >> 8}.${i & 255}.${(i * 37) & 255}/32`);

  test('is sent where that is smaller, and makes the very bundle that is whole', async () => {
    const before = await service.revisionOf(many);
    await service.apply(before);
    const old = await service.assigned();
    const base = openBundle((await service.pull(old.bundle.url)).bytes, await service.reader());
    await service.apply(await service.revisionOf([...many, '30.0.0.0/8']));
    const { bundle } = await service.assigned();
    const whole = await service.pull(bundle.url);
    const delta = await service.pull(`${bundle.url}&from=${before}`);
    expect(delta.bytes.length).toBeLessThan(whole.bytes.length / 2);
    expect(delta.headers.get('etag')).not.toBe(whole.headers.get('etag'));
    expect(delta.headers.get('content-length')).toBe(String(delta.bytes.length));
    const at = { contentHash: base.manifest.content_hash, table: base.routes.table };
    const opened = openBundle(delta.bytes, await service.reader({ base: at }));
    expect(Buffer.concat(packBundle(opened.files)).equals(whole.bytes)).toBe(true);
    expect(digestPieces(packBundle(opened.files)).sha256).toBe(bundle.sha256);
  });

  test('is never larger than the whole, and is the whole for a revision that nobody has', async () => {
    const before = await service.revisionOf(['40.0.0.0/8']);
    await service.apply(await service.revisionOf(['50.0.0.0/8']));
    const { bundle } = await service.assigned();
    const whole = await service.pull(bundle.url);
    for (const from of [before, '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77']) {
      const { bytes } = await service.pull(`${bundle.url}&from=${from}`);
      expect(bytes.length).toBeLessThanOrEqual(whole.bytes.length);
    }
    expect((await service.node('GET', `${bundle.url}&from=x`)).status).toBe(422);
  });
});

describe('a node receives nothing of other speakers', () => {
  test.each(['/revisions/latest', '/bundle/0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77'])('%s', async (rest) => {
    const body = { name: `foreign ${rest.length}`, mode: 'agent', local_asn: 64512 };
    const foreign = await service.make('/v1/speakers', body, service.other.keys.operator);
    const answers = await Promise.all(
      ['0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c78', service.fixtures.speaker!, foreign.id].map(async (id) => {
        const { status, text, body } = await service.node('GET', `/v1/speakers/${id}${rest}`);
        return { status, text: text.replaceAll(id, 'ID').replaceAll(String(body.request_id), '') };
      }),
    );
    expect(answers[0]!.status).toBe(404);
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
  });

  test('not of another revision of its own speaker either', async () => {
    const other = await service.revisionOf(['99.0.0.0/8']);
    expect((await service.pull(`/v1/speakers/${service.speakerId}/bundle/${other}`)).status).toBe(404);
    const { bundle } = await service.assigned();
    expect((await service.pull(bundle.url.replace('issue=', 'issue=9'))).status).toBe(404);
  });
});

describe('signing keys', () => {
  test('are those of the tenant, and every role may read them', async () => {
    for (const key of Object.values(service.tenant.keys))
      expect((await service.call('GET', '/v1/bundles/signing-key', { key })).status).toBe(200);
    const [ours] = await service.signingKeys();
    const [theirs] = await service.signingKeys(service.other);
    expect(ours).toMatchObject({ algorithm: 'Ed25519', active: true, not_after: null, endorsed_by: null });
    expect(theirs!.key_id).not.toBe(ours!.key_id);
    const pem = createPublicKey(ours!.public_key_pem).export({ format: 'jwk' });
    expect(pem.x).toBe(Buffer.from(ours!.public_key, 'base64').toString('base64url'));
  });

  test('are only turned by who may change settings', async () => {
    for (const role of ['viewer', 'node', 'firewall', 'super_viewer'] as const) {
      const key = service.tenant.keys[role];
      expect((await service.call('POST', '/v1/bundles/signing-key/rotate', { key, body: {} })).status).toBe(
        403,
      );
    }
  });

  test('are announced before they sign, and bundles of the old one stay good', async () => {
    const before = await service.assigned();
    const pinned = await service.signingKeys();
    const rotated = await service.call('POST', '/v1/bundles/signing-key/rotate', { body: {} });
    expect(rotated.status).toBe(200);
    const [old, announced] = (rotated.body as unknown as SigningKeys).items;
    expect(old).toMatchObject({ key_id: pinned[0]!.key_id, active: true });
    expect(announced).toMatchObject({ active: false, not_after: null, endorsed_by: old!.key_id });
    // Who has the key of before learns the next one from a bundle.
    const after = await service.assigned();
    expect(after.sequence).toBe(before.sequence);
    const opened = openBundle(
      (await service.pull(after.bundle.url)).bytes,
      await service.reader({ trusted: pinned }),
    );
    expect(opened.manifest.announced_keys.map(({ key_id: id }) => id)).toEqual([
      old!.key_id,
      announced!.key_id,
    ]);
    const again = await service.call('POST', '/v1/bundles/signing-key/rotate', { body: {} });
    expect({ status: again.status, code: again.body.code }).toEqual({ status: 409, code: 'conflict' });

    const now = await service.call('POST', '/v1/bundles/signing-key/rotate', {
      body: { announce_seconds: 0 },
    });
    expect((now.body as unknown as SigningKeys).items.map(({ active }) => active)).toEqual([false, true]);
    // Who was away all the time learns it from the word of the old one.
    const { bytes } = await service.pull((await service.assigned()).bundle.url);
    const stranger = await service.reader({ trusted: pinned });
    expect(refusal(() => openBundle(bytes, stranger))).toBe('key_unknown');
    const trusted = trustEndorsed(service.tenant.id, pinned, await service.signingKeys());
    expect(refusal(() => openBundle(bytes, { ...stranger, trusted }))).toBeNull();
  });

  test('take over when their time has come, and forget their private part when it is over', async () => {
    const before = await service.assigned();
    await service.call('POST', '/v1/bundles/signing-key/rotate', { body: { announce_seconds: 3_600 } });
    const [announced] = (await service.signingKeys()).slice(-1);
    await service.assigned();
    await service.database.admin('UPDATE signing_key SET not_before = now() WHERE key_id = $1', [
      announced!.key_id,
    ]);
    const { bundle, sequence } = await service.assigned();
    expect(sequence).toBe(before.sequence);
    const { manifest } = openBundle((await service.pull(bundle.url)).bytes, await service.reader());
    expect(manifest.key_id).toBe(announced!.key_id);
    await service.call('POST', '/v1/bundles/signing-key/rotate', { body: { announce_seconds: 0 } });
    const kept = await service.database.admin<{ kept: boolean }>(
      `SELECT private_sealed IS NOT NULL AS kept FROM signing_key WHERE tenant_id = $1 ORDER BY not_before`,
      [service.tenant.id],
    );
    expect(kept.map((row) => row.kept)).toEqual([false, false, false, true]);
  });

  test('that begin later again, since the clock of the database was set back, can be made to begin', async () => {
    const path = '/v1/bundles/signing-key/rotate';
    await service.call('POST', path, { body: { announce_seconds: 0 } });
    const [pinned, next] = (await service.signingKeys()).slice(-2);
    // As by a clock that was a year ahead at the rotation.
    await service.database.admin(
      `UPDATE signing_key SET not_before = not_before + interval '1 year' WHERE key_id = $1`,
      [next!.key_id],
    );
    await service.apply(await service.revisionOf(['78.0.0.0/8']));
    const refused = await service.latest();
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 409, code: 'conflict' });
    const { status, text } = await service.call('POST', path, { body: { announce_seconds: 0 } });
    expect(status, text).toBe(200);
    const { bytes } = await service.pull((await service.assigned()).bundle.url);
    expect(openBundle(bytes, await service.reader()).manifest.key_id).toBe(next!.key_id);
    const trusted = trustEndorsed(service.tenant.id, [pinned!], await service.signingKeys());
    expect(trusted.map(({ key_id: id }) => id)).toContain(next!.key_id);
  });

  test('can be replaced when nobody can open them any more', async () => {
    const [pinned] = (await service.signingKeys()).filter(({ active }) => active);
    // As after a start with another APP_SECRET_KEY.
    await service.database.admin("UPDATE signing_key SET private_sealed = decode('01', 'hex')");
    await service.apply(await service.revisionOf(['77.0.0.0/8']));
    const refused = await service.latest();
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 409, code: 'conflict' });
    const path = '/v1/bundles/signing-key/rotate';
    const { status, body } = await service.call('POST', path, { body: { announce_seconds: 0 } });
    expect(status).toBe(200);
    const next = (body as unknown as SigningKeys).items.at(-1)!;
    expect(next).toMatchObject({ active: true, endorsed_by: null });
    const { bytes } = await service.pull((await service.assigned()).bundle.url);
    expect(openBundle(bytes, await service.reader()).manifest.key_id).toBe(next.key_id);
    const trusted = trustEndorsed(service.tenant.id, [pinned!], await service.signingKeys());
    expect(trusted.map(({ key_id: id }) => id)).not.toContain(next.key_id);
  });

  test('can be turned by several at once', async () => {
    const turns = Array.from({ length: 8 }, () =>
      service.call('POST', '/v1/bundles/signing-key/rotate', { body: { announce_seconds: 0 } }),
    );
    expect((await Promise.all(turns)).map(({ status }) => status)).toEqual(Array(8).fill(200));
    const active = (await service.signingKeys()).filter((key) => key.active);
    expect(active).toMatchObject([{ not_after: null }]);
  });

  test('are not turned without end: every bundle reports all that are good', async () => {
    const turn = () =>
      service.call('POST', '/v1/bundles/signing-key/rotate', { body: { announce_seconds: 0 } });
    let answer = await turn();
    for (let turns = 0; turns < 60 && answer.status === 200; turns++) answer = await turn();
    expect({ status: answer.status, code: answer.body.code }).toEqual({ status: 409, code: 'conflict' });
    const { bytes } = await service.pull((await service.assigned()).bundle.url);
    expect(openBundle(bytes, await service.reader()).manifest.announced_keys).toHaveLength(50);
  });
});
