import { beforeAll, describe, expect, test } from 'vitest';
import type { Revision } from '../../../src/api/revisions/revisions.ts';
import { applied, scattered, useGuarded } from '../guards/guarded.ts';
import type { Plane } from '../plane.ts';

const guarded = useGuarded();
let plane: Plane;
beforeAll(() => {
  plane = guarded.plane;
});

const GOOD = scattered(20);
const BAD = ['104.16.0.0/13x', 'not a prefix', '172.64.0.0/33', '103.21.244.300/22', 'a', 'b', 'c'];

const unreadable = ({ warnings }: Revision) =>
  warnings.flatMap(({ code, entry_id, measured }) =>
    code === 'unreadable_lines' ? [[entry_id, measured]] : [],
  );

describe('lines that cannot be read', () => {
  test('stand at the source with the reasons, and in a warning of the revision, until they are gone', async () => {
    const { moduleId, sourceId } = await applied(guarded, GOOD);
    expect(await guarded.source(moduleId, sourceId)).toMatchObject({ rejected_count: 0, rejected: [] });
    guarded.answer('/list', ['# a comment', '', ...GOOD, ...BAD.slice(0, 3)]);
    const revision = await guarded.refresh(moduleId);
    expect(unreadable(revision)).toEqual([[sourceId, 3]]);
    expect(revision.warnings[0]!.detail).toMatch(
      /^3 lines of an entry of the module list cannot be read.* line 23: /,
    );
    const source = await guarded.source(moduleId, sourceId);
    expect(source).toMatchObject({ status: 'ok', rejected_count: 3, prefix_count: { ipv4: 20 } });
    expect(source.rejected).toMatchObject([
      { line: 23, text: '104.16.0.0/13x' },
      { line: 24, text: 'not a prefix' },
      { line: 25, text: '172.64.0.0/33' },
    ]);
    expect(source.rejected.every(({ reason }) => reason !== '')).toBe(true);
    guarded.answer('/list', GOOD);
    expect(unreadable(await guarded.refresh(moduleId))).toEqual([]);
    expect(await guarded.source(moduleId, sourceId)).toMatchObject({ rejected_count: 0, rejected: [] });
  });

  test('are still there when the source says that nothing has changed', async () => {
    const { moduleId, sourceId } = await applied(guarded, GOOD);
    plane.answers.set('/list', (request, response) => {
      if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else
        response
          .writeHead(200, { 'content-type': 'text/plain', etag: '"1"' })
          .end([...GOOD, '10.0.0.0/8', BAD[0]].join('\n'));
    });
    for (let round = 0; round < 2; round++) {
      const { warnings } = await guarded.refresh(moduleId);
      expect(warnings.map(({ code }) => code)).toEqual(['bogon_prefix', 'unreadable_lines']);
      expect(await guarded.source(moduleId, sourceId)).toMatchObject({ rejected_count: 1 });
    }
  });

  test.each([
    // Exactly the limit is good; so are two lines, whatever their share is.
    [5, 20, 'ok'],
    [6, 20, 'stale'],
    [2, 1, 'ok'],
    [3, 3, 'stale'],
  ])('%i beside %i good ones: the source is %s', async (badCount, goodCount, status) => {
    const [bad, good] = [BAD.slice(0, badCount), GOOD.slice(0, goodCount)];
    const { moduleId, sourceId } = await applied(guarded, good);
    guarded.answer('/list', [...good, ...bad]);
    await plane.ended(await plane.refresh(moduleId));
    const source = await guarded.source(moduleId, sourceId);
    expect(source).toMatchObject({ status, rejected_count: status === 'ok' ? bad.length : 0 });
    expect(await guarded.routes()).toEqual([...good].sort());
    if (status === 'ok') return;
    expect(source.last_error).toMatch(
      /^source_unparseable: .*: \d of \d+ lines \(\d+(\.\d+)? %\) cannot be read.* guard_max_rejected_percent is 20\. The first, line \d+: /,
    );
  });

  test('may be as many as the setting allows', async () => {
    const { moduleId, sourceId } = await applied(guarded, GOOD);
    guarded.answer('/list', [...GOOD, ...BAD]);
    await plane.ended(await plane.refresh(moduleId));
    expect(await guarded.source(moduleId, sourceId)).toMatchObject({ status: 'stale' });
    await guarded.set({ guard_max_rejected_percent: 50 });
    await guarded.refresh(moduleId);
    expect(await guarded.source(moduleId, sourceId)).toMatchObject({ status: 'ok', rejected_count: 7 });
  });
});
