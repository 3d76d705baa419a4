/** Plans of many writes, which are one request: what they leave to others, and when they end. */
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Door } from '../../../src/http/admission/door.ts';
import type { TenantRequest, TenantRoute } from '../../../src/http/route.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let path: string;
beforeAll(async () => {
  service = await startService();
  const { id } = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  path = `/v1/modules/${id}/ip-range-entries`;
});
// Other files share the process.
afterEach(() => vi.restoreAllMocks());
afterAll(() => service.close());

const body = (count: number): object => ({
  changes: Array.from({ length: count }, (_, n) => ({
    ...{ method: 'POST', path, body: { cidr: `9.9.${n}.0/24` } },
  })),
});

/** Looks at each write as it is carried out. */
function watch(around: (request: TenantRequest, write: () => Promise<unknown>) => Promise<unknown>) {
  const route = ROUTES.find(({ operation }) => operation === 'createIpRangeEntries') as TenantRoute;
  const handler = route.handler.bind(route);
  return vi
    .spyOn(route, 'handler')
    .mockImplementation((request) => around(request, () => handler(request)) as ReturnType<typeof handler>);
}

test('while others are here, each write is followed by a rest as long as it took', async () => {
  vi.spyOn(Door.prototype, 'isShared', 'get').mockReturnValue(true);
  const writes: { readonly from: number; readonly to: number }[] = [];
  watch(async (_request, write) => {
    const from = performance.now();
    const answer = await write();
    writes.push({ from, to: performance.now() });
    return answer;
  });
  const { status } = await service.call('POST', '/v1/revisions/plan', { body: body(20) });
  expect({ status, writes: writes.length }).toEqual({ status: 200, writes: 20 });
  for (const [index, { from }] of writes.entries()) {
    const before = writes[index - 1];
    if (before === undefined) continue;
    // The rest has an end, and a timer may be a millisecond early.
    expect(from - before.to).toBeGreaterThanOrEqual(Math.min(before.to - before.from, 25) - 1);
  }
});

test('one that nobody waits for any more ends at its next write, and the next plan has its turn', async () => {
  const client = new AbortController();
  const writes = watch(async ({ gone }, write) => {
    if (client.signal.aborted) return write();
    client.abort();
    await waitFor(() => gone.aborted, { what: 'the service to notice that its client is gone' });
    return write();
  });
  const headers = {
    authorization: `Bearer ${service.tenant.keys.operator}`,
    'content-type': 'application/json',
  };
  const asked = fetch(`${service.url}/v1/revisions/plan`, {
    ...{ method: 'POST', headers, body: JSON.stringify(body(100)), signal: client.signal },
  });
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  await waitFor(() => writes.mock.calls.length > 0, { what: 'the first write' });
  // It waits for the lock that the first one has.
  expect((await service.call('POST', '/v1/revisions/plan', { body: body(1) })).status).toBe(200);
  expect(writes.mock.calls.length).toBe(2);
});
