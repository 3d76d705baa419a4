import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { STREAMS_OF_A_KEY, STREAMS_OF_A_TENANT } from '../../../src/http/live/open-streams.ts';
import { waitFor } from '../../daemons/wait.ts';
import { EventReader } from './event-reader.ts';
import { makeTenant, plantKey, startService, type TestService } from '../service.ts';

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

test(`no more than ${STREAMS_OF_A_TENANT} streams of a tenant, however many keys it has`, async () => {
  for (let n = 0; n < STREAMS_OF_A_TENANT / STREAMS_OF_A_KEY; n++) {
    const { secret } = await plantKey(service.database, service.tenant.id, 'viewer');
    for (let i = 0; i < STREAMS_OF_A_KEY; i++) expect(await follow(secret)).toBe(200);
  }
  const { status, body } = await service.call('GET', '/v1/events');
  expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' });
  expect(body.detail).toContain('Keys of the tenant');
  expect(await follow(service.other.keys.viewer)).toBe(200);
});

test(`no more than ${STREAMS_OF_A_KEY} streams of a key, until one is closed`, async () => {
  const { keys } = await makeTenant(service.database);
  for (let i = 0; i < STREAMS_OF_A_KEY; i++) expect(await follow(keys.viewer)).toBe(200);
  const { status, headers, body } = await service.call('GET', '/v1/events', { key: keys.viewer });
  expect({ status, code: body.code }).toEqual({ status: 429, code: 'rate_limited' });
  expect(headers.get('retry-after')).toBe('5');
  // Another key of the tenant is counted for itself.
  expect(await follow(keys.operator)).toBe(200);
  readers[0]!.close();
  await waitFor(async () => (await follow(keys.viewer)) === 200, { what: 'a free place' });
});
