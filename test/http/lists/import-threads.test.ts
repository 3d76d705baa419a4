/** A thread takes a quarter of a second to start, and an import holds a connection and locks meanwhile. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let started = 0;
const count = (): void => void started++;
beforeAll(async () => {
  service = await startService();
  process.on('worker', count);
});
afterAll(async () => {
  process.off('worker', count);
  await service.close();
});

/** An import of so many ranges. @returns how many threads were started for it */
async function threadsFor(module: string, ranges: number): Promise<number> {
  const before = started;
  const lines = Array.from({ length: ranges }, (_, n) => `9.${(n >> 8) & 255}.${n & 255}.0/24,a note`);
  const { status, body } = await service.call('POST', `/v1/modules/${module}/entries.csv?mode=replace`, {
    body: ['cidr,note', ...lines, ''].join('\r\n'),
    headers: { 'content-type': 'text/csv' },
  });
  expect({ status, created: body.created }).toEqual({ status: 200, created: expect.any(Number) as unknown });
  return started - before;
}

test('a small file is read without a thread, a large one in one', async () => {
  const { id } = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
  expect(await threadsFor(id, 1)).toBe(0);
  expect(await threadsFor(id, 1_000)).toBe(0);
  expect(await threadsFor(id, 10_000)).toBe(1);
  expect(await threadsFor(id, 1)).toBe(0);
});
