import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer } from '../../../src/http/server/server.ts';
import type { AddressInfo } from 'node:net';
import { sweepIdempotencyKeys } from '../../../src/store/idempotency.ts';
import { lockModuleEntries } from '../../../src/store/entries/entry-sets.ts';
import { callApi, newMetrics, startService, type Answered, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

let serial = 0;
function community() {
  return { community: `64999:${++serial}`, title: `number ${serial}` };
}

async function count(): Promise<number> {
  const [row] = await service.database.admin<{ n: number }>(
    'SELECT count(*)::integer AS n FROM community WHERE tenant_id = $1',
    [service.tenant.id],
  );
  return row!.n;
}

/** Keeps others from changing the module's entries until it is released. */
async function holdModule(id: string): Promise<{ holding: Promise<unknown>; release: () => void }> {
  const held = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const holding = service.database.db.inTenant(service.tenant.id, async (tx) => {
    await lockModuleEntries(tx, id);
    held.resolve();
    await released.promise;
  });
  await held.promise;
  return { holding, release: released.resolve };
}

async function waitingForLocks(): Promise<number> {
  const [row] = await service.database.admin<{ n: number }>(
    `SELECT count(*)::integer AS n FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  );
  return row!.n;
}

const withKey = (key: string) => ({ 'idempotency-key': key });

describe('a repetition', () => {
  test('answers as the first did, and does nothing', async () => {
    const call = { body: community(), headers: withKey('repeat-1') };
    const first = await service.call('POST', '/v1/communities', call);
    const before = await count();
    const again = await service.call('POST', '/v1/communities', call);
    expect(again.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    for (const header of ['location', 'etag', 'content-type'])
      expect(again.headers.get(header)).toBe(first.headers.get(header));
    expect(await count()).toBe(before);
  });

  test('of PATCH and DELETE as well', async () => {
    const made = await service.make('/v1/communities', community());
    const path = `/v1/communities/${made.id}`;
    const patch = { body: { title: 'new' }, headers: withKey('patch-1') };
    const patched = await service.call('PATCH', path, patch);
    expect((await service.call('PATCH', path, patch)).text).toBe(patched.text);
    const remove = { headers: withKey('delete-1') };
    expect((await service.call('DELETE', path, remove)).status).toBe(204);
    const again = await service.call('DELETE', path, remove);
    expect(again.status).toBe(204);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect((await service.call('DELETE', path)).status).toBe(404);
  });

  test('of a refusal answers the refusal', async () => {
    const body = community();
    await service.make('/v1/communities', body);
    const call = { body, headers: withKey('refusal-1') };
    const first = await service.call('POST', '/v1/communities', call);
    expect(first.status).toBe(409);
    const again = await fetch(`${service.url}/v1/communities`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${service.tenant.keys.operator}`,
        'content-type': 'application/json',
        ...call.headers,
      },
    });
    expect(again.status).toBe(409);
    expect(again.headers.get('content-type')).toBe('application/problem+json');
    expect(await again.text()).toBe(first.text);
  });

  test('of what was refused for now only is free, as that refusal says', async () => {
    const module = await service.make('/v1/modules', { name: 'busy', type: 'AS_PREFIXES' });
    const path = `/v1/modules/${module.id}/entries.csv`;
    const load = (key: string) =>
      service.call('POST', path, {
        body: 'asn\r\n13335\r\n',
        headers: { 'content-type': 'text/csv', ...withKey(key) },
      });
    const { holding, release } = await holdModule(module.id);
    const running = Array.from({ length: 2 }, (_, index) => load(`import-${index}`));
    await expect.poll(() => waitingForLocks()).toBe(2);
    const refused = await load('import-5');
    expect({ status: refused.status, code: refused.body.code }).toEqual({
      status: 429,
      code: 'rate_limited',
    });
    expect(refused.headers.get('retry-after')).not.toBeNull();
    release();
    await holding;
    for (const { status, text } of await Promise.all(running)) expect(status, text).toBe(200);
    expect((await load('import-5')).status).toBe(200);
  });

  test('of values that were not valid is free: nothing had begun', async () => {
    const headers = withKey('invalid-1');
    expect((await service.call('POST', '/v1/communities', { body: { title: 1 }, headers })).status).toBe(422);
    expect((await service.call('POST', '/v1/communities', { body: community(), headers })).status).toBe(201);
  });
});

test('of values that only the service could find wrong is free: they can be fixed under the same key', async () => {
  const headers = withKey('mended-1');
  const make = (community_id: string | null) =>
    service.call('POST', '/v1/modules', {
      body: { name: 'mended', type: 'IP_RANGES', community_id },
      headers,
    });
  const refused = await make('0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77');
  expect({ status: refused.status, code: refused.body.code }).toEqual({
    status: 422,
    code: 'validation_failed',
  });
  const made = await make(null);
  expect(made.status).toBe(201);
  const again = await make(null);
  expect(again.text).toBe(made.text);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

describe('422 idempotency_key_reused', () => {
  test('another body, path or method under the same key', async () => {
    const made = await service.make('/v1/communities', community());
    const headers = withKey('reuse-1');
    await service.call('POST', '/v1/communities', { body: community(), headers });
    const path = `/v1/communities/${made.id}`;
    for (const answer of [
      await service.call('POST', '/v1/communities', { body: community(), headers }),
      await service.call('PATCH', path, { body: { title: 'x' }, headers }),
      await service.call('DELETE', path, { headers }),
    ])
      expect({ status: answer.status, code: answer.body.code }).toEqual({
        status: 422,
        code: 'idempotency_key_reused',
      });
  });

  test('but keys of different callers are apart', async () => {
    const headers = withKey('apart-1');
    const key = service.tenant.keys.super_admin;
    const ours = await service.call('POST', '/v1/communities', { body: community(), headers });
    const theirs = await service.call('POST', '/v1/communities', { body: community(), headers, key });
    expect(theirs.status).toBe(201);
    expect(theirs.body.id).not.toBe(ours.body.id);
  });
});

test('400: a key that is none', async () => {
  for (const key of ['with blank', 'x'.repeat(256), 'ümlaut'.replace('ü', '\u00fc')]) {
    const { status, body } = await service.call('POST', '/v1/communities', {
      body: community(),
      headers: withKey(key),
    });
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'malformed_request' });
  }
});

test('of twenty at once, over two servers, one does the work', async () => {
  const { dependencies, tenant } = service;
  const second = await createServer({ ...dependencies, metrics: newMetrics() });
  await second.listen({ host: '127.0.0.1', port: 0 });
  try {
    const urls = [service.url, `http://127.0.0.1:${(second.server.address() as AddressInfo).port}`];
    const call = { key: tenant.keys.operator, body: community(), headers: withKey('crowd-1') };
    const before = await count();
    const ask = (index: number): Promise<Answered> =>
      callApi(urls[index % 2]!, 'POST', '/v1/communities', call);
    const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ask(index)));
    expect(await count()).toBe(before + 1);
    for (const { status, body, headers } of answers)
      if (status !== 201) {
        expect({ status, code: body.code }).toEqual({ status: 409, code: 'idempotency_in_progress' });
        expect(headers.get('retry-after')).toBe('1');
      }
    expect(
      answers.filter(({ status, headers }) => status === 201 && !headers.has('idempotency-replayed')),
    ).toHaveLength(1);
    const later = await ask(1);
    expect(later.headers.get('idempotency-replayed')).toBe('true');
    expect(later.text).toBe(answers.find(({ status }) => status === 201)!.text);
  } finally {
    await second.close();
  }
});

test('a new key is repeated with its secret, which the database does not hold in clear', async () => {
  const call = { body: { name: 'kept', role: 'viewer' }, headers: withKey('secret-1') };
  const first = await service.call('POST', '/v1/api-keys', call);
  const secret = String(first.body.secret);
  expect((await service.call('POST', '/v1/api-keys', call)).body.secret).toBe(secret);
  const [row] = await service.database.admin<{ row: string; answer: Buffer }>(
    "SELECT idempotency_key::text AS row, answer FROM idempotency_key WHERE key = 'secret-1'",
  );
  expect(row!.row).not.toContain(secret);
  expect(row!.answer.toString('latin1')).not.toContain(secret.slice(5, 20));
});

test('a key is free again after 24 hours', async () => {
  const headers = withKey('old-1');
  await service.call('POST', '/v1/communities', { body: community(), headers });
  await service.database.admin(
    "UPDATE idempotency_key SET created_at = created_at - interval '25 hours', claimed_at = claimed_at - interval '25 hours' WHERE key = 'old-1'",
  );
  const { status, headers: answered } = await service.call('POST', '/v1/communities', {
    body: community(),
    headers,
  });
  expect(status).toBe(201);
  expect(answered.get('idempotency-replayed')).toBeNull();
});

test('long answers take little room, the latest of a tenant are kept up to a limit, and those of others stay', async () => {
  const { id: moduleId } = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  const path = `/v1/modules/${moduleId}/ip-range-entries`;
  const add = (at: number): Promise<Answered> =>
    service.call('POST', path, {
      body: {
        items: Array.from({ length: 500 }, (_, index) => ({
          cidr: `45.${at}.${index >> 8}.${index & 255}/32`,
          note: 'n'.repeat(400),
        })),
      },
      headers: withKey(`long-${at}`),
    });
  const first = await add(1);
  expect(first.status, first.text).toBe(201);
  await add(2);
  const other = {
    body: { community: '64998:1', title: 'theirs' },
    headers: withKey('theirs'),
    key: service.other.keys.operator,
  };
  await service.call('POST', '/v1/communities', other);
  const bytes = async (): Promise<Record<string, number>> => {
    const rows = await service.database.admin<{ key: string; bytes: number }>(
      "SELECT key, octet_length(answer) AS bytes FROM idempotency_key WHERE key LIKE 'long-%' OR key = 'theirs'",
    );
    return Object.fromEntries(rows.map((row) => [row.key, row.bytes]));
  };
  const kept = await bytes();
  expect(kept['long-1']).toBeLessThan(first.text.length / 5);

  await service.database.db.inTenant(service.tenant.id, (tx) => sweepIdempotencyKeys(tx, kept['long-2']));
  expect(Object.keys(await bytes()).sort()).toEqual(['long-2', 'theirs']);
  const again = await add(2);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(again.text.match(/"cidr"/g)).toHaveLength(500);
});

test('an answer that an earlier version kept is read as it is', async () => {
  const call = { body: community(), headers: withKey('earlier') };
  const first = await service.call('POST', '/v1/communities', call);
  const { id: apiKeyId } = (
    await service.database.admin<{ id: string }>(
      "SELECT api_key_id AS id FROM idempotency_key WHERE key = 'earlier'",
    )
  )[0]!;
  const kept = JSON.stringify({ status: 201, headers: {}, body: first.text });
  const answer = service.dependencies.secrets.seal(
    kept,
    `idempotency ${service.tenant.id} ${apiKeyId} earlier`,
  );
  await service.database.admin("UPDATE idempotency_key SET answer = $1 WHERE key = 'earlier'", [answer]);
  const again = await service.call('POST', '/v1/communities', call);
  expect(again.text).toBe(first.text);
});

test('a claim whose process died is taken over', async () => {
  const headers = withKey('dead-1');
  const body = community();
  await service.call('POST', '/v1/communities', { body, headers });
  await service.database.admin('DELETE FROM community WHERE community = $1', [body.community]);
  const abandon = (age: string) =>
    service.database.admin(
      `UPDATE idempotency_key SET answer = NULL, claimed_at = now() - interval '${age}' WHERE key = 'dead-1'`,
    );
  await abandon('5 seconds');
  expect((await service.call('POST', '/v1/communities', { body, headers })).status).toBe(409);
  await abandon('2 minutes');
  expect((await service.call('POST', '/v1/communities', { body, headers })).status).toBe(201);
});
