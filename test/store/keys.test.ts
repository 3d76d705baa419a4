import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashApiKey, mintApiKey } from '../../src/store/keys/api-key-secret.ts';
import {
  authenticateApiKey,
  getApiKey,
  insertApiKey,
  listApiKeys,
  revokeApiKey,
  updateApiKey,
} from '../../src/store/keys/api-keys.ts';
import { bootstrap } from '../../src/store/tenants/bootstrap.ts';
import {
  claimIdempotencyKey,
  finishIdempotencyKey,
  releaseIdempotencyKey,
} from '../../src/store/idempotency.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

let database: TestDatabase;
let tenantId: string;

beforeAll(async () => {
  database = await createTestDatabase();
  tenantId = await database.createTenant('acme');
});
afterAll(() => database.close());

async function makeKey(expires_at: string | null = null) {
  const { secret, ...minted } = mintApiKey('operator');
  const { resource } = await database.db.inTenant(tenantId, (tx) =>
    insertApiKey(tx, { name: 'robot', role: 'operator', expires_at, ...minted, created_by: 'cli' }),
  );
  return { secret, id: resource.id, resource };
}

const authenticate = (secret: string) =>
  database.db.inSystem((tx) => authenticateApiKey(tx, hashApiKey(secret)));

test('a key authenticates as its tenant and role; its secret is nowhere', async () => {
  const { secret, resource } = await makeKey();
  expect(await authenticate(secret)).toEqual({
    tenant: { id: tenantId, slug: 'acme', name: 'acme', status: 'active' },
    key: { id: resource.id, name: 'robot', prefix: resource.prefix, expires_at: null },
    expires_in: null,
    role: 'operator',
    speaker: null,
    firewallClient: null,
    isEnrollment: false,
    browserSession: null,
  });
  expect(await authenticate(mintApiKey('operator').secret)).toBeNull();
  const stored = await database.admin('SELECT api_key::text AS row FROM api_key');
  expect(JSON.stringify(stored)).not.toContain(secret);
});

test('an expiring key comes with its remaining time', async () => {
  const [row] = await database.admin<{ soon: string }>("SELECT now() + interval '1 hour' AS soon");
  const { secret } = await makeKey(new Date(row!.soon).toISOString());
  const { expires_in: seconds } = (await authenticate(secret))!;
  expect(seconds).toBeGreaterThan(3_500);
  expect(seconds).toBeLessThanOrEqual(3_600);
});

test('the use of a key is noted at most once a minute', async () => {
  const { secret, id } = await makeKey();
  const used = async () =>
    (await database.db.inTenant(tenantId, (tx) => getApiKey(tx, id))).resource.last_used_at;
  expect(await used()).toBeNull();
  await authenticate(secret);
  const first = await used();
  expect(first).not.toBeNull();
  await authenticate(secret);
  expect(await used()).toBe(first);
  await database.admin("UPDATE api_key SET last_used_at = now() - interval '2 minutes' WHERE id = $1", [id]);
  await Promise.all(Array.from({ length: 8 }, () => authenticate(secret)));
  expect(Date.parse((await used())!)).toBeGreaterThanOrEqual(Date.parse(first!));
});

test('a revoked or expired key is none, and stays listed', async () => {
  const revoked = await makeKey();
  await database.db.inTenant(tenantId, (tx) => revokeApiKey(tx, revoked.id, null));
  expect(await authenticate(revoked.secret)).toBeNull();
  const expired = await makeKey('2020-01-01T00:00:00Z');
  expect(await authenticate(expired.secret)).toBeNull();
  await database.db.inTenant(tenantId, (tx) => updateApiKey(tx, expired.id, { expires_at: null }, null));
  expect(await authenticate(expired.secret)).not.toBeNull();
  const { items } = await database.db.inTenant(tenantId, (tx) =>
    listApiKeys(tx, { role: 'operator', q: 'ROBOT' }),
  );
  expect(items.find(({ id }) => id === revoked.id)?.revoked_at).not.toBeNull();
});

test('a rotated key is good until its moment has come', async () => {
  const { secret, id } = await makeKey();
  const rotate =
    "UPDATE api_key SET previous_secret_hash = secret_hash, secret_hash = sha256('new'), previous_valid_until = now() + $2::interval WHERE id = $1";
  await database.admin(rotate, [id, '1 hour']);
  expect(await authenticate(secret)).not.toBeNull();
  await database.admin(
    "UPDATE api_key SET previous_valid_until = now() - interval '1 second' WHERE id = $1",
    [id],
  );
  expect(await authenticate(secret)).toBeNull();
});

test('the first start makes tenant, speaker and key once, however many processes start', async () => {
  const secrets = Array.from({ length: 6 }, () => mintApiKey('super_admin').secret);
  const starts = await Promise.all(
    secrets.map((secret) => database.db.inSystem((tx) => bootstrap(tx, secret, false))),
  );
  expect(starts.filter(({ keyCreated }) => keyCreated)).toHaveLength(1);
  const winner = secrets[starts.findIndex(({ keyCreated }) => keyCreated)]!;
  expect(await authenticate(winner)).toMatchObject({ tenant: { slug: 'default' }, role: 'super_admin' });
  const speakers = await database.admin(
    "SELECT s.name, local_asn FROM speaker s JOIN tenant t ON t.id = s.tenant_id AND t.slug = 'default'",
  );
  expect(speakers).toEqual([{ name: 'builtin', local_asn: '64512' }]);
});

test('a key given by the operator is added to what is there, once', async () => {
  const { secret } = mintApiKey('super_admin');
  const start = () => database.db.inSystem((tx) => bootstrap(tx, secret, true));
  expect((await start()).keyCreated).toBe(true);
  expect((await start()).keyCreated).toBe(false);
  expect(await authenticate(secret)).toMatchObject({ tenant: { slug: 'default' } });
});

const HASH = Buffer.alloc(32, 1);
const claim = (apiKeyId: string, key: string, requestHash = HASH) =>
  database.db.inTenant(tenantId, (tx) => claimIdempotencyKey(tx, { apiKeyId, key, requestHash }));
const finish = (apiKeyId: string, key: string, claimId: string) =>
  database.db.inTenant(tenantId, (tx) =>
    finishIdempotencyKey(tx, apiKeyId, key, claimId, Buffer.from('answer')),
  );

test('of many claims at once one works, and the others get its answer afterwards', async () => {
  const { id } = await makeKey();
  const claims = await Promise.all(Array.from({ length: 8 }, () => claim(id, 'k')));
  const claimed = claims.filter((one) => one.state === 'claimed');
  expect(claimed).toHaveLength(1);
  expect(claims.filter((one) => one.state === 'running')).toHaveLength(7);
  expect(await finish(id, 'k', claimed[0]!.claimId)).toBe(true);
  expect(await claim(id, 'k')).toEqual({ state: 'finished', answer: Buffer.from('answer') });
  expect(await claim(id, 'k', Buffer.alloc(32, 2))).toEqual({ state: 'reused' });
  expect((await claim((await makeKey()).id, 'k')).state).toBe('claimed');
});

test('a claim of the dead is taken over after a minute, and its first owner comes too late', async () => {
  const { id } = await makeKey();
  const first = await claim(id, 'k');
  await database.admin(
    "UPDATE idempotency_key SET claimed_at = now() - interval '61 seconds' WHERE api_key_id = $1",
    [id],
  );
  expect(await claim(id, 'k', Buffer.alloc(32, 2))).toEqual({ state: 'reused' });
  const second = await claim(id, 'k');
  expect([first.state, second.state]).toEqual(['claimed', 'claimed']);
  if (first.state !== 'claimed' || second.state !== 'claimed') return;
  expect(await finish(id, 'k', first.claimId)).toBe(false);
  expect(await finish(id, 'k', second.claimId)).toBe(true);
});

test('a released claim is free, an answer is kept for a day', async () => {
  const { id } = await makeKey();
  const first = await claim(id, 'k');
  if (first.state !== 'claimed') throw new Error(first.state);
  await database.db.inTenant(tenantId, (tx) => releaseIdempotencyKey(tx, id, 'k', first.claimId));
  const second = await claim(id, 'k');
  if (second.state !== 'claimed') throw new Error(second.state);
  await finish(id, 'k', second.claimId);
  await database.db.inTenant(tenantId, (tx) => releaseIdempotencyKey(tx, id, 'k', second.claimId));
  expect((await claim(id, 'k')).state).toBe('finished');
  await database.admin(
    "UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE api_key_id = $1",
    [id],
  );
  expect((await claim(id, 'k', Buffer.alloc(32, 2))).state).toBe('claimed');
});
