import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DiffMap, RevisionMap } from '../../../src/api/revisions/map.ts';
import { makeRevision } from '../fixtures.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let communityId: string;
beforeAll(async () => {
  service = await startService();
  communityId = (await service.make('/v1/communities', { community: '65000:100', title: 'x' })).id;
});
afterAll(() => service.close());

const revisionOf = (prefixes: readonly string[], community?: string) =>
  makeRevision(service, service.tenant, communityId, prefixes, community);

async function read<Map>(path: string): Promise<Map> {
  const { status, text, body } = await service.call('GET', `/v1/revisions/${path}`);
  expect(status, text).toBe(200);
  return body as unknown as Map;
}

/** Cells that are not empty, by their place. */
function cellsOf(text: string): Record<number, number> {
  const bytes = Buffer.from(text, 'base64');
  expect(bytes).toHaveLength(65_536);
  return Object.fromEntries([...bytes.entries()].filter(([, byte]) => byte > 0));
}

describe('the map of a revision', () => {
  test('shows how much of each /16 is announced', async () => {
    const id = await revisionOf(['8.8.8.0/24', '9.9.0.0/16', '10.0.0.0/15', '2001:4860::/32']);
    const { covered, ...frame } = await read<RevisionMap>(`${id}/map`);
    expect(frame).toEqual({ family: 'ipv4', within: '0.0.0.0/0', cell_length: 16 });
    const at = (first: number, second: number) => first * 256 + second;
    expect(cellsOf(covered)).toEqual({
      [at(8, 8)]: 1,
      [at(9, 9)]: 255,
      [at(10, 0)]: 255,
      [at(10, 1)]: 255,
    });
  });

  test('is refined by zooming in, down to single addresses', async () => {
    const id = await revisionOf(['8.8.8.0/24', '8.8.9.128/25']);
    const near = await read<RevisionMap>(`${id}/map?within=8.0.0.0/8`);
    expect(near).toMatchObject({ within: '8.0.0.0/8', cell_length: 24 });
    expect(cellsOf(near.covered)).toEqual({ [0x0808]: 255, [0x0809]: 128 });
    const nearest = await read<RevisionMap>(`${id}/map?within=8.8.0.0/16`);
    expect(nearest.cell_length).toBe(32);
    expect(Object.keys(cellsOf(nearest.covered))).toHaveLength(256 + 128);
    const inside = await read<RevisionMap>(`${await revisionOf(['8.0.0.0/7'])}/map?within=8.8.0.0/16`);
    expect(Object.keys(cellsOf(inside.covered))).toHaveLength(65_536);
  });

  test('of IPv6 begins where addresses are given out', async () => {
    const id = await revisionOf(['2000::/19', '2400::/16', '8.8.8.0/24']);
    const { covered, ...frame } = await read<RevisionMap>(`${id}/map?family=ipv6`);
    expect(frame).toEqual({ family: 'ipv6', within: '2000::/3', cell_length: 19 });
    const cells = cellsOf(covered);
    expect(Object.keys(cells)).toHaveLength(1 + 8);
    expect([cells[0], cells[0x2000]]).toEqual([255, 255]);
    const zoomed = await read<RevisionMap>(`${id}/map?within=2400::/112`);
    expect(Object.keys(cellsOf(zoomed.covered))).toHaveLength(65_536);
  });

  test('is kept for ever under an id, and asked for again under a name that moves', async () => {
    const id = await revisionOf(['8.8.8.0/24']);
    const { headers } = await service.call('GET', `/v1/revisions/${id}/map`);
    expect(headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
    const tag = { 'if-none-match': headers.get('etag')! };
    expect((await service.call('GET', `/v1/revisions/${id}/map`, { headers: tag })).status).toBe(304);
    const other = await service.call('GET', `/v1/revisions/${id}/map?within=8.0.0.0/8`, { headers: tag });
    expect(other.status).toBe(200);
    const latest = await service.call('GET', '/v1/revisions/latest/map');
    expect(latest.headers.get('cache-control')).toBe('private, no-cache');
  });

  test.each(['within=8.8.8.0/24', 'within=x', 'within=2400::/113', 'family=ipv6&within=8.0.0.0/8'])(
    '422: %s',
    async (query) => {
      const id = await revisionOf(['8.8.8.0/24']);
      const { status, body } = await service.call('GET', `/v1/revisions/${id}/map?${query}`);
      expect(status).toBe(422);
      expect(body.errors).toMatchObject([{ pointer: '?within' }]);
    },
  );
});

test('the map of a difference shows addresses, not how they are cut or labelled', async () => {
  const a = await revisionOf(['8.8.0.0/16', '9.9.0.0/16', '11.0.0.0/16']);
  const b = await revisionOf(['8.8.0.0/17', '8.8.128.0/17', '9.9.0.0/17', '12.0.0.0/16'], '65000:200');
  const forth = await read<DiffMap>(`${a}/diff/${b}/map`);
  expect(cellsOf(forth.added)).toEqual({ [12 * 256]: 255 });
  expect(cellsOf(forth.removed)).toEqual({ [9 * 256 + 9]: 128, [11 * 256]: 255 });
  const back = await read<DiffMap>(`${b}/diff/${a}/map`);
  expect([back.added, back.removed]).toEqual([forth.removed, forth.added]);
  const same = await read<DiffMap>(`${a}/diff/${a}/map`);
  expect([cellsOf(same.added), cellsOf(same.removed)]).toEqual([{}, {}]);
});
