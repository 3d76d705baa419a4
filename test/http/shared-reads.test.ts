import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SharedReads } from '../../src/http/shared-reads.ts';
import { startService, type Body, type TestService } from './service.ts';

/** A reader whose every look is ended by hand, and tells its number. */
function reader() {
  const reads = new SharedReads<number>();
  const looks: PromiseWithResolvers<number>[] = [];
  const read = (what = 'list') =>
    reads.read(what, () => {
      const look = Promise.withResolvers<number>();
      looks.push(look);
      return look.promise;
    });
  return { read, looks };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('SharedReads', () => {
  test('who asks while a look runs shares the next one, never the one that may have missed something', async () => {
    const { read, looks } = reader();
    const first = read();
    const later = [read(), read(), read()];
    await settled();
    expect(looks.length).toBe(1);
    looks[0]!.resolve(1);
    expect(await first).toBe(1);
    await settled();
    expect(looks.length).toBe(2);
    const last = read();
    looks[1]!.resolve(2);
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
    await settled();
    looks[2]!.resolve(3);
    expect(await last).toBe(3);
  });

  test('different questions wait for nobody', async () => {
    const { read, looks } = reader();
    const answers = [read('modules'), read('peers')];
    expect(looks.length).toBe(2);
    looks[1]!.resolve(2);
    expect(await answers[1]).toBe(2);
  });

  test('a look that fails is told to those who share it, and the next one runs all the same', async () => {
    const { read, looks } = reader();
    const first = read();
    const second = read();
    looks[0]!.reject(new Error('gone'));
    await expect(first).rejects.toThrow('gone');
    await settled();
    looks[1]!.resolve(2);
    expect(await second).toBe(2);
    await settled();
    const third = read();
    expect(looks.length).toBe(3);
    looks[2]!.resolve(3);
    expect(await third).toBe(3);
  });
});

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

  test('each tenant hears of its own only, and who has written reads what it wrote', async () => {
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
