import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startService, type Body, type TestService } from '../service.ts';

describe('lists that many read at once', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  const titles = async (key: string): Promise<unknown[]> => {
    const { body } = await service.call('GET', '/v1/communities', { key });
    return (body.items as Body[]).map(({ title }) => title);
  };

  test('each tenant receives its own only, and who has written reads what it wrote', async () => {
    const ours = service.tenant.keys.operator;
    const theirs = service.other.keys.operator;
    await service.make('/v1/communities', { community: '65000:1', title: 'theirs' }, theirs);
    let busy = true;
    const readers = [ours, theirs].flatMap((key) =>
      Array.from({ length: 8 }, async () => {
        const heard = new Set<unknown>();
        while (busy) for (const title of await titles(key)) heard.add(title);
        return heard;
      }),
    );
    const made: string[] = [];
    for (let number = 0; number < 20; number++) {
      made.push(`ours ${number}`);
      await service.make('/v1/communities', { community: `65000:${number}`, title: `ours ${number}` }, ours);
      expect(await titles(ours)).toEqual(made);
    }
    busy = false;
    const heard = await Promise.all(readers);
    for (const one of heard.slice(8)) expect([...one]).toEqual(['theirs']);
    for (const one of heard.slice(0, 8)) expect([...one]).not.toContain('theirs');
  });
});
