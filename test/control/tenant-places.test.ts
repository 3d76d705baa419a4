/** Places of a process for what takes long, in the hands of several tenants. */
import { expect, test } from 'vitest';
import { TenantPlaces } from '../../src/control/tenant-places.ts';

/** Work that goes on until it is ended. */
function working(): { readonly begin: () => Promise<void>; end(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { begin: () => promise, end: resolve };
}

const REFUSED = { code: 'rate_limited', status: 429 };

test('tenants that fill all the places they may have leave some to one that has none', async () => {
  const places = new TenantPlaces({ inAll: 8, ofTenant: 2, what: 'previews are being read', retryAfter: 2 });
  const work = working();
  const running: Promise<void>[] = [];
  const take = (tenant: string): void => void running.push(places.take(tenant, work.begin));
  for (const tenant of ['a', 'b', 'c']) {
    take(tenant);
    take(tenant);
  }
  take('d');
  // A second one of its own would be the last but one.
  await expect(places.take('d', work.begin)).rejects.toMatchObject({
    ...REFUSED,
    message: expect.stringContaining('7 previews are being read already') as string,
  });
  await expect(places.take('a', work.begin)).rejects.toMatchObject(REFUSED);
  take('e');
  await expect(places.take('f', work.begin)).rejects.toMatchObject(REFUSED);
  work.end();
  await Promise.all(running);
  await places.take('f', () => Promise.resolve());
});
