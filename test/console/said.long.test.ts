/** What the console says of an address and of what is held: the right verb, the page of the thing itself, the moment, and the effect. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('what is said', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let listId: string;
  let neverId: string;

  const makeModule = async (name: string, purpose: 'announce' | 'exclude', cidr: string): Promise<string> => {
    const { service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', { name, purpose, type: 'IP_RANGES' });
    await add(id, cidr);
    return id;
  };
  /** Adds the range, and waits for the revision that has it: a build waits for no refresh that takes long, as on a slow machine. */
  const add = async (moduleId: string, cidr: string): Promise<void> => {
    const { service } = scene;
    await service.post(`/v1/modules/${moduleId}/ip-range-entries`, { items: [{ cidr }] });
    const { revision_id } = await service.succeeded(await service.post(`/v1/modules/${moduleId}/refresh`));
    expect(revision_id).not.toBeNull();
  };

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:1', title: 'ranges' },
    });
    await service.call('PATCH', '/v1/settings', { default_community_id: id });
    listId = await makeModule('list', 'announce', '45.0.0.0/16');
    neverId = await makeModule('never', 'exclude', '45.0.2.0/24');
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('a list of exclusions excludes an address, and has no route of it', async () => {
    const { page } = scene;
    await scene.go('lookup?q=45.0.2.1');
    const newest = page.locator('.history li').first();
    await newest.getByText('withdrawn', { exact: true }).waitFor();
    await newest.getByText('never excludes it by 45.0.2.0/24').waitFor();
    expect(await page.locator('.history').getByText('never has it').count()).toBe(0);
    // Since when, without a mouse: the clock time stands there.
    await newest
      .getByText(/^\d\d:\d\d:\d\d/)
      .first()
      .waitFor();
  });

  test('what holds an address leads to the list that it is of, by a sentence that begins as one', async () => {
    const { page, service } = scene;
    const { number } = await service.get<{ number: number }>('/v1/revisions/latest');
    await add(listId, '46.0.0.0/24');
    await service.post(`/v1/revisions/${number}/rollback`);
    await scene.go('lookup?q=46.0.0.1');
    const reason = page.locator('.why-not li').filter({ hasText: 'list' });
    const link = reason.getByRole('link', { name: 'Its page', exact: true });
    expect(await link.getAttribute('href')).toBe(`/console/modules/${listId}`);
    expect(await scene.violations()).toEqual([]);
    await press(page, link);
    await scene.heading('list held').waitFor();
  });

  test('the window of a release says how many routes that announces', async () => {
    const { page } = scene;
    await press(page, scene.button('Release'));
    await scene.dialog().getByText('+1 announced').waitFor();
    await scene.focusIsOnCancel();
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
  });

  test('j and Enter open a record of the audit log, whatever else its row leads to', async () => {
    const { page } = scene;
    await scene.go('audit');
    const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr');
    const action = await rows.nth(1).locator('code').first().innerText();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await scene.dialog().getByText(action).first().waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    // How grave each is stands in sight, in words.
    const severity = rows.first().getByText(/^(info|notice|warning|critical)$/);
    expect((await severity.boundingBox())!.width).toBeGreaterThan(20);
    expect(await scene.cutTables()).toEqual([]);
  });

  test('an entry that takes routes away asks first, with what it withdraws', async () => {
    const { page, service } = scene;
    const stored = async (): Promise<number> => {
      const { items } = await service.get<{ items: unknown[] }>(`/v1/modules/${neverId}/ip-range-entries`);
      return items.length;
    };
    await scene.go(`modules/${neverId}`);
    await page.keyboard.press('n');
    await scene.dialog().getByLabel('Prefix or address').waitFor();
    await page.keyboard.type('45.0.4.0/24');
    await page.keyboard.press('Enter');
    await scene
      .dialog()
      .last()
      .getByText(/−\d+ withdrawn/)
      .first()
      .waitFor();
    const cancel = scene.dialog().last().getByRole('button', { name: 'Cancel' });
    await waitFor(() => isFocused(cancel), { what: 'the focus on Cancel' });
    expect(await stored()).toBe(1);
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await waitFor(async () => (await scene.dialog().count()) === 1, { what: 'the form' });
    expect(await scene.dialog().getByLabel('Prefix or address').inputValue()).toBe('45.0.4.0/24');
    await page.keyboard.press('Enter');
    const question = scene.dialog().filter({ hasText: /−\d+ withdrawn/ });
    await question.waitFor();
    await press(page, question.getByRole('button', { name: 'Save' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
    expect(await stored()).toBe(2);
  });

  test('times in which nothing was built name the revision that was applied before, and keep their name', async () => {
    const { page, service } = scene;
    interface Built {
      readonly number: number;
      readonly first_applied_at: string | null;
    }
    const newest = await waitFor(
      async () => {
        const { items } = await service.get<{ items: Built[] }>('/v1/revisions?limit=1');
        return items[0]!.first_applied_at !== null && items[0]!;
      },
      { what: 'the newest revision to be applied' },
    );
    await scene.go(`revisions?since=${new Date(Date.now() + 60_000).toISOString()}`);
    await page.getByText('No revision was built in these times.').waitFor();
    await page.getByText('Applied as these times began:').waitFor();
    await press(page, page.locator('main').getByRole('link', { name: `Revision ${newest.number}` }));
    await scene.heading(new RegExp(`^Revision ${newest.number}`)).waitFor();
    await scene.go('revisions');
    const times = page.getByRole('combobox', { name: 'Time' });
    expect(await times.locator('option').allInnerTexts()).toEqual([
      ...[
        'All times',
        'The last hour',
        'Today',
        'Last night (20:00 to 8:00)',
        'Yesterday',
        'The last 7 days',
      ],
    ]);
    await tabTo(page, times);
    await page.keyboard.press('y');
    await page.getByText('No revision was built in these times.').waitFor();
    expect(await times.inputValue()).toBe('yesterday');
    expect(await scene.violations()).toEqual([]);
  });

  test('arrow keys lead through all times, one after the other', async () => {
    const { page } = scene;
    await scene.go('revisions');
    const times = page.getByRole('combobox', { name: 'Time' });
    await tabTo(page, times);
    for (const name of ['hour', 'today', 'night', 'yesterday', 'week']) {
      await page.keyboard.press('ArrowDown');
      await waitFor(async () => (await times.inputValue()) === name && page.url().includes('since='), {
        what: name,
      });
    }
  });

  test('a community that is typed in full is found first, and is not looked up as an address', async () => {
    const { page } = scene;
    await scene.go('modules');
    await page.getByRole('table', { name: 'Modules' }).waitFor();
    await page.keyboard.press('/');
    await scene.dialog().waitFor();
    await page.keyboard.type('64500:1');
    await page.getByRole('option', { name: '64500:1 ranges' }).waitFor();
    expect(await page.getByRole('option').first().innerText()).toContain('64500:1 ranges');
    expect(await page.getByRole('option', { name: 'Look up' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await scene.heading('Communities').waitFor();
  });

  test('n leads to the only thing that can be made among the speakers', async () => {
    const { page } = scene;
    await scene.go('speakers');
    await page.getByRole('table', { name: 'Speakers' }).waitFor();
    await page.keyboard.press('n');
    await scene.heading('Enroll a node').waitFor();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
