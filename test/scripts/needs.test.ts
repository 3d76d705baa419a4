// How scripts/suite.ts sorts test files.
import { expect, it } from 'vitest';
import type { TestSpecification, Vitest } from 'vitest/node';
import { LongestFirst } from '../../scripts/longest-first.ts';
import { testsByNeed } from '../needs.ts';

const { nothing, database, processes, alone } = testsByNeed();

it('sorts a file by what it imports, itself or through others', () => {
  expect(nothing).toContain('test/core/address.test.ts');
  expect(nothing).toContain('test/scripts/needs.test.ts');
  expect(database).toContain('test/store/keys.test.ts');
  // Through test/http/service.ts.
  expect(database).toContain('test/http/nodes/bundles.long.test.ts');
  // Through test/daemons/bird/bird.ts, and through demo/service.ts.
  expect(processes).toContain('test/speakers/bird/driver.test.ts');
  expect(processes).toContain('test/e2e/operating/node-polls.test.ts');
  // It counts threads, of which another file may have left one idle.
  expect(alone).toContain('test/http/lists/import-threads.test.ts');
  // It measures the memory of its process.
  expect(alone).toContain('test/speakers/builtin/busy-sessions.test.ts');
});

it('has a place for each file, and one only', () => {
  const all = [...nothing, ...database, ...processes, ...alone];
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBeGreaterThan(300);
});

it('has files whose repetitions are left to the soak', () => {
  expect(processes.filter((file) => file.endsWith('.soak.test.ts'))).toContain(
    'test/e2e/routers/routers.soak.test.ts',
  );
});

it('deals long files out to the parts of a run, each to one of them', async () => {
  const specifications = [...processes, ...database]
    .slice(0, 90)
    .map((file) => ({ moduleId: `/prefixcast/${file}` }) as TestSpecification);
  const parts = await Promise.all(
    [1, 2, 3, 4].map((index) =>
      new LongestFirst({ config: { shard: { index, count: 4 } } } as Vitest).shard(specifications),
    ),
  );
  expect(parts.map((part) => part.length)).toEqual([23, 23, 22, 22]);
  expect(new Set(parts.flat())).toEqual(new Set(specifications));
});
