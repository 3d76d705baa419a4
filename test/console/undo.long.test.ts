/** What `z` takes back is what the message beside it says: of a text of entries all that its save did. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const HEADER = 'cidr,note,enabled,community,expires_at';
const NOTE = '"of a customer, \nin two lines"';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('an undo', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let base: string;
  let before: string;
  let ids: string[];

  const editor = () => scene.page.getByRole('textbox', { name: 'Entries as CSV' });
  const stored = async () => {
    const answer = await fetch(`${scene.service.url}${base}/entries.csv`, {
      headers: { authorization: `Bearer ${scene.service.key}` },
    });
    return (await answer.text()).trimEnd().split(/\r?\n/).sort().join('\n');
  };
  const entries = async () =>
    (await scene.service.get<{ items: { id: string; cidr: string }[] }>(`${base}/ip-range-entries`)).items;
  /** Takes the whole list from a file: 1 new, 1 changed, 2 deleted. */
  const importWrongFile = async () => {
    const { page } = scene;
    const text = `${HEADER}\n45.0.0.0/24,,true,64500:2,\n45.9.0.0/24,,true,,\n45.0.6.0/24,${NOTE},true,,\n`;
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'wrong.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
    await tabTo(page, page.getByRole('combobox', { name: 'The text' }));
    await page.keyboard.press('i'); // is the whole list
    await page.getByText('2 deleted').first().waitFor();
    await page.keyboard.press('Control+s');
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await page.getByText('Saved: 1 new, 1 changed, 2 deleted.').waitFor();
    await scene.dialog().waitFor({ state: 'detached' });
  };

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    for (const community of ['64500:1', '64500:2'])
      await service.post('/v1/communities', { community, title: community });
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
    base = `/v1/modules/${id}`;
    await service.post(`${base}/ip-range-entries`, {
      items: [
        ...['45.0.0.0/24', '45.0.2.0/24', '45.0.4.0/24'].map((cidr) => ({ cidr, note: 'ours' })),
        { cidr: '45.0.6.0/24', note: 'of a customer, \nin two lines' },
      ],
    });
    before = await stored();
    ids = (await entries()).map((one) => one.id).sort();
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
    await scene.go(`modules/${id}?tab=text`);
    await editor().getByText('45.0.0.0/24').waitFor();
  });
  afterAll(() => scene?.close());

  test('takes back all that a text did, and counts it', async () => {
    const { page } = scene;
    await importWrongFile();
    await page.keyboard.press('z');
    await page
      .getByText('Taken back: 1 new one is deleted, 1 changed one is as before, 2 deleted ones are back.')
      .waitFor();
    expect(await stored()).toBe(before);
    // They are the same entries as before, and not others that look like them.
    expect((await entries()).map((one) => one.id).sort()).toEqual(ids);
    await editor().getByText('45.0.2.0/24').waitFor();
  });

  test('leaves what somebody else has changed since, and says so', async () => {
    const { page, service } = scene;
    await importWrongFile();
    const created = (await entries()).find(({ cidr }) => cidr === '45.9.0.0/24')!;
    await service.call('PATCH', `${base}/ip-range-entries/${created.id}`, { note: 'theirs' });
    await page.keyboard.press('z');
    await page
      .getByText('Taken back: 0 new ones are deleted, 1 changed one is as before, 2 deleted ones are back.')
      .waitFor();
    await page.getByText('1 entry stays: somebody else has changed the list since.').waitFor();
    expect((await entries()).map(({ cidr }) => cidr).sort()).toEqual([
      ...['45.0.0.0/24', '45.0.2.0/24', '45.0.4.0/24', '45.0.6.0/24', '45.9.0.0/24'],
    ]);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
