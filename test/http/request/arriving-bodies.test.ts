import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ArrivingBodies } from '../../../src/http/connections/arriving-bodies.ts';
import { waitFor } from '../../daemons/wait.ts';
import { HalfSent } from './half-sent.ts';
import { startService, type TestService } from '../service.ts';

const MEBIBYTE = 1024 * 1024;

describe('room for bodies', () => {
  test('a tenant has no more than its own, and others have theirs', () => {
    const bodies = new ArrivingBodies();
    const give = [bodies.hold('loud', 64 * MEBIBYTE), bodies.hold('loud', 64 * MEBIBYTE)];
    expect(() => bodies.hold('loud', 1)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    bodies.hold('quiet', 64 * MEBIBYTE);
    for (const back of [...give, ...give]) back();
    expect(bodies.bytes).toBe(64 * MEBIBYTE);
    bodies.hold('loud', 128 * MEBIBYTE);
  });

  test('small bodies count for what a request takes', () => {
    const bodies = new ArrivingBodies();
    let count = 0;
    const fill = (): void => {
      for (; count < 10_000; count++) bodies.hold('loud', 1);
    };
    expect(fill).toThrow('128 MiB');
    expect(count).toBe(2048);
  });

  test('where all is taken, a tenant that has nothing still sends a small body', () => {
    const bodies = new ArrivingBodies();
    for (const tenant of ['a', 'b', 'c', 'd']) bodies.hold(tenant, 128 * MEBIBYTE);
    expect(() => bodies.hold('quiet', 2 * MEBIBYTE)).toThrow(expect.objectContaining({ code: 'busy' }));
    bodies.hold('quiet', MEBIBYTE);
    expect(() => bodies.hold('quiet', MEBIBYTE)).toThrow(expect.objectContaining({ code: 'busy' }));
  });
});

describe('slow uploads over HTTP', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const uploads: HalfSent[] = [];
  const breakOff = (): void => {
    for (const upload of uploads.splice(0)) upload.end();
  };
  afterEach(breakOff);

  const importing = (key: string, module: string): Promise<number> =>
    service
      .call('POST', `/v1/modules/${module}/entries.csv`, {
        ...{ key, body: 'cidr\r\n8.8.8.0/24\r\n', headers: { 'content-type': 'text/csv' } },
      })
      .then(({ status }) => status);

  test.each([
    ['with their length', 'entries.csv', ['Content-Type: text/csv', `Content-Length: ${64 * MEBIBYTE}`], 2],
    ['in chunks', 'ip-range-entries', ['Content-Type: application/json', 'Transfer-Encoding: chunked'], 8],
  ])('%s fill the room of their tenant only, as long as they last', async (_, path, head, most) => {
    const make = (key: string) =>
      service.make('/v1/modules', { name: `for ${path}`, type: 'IP_RANGES' }, key).then(({ id }) => id);
    const key = service.other.keys.operator;
    const [module, others] = [await make(service.tenant.keys.operator), await make(key)];
    const begin = () =>
      new HalfSent(service.url, service.tenant.keys.operator, `/v1/modules/${module}/${path}`, head);
    uploads.push(...Array.from({ length: 20 }, begin));
    const refused = (): string[] => uploads.map(({ answer }) => answer).filter((answer) => answer !== '');
    await waitFor(() => refused().length >= 20 - most, { what: 'the others to be refused' });
    for (const answer of refused()) {
      expect(answer).toMatch(/^HTTP\/1.1 429 /);
      expect(answer).toMatch(/retry-after: 2/i);
    }
    expect(refused()).toHaveLength(20 - most);
    expect(await importing(key, others)).toBe(200);
    breakOff();
    const isFree = async (): Promise<boolean> =>
      (await importing(service.tenant.keys.operator, module)) === 200;
    await waitFor(isFree, { what: 'the room to be given back' });
  });
});
