/** Files that are opened beside a text of entries: what cannot be read says why, and what they take the place of comes back as it was. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a file beside a text of entries', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/modules', { name: 'ranges', type: 'IP_RANGES' });
    await service.post(`/v1/modules/${id}/ip-range-entries`, { items: [{ cidr: '45.0.0.0/24' }] });
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
    await scene.go(`modules/${id}?tab=text`);
    await editor().getByText('45.0.0.0/24').waitFor();
  });
  afterAll(() => scene?.close());

  const editor = () => scene.page.getByRole('textbox', { name: 'Entries as CSV' });
  const open = (name: string, content: string | Buffer) =>
    scene.page.locator('input[type=file]').setInputFiles({
      ...{ name, mimeType: 'text/csv', buffer: Buffer.from(content) },
    });
  const isMode = (mode: string) =>
    waitFor(
      async () => (await scene.page.getByLabel('The text').locator(':checked').textContent()) === mode,
      { what: `the text that ${mode}` },
    );

  test('that is no text is not taken, and says so by its name', async () => {
    const { page } = scene;
    for (const content of [
      Buffer.from('89504e470d0a1a0a00', 'hex'),
      Buffer.from('45.1.0.0/24;Z\xfcrich', 'latin1'),
    ]) {
      await open('img.csv', content);
      await page.getByRole('alert').getByText('img.csv is not a text file in UTF-8').waitFor();
      await editor().getByText('45.0.0.0/24').waitFor();
      expect(await page.getByText(/U\+0000|surrogate/).count()).toBe(0);
    }
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await open('good.csv', 'cidr\n45.1.0.0/24\n');
    await page.getByText('1 new', { exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('with semicolons between its cells has them replaced by one key', async () => {
    const { page } = scene;
    await open('sheet.csv', 'cidr;note\n45.2.0.0/24;"Acme; Ltd"\n45.2.2.0/24;one, two\n');
    await press(page, scene.button('The cells are separated by “;”: put commas there'));
    await editor().getByText('45.2.2.0/24,"one, two"', { exact: true }).waitFor();
    await editor().getByText('45.2.0.0/24,"Acme; Ltd"', { exact: true }).waitFor();
    await page.getByText('2 new', { exact: true }).waitFor();
  });

  test('in place of what was written says how that comes back, and it is again what it was', async () => {
    const { page } = scene;
    await press(page, scene.button('Start again'));
    await page.getByText('Ctrl-Z in the text brings back what was written.').waitFor();
    await isMode('is the whole list');
    await tabTo(page, editor());
    // The file that was to be added.
    await page.keyboard.press('Control+z');
    await editor().getByText('45.2.2.0/24,"one, two"', { exact: true }).waitFor();
    await isMode('is added to the list');
    await page.getByText('2 new', { exact: true }).waitFor();
    await page.keyboard.press('Control+y');
    await isMode('is the whole list');
    await page.keyboard.press('Control+End');
    await page.keyboard.type('45.3.0.0/24,,true,,');
    await page.getByText('1 new', { exact: true }).waitFor();
    await open('other.csv', 'cidr\n45.4.0.0/24\n45.4.2.0/24\n');
    await page.getByText('The file took the place of what was written.').last().waitFor();
    await isMode('is added to the list');
    await page.getByText('2 new', { exact: true }).waitFor();
    await tabTo(page, editor());
    await page.keyboard.press('Control+z');
    await editor().getByText('45.3.0.0/24,,true,,', { exact: true }).waitFor();
    await isMode('is the whole list');
    await page.getByText('1 new', { exact: true }).waitFor();
  });

  test('with ranges of addresses has their prefixes put there by one key', async () => {
    const { page } = scene;
    await press(page, scene.button('Start again'));
    await open('ranges.csv', 'cidr,note\n5.1.9.0-5.1.9.77,"a customer, in Bonn"\n5.1.8.0 - 5.1.8.255,\n');
    const faults = page.getByRole('alert');
    await faults.getByText('each as an entry of its own: 5.1.9.0/26 5.1.9.64/29').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, scene.button('Put the prefixes of 2 ranges there'));
    await page.getByText('5 new', { exact: true }).waitFor();
    await editor().getByText('5.1.9.76/31,"a customer, in Bonn"', { exact: true }).waitFor();
    await editor().getByText('5.1.8.0/24,', { exact: true }).waitFor();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
