import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { BodyPace } from '../../../src/http/connections/body-pace.ts';
import { startService, type TestService } from '../service.ts';

// Other files share the process.
afterEach(() => vi.restoreAllMocks());

const MEBIBYTE = 1024 * 1024;

describe('the pace of bodies', () => {
  test('the first mebibytes come at once, then eight a second; others have their own', () => {
    let now = 0;
    const pace = new BodyPace(() => now);
    expect(pace.take('loud', 4 * MEBIBYTE)).toBe(0);
    expect(pace.take('loud', 4 * MEBIBYTE)).toBe(500);
    expect(pace.take('loud', 4 * MEBIBYTE)).toBe(1_000);
    expect(pace.take('quiet', 4 * MEBIBYTE)).toBe(0);
    now = 1_000;
    expect(pace.take('loud', 8 * MEBIBYTE)).toBe(1_000);
    // Nobody saves up more than the first mebibytes.
    now = 60_000;
    expect(pace.take('loud', 4 * MEBIBYTE)).toBe(0);
    expect(pace.take('loud', MEBIBYTE)).toBe(125);
  });

  test('of many tenants those are remembered that sent much', () => {
    let now = 0;
    const pace = new BodyPace(() => now);
    pace.take('loud', 400 * MEBIBYTE);
    now = 1_000;
    for (let n = 0; n < 5_000; n++) pace.take(`tenant ${n}`, n % 2);
    expect(pace.take('loud', 0)).toBe(48_500);
  });
});

describe('over HTTP', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  test('a body of which each piece has to wait arrives whole, and is counted for its tenant', async () => {
    const take = vi.spyOn(BodyPace.prototype, 'take').mockReturnValue(2);
    const { id } = await service.make('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
    take.mockClear();
    const body = `{"cidr":"8.8.8.0/24","note":"paced"}${' '.repeat(MEBIBYTE)}`;
    const { status } = await service.call('POST', `/v1/modules/${id}/ip-range-entries`, { body });
    expect(status).toBe(201);
    const tenants = new Set(take.mock.calls.map(([tenantId]) => tenantId));
    expect([...tenants]).toEqual([service.tenant.id]);
    expect(take.mock.calls.reduce((sum, [, bytes]) => sum + bytes, 0)).toBe(body.length);
  });
});
