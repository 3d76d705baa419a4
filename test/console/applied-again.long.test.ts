/** A revision that is applied again has a time for each: in the table, in its file, on its page, and in the history of a prefix. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('chromium-headless-shell') === null;

interface Ran {
  readonly id: string;
  readonly number: number;
  readonly applied_periods: readonly { readonly from: string; readonly until: string | null }[];
}

interface Timed {
  getAttribute(name: string): string | null;
}

describe.skipIf(lacks)('a revision that is applied again', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let old: Ran;
  let late: Ran;

  const latest = () => scene.service.get<Ran>('/v1/revisions/latest');
  const read = ({ id }: Ran) => scene.service.get<Ran>(`/v1/revisions/${id}`);
  const runs = ({ id }: Ran) =>
    waitFor(async () => (await scene.service.get<Ran>('/v1/revisions/applied')).id === id, {
      what: 'the revision to be applied',
    });
  const apply = async (revision: Ran): Promise<void> => {
    await scene.service.post('/v1/apply', { revision_id: revision.id });
    await runs(revision);
  };
  const add = async (id: string, cidr: string): Promise<Ran> => {
    const { number } = await latest().catch(() => ({ number: 0 }));
    await scene.service.post(`/v1/modules/${id}/ip-range-entries`, { cidr });
    const built = await waitFor(
      async () => {
        const revision = await latest().catch(() => null);
        return revision !== null && revision.number > number && revision;
      },
      { what: 'the next revision' },
    );
    await runs(built);
    return built;
  };

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service, page } = scene;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
    [old, late] = [await add(id, '61.0.0.0/24'), await add(id, '61.0.2.0/24')];
    await apply(old);
    await apply(late);
    await apply(old);
    [old, late] = [await read(old), await read(late)];
    await page.goto(scene.base);
    await signIn(page, service.key);
  });
  afterAll(() => scene?.close());

  const timesOf = (all: readonly { readonly from: string; readonly until: string | null }[]) =>
    all.flatMap(({ from, until }) => (until === null ? [from] : [from, until]));
  const shown = (within: ReturnType<typeof scene.page.locator>): Promise<(string | null)[]> =>
    within.locator('time').evaluateAll((all: Timed[]) => all.map((one) => one.getAttribute('datetime')));

  test('has its last time in the table, and those before beside it', async () => {
    expect(old.applied_periods).toHaveLength(3);
    expect(late.applied_periods).toHaveLength(2);
    await scene.go('revisions');
    for (const revision of [old, late]) {
      const row = scene.page
        .getByRole('row')
        .filter({ has: scene.page.getByRole('link', { name: String(revision.number), exact: true }) });
      const cell = row.locator('td').last();
      await cell.waitFor();
      expect(await shown(cell)).toEqual(timesOf(revision.applied_periods.slice(0, 1)));
      const before = revision.applied_periods.length - 1;
      await cell.getByText(`and ${before} ${before === 1 ? 'time' : 'times'} before`).waitFor();
    }
    expect(await scene.violations()).toEqual([]);
    const download = scene.page.waitForEvent('download');
    await press(scene.page, scene.button('CSV').first());
    const csv = await readFile(await (await download).path(), 'utf8');
    const [last, ...earlier] = late.applied_periods;
    expect(csv).toContain('Applied from,Applied until,Applied before');
    expect(csv).toContain(
      `${last!.from},${last!.until},${earlier.map(({ from, until }) => `${from} – ${until}`).join('; ')}`,
    );
  });

  test('has all of them on its page', async () => {
    await scene.go(`revisions/${old.number}`);
    const facts = scene.page
      .locator('dt', { hasText: /^Applied$/ })
      .locator('xpath=following-sibling::dd[1]');
    await facts.waitFor();
    expect(await shown(facts)).toEqual(timesOf(old.applied_periods));
  });

  test('is in the history of the prefix that it lacks, with the times in which that was announced', async () => {
    await scene.go('lookup?q=61.0.2.1');
    const item = scene.page.locator('.history li').first();
    await item.getByText('at builtin, which then had').first().waitFor();
    expect(await item.getByText('at builtin, which then had').count()).toBe(2);
    expect(await item.getByRole('link', { name: `Revision ${old.number}` }).count()).toBe(2);
    expect((await shown(item)).slice(1)).toEqual(timesOf(late.applied_periods));
    await scene.go('lookup?q=61.0.0.1');
    await scene.page.locator('.history').getByText('applied at builtin').waitFor();
  });
});
