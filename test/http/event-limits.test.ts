import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { STREAMS_OF_A_KEY, STREAMS_OF_A_TENANT } from '../../src/http/event-streams.ts';
import { mintApiKey } from '../../src/store/api-key-secret.ts';
import { insertApiKey } from '../../src/store/api-keys.ts';
import { EventReader } from './event-reader.ts';
import { startService, type TestService } from './service.ts';

let service: TestService;
const readers: EventReader[] = [];
beforeAll(async () => {
  service = await startService();
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(() => service.close());

async function follow(key: string): Promise<number> {
  const reader = await EventReader.open(`${service.url}/v1/events`, key);
  readers.push(reader);
  return reader.response.statusCode!;
}

async function newKey(name: string): Promise<string> {
  const { secret, ...minted } = mintApiKey('viewer');
  await service.database.db.inTenant(service.tenant.id, (tx) =>
    insertApiKey(tx, { name, role: 'viewer', ...minted, created_by: null }),
  );
  return secret;
}

test(`no more than ${STREAMS_OF_A_TENANT} streams of a tenant, however many keys it has`, async () => {
  for (let n = 0; n < STREAMS_OF_A_TENANT / STREAMS_OF_A_KEY; n++) {
    const key = await newKey(`key ${n}`);
    for (let i = 0; i < STREAMS_OF_A_KEY; i++) expect(await follow(key)).toBe(200);
  }
  const { status, body } = await service.call('GET', '/v1/events');
  expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' });
  expect(body.detail).toContain('Keys of the tenant');
  expect(await follow(service.other.keys.viewer)).toBe(200);
});
