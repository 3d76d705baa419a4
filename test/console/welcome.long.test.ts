/** The first run in Chromium, by keyboard alone: from a service that has nothing to routes at a real BIRD. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { serve } from '../e2e/casting.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

describe.skipIf(lacks)('the first run', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let router: { readonly bird: Bird; readonly address: string };
  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    router = await scene.world.casting.startBird();
    scene.world.casting.sources.set(
      '/list',
      serve('45.0.0.0/24\n45.0.1.0/24\n45.0.4.0/24\nno prefix\n2a0c:9a40:1::/48\n'),
    );
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
  });
  afterAll(() => scene?.close());

  const heading = (name: string) => scene.page.getByRole('heading', { level: 2, name });

  test('the overview of an empty tenant leads there', async () => {
    const { page } = scene;
    await page.getByText('Nothing is announced yet').waitFor();
    expect(await page.getByText('All is announced as it should be').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await press(page, page.getByRole('link', { name: 'Start: a list, a router, the first revision' }));
    await scene.heading('Welcome').waitFor();
  });

  test('a prefix that is looked up before there is a revision leads there as well', async () => {
    const { page } = scene;
    await scene.go('lookup?q=45.0.0.0/24');
    await page.getByText('There is no revision yet, so nothing can have this prefix.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await press(page, page.getByRole('link', { name: 'Start: a list, a router, the first revision' }));
    await scene.heading('Welcome').waitFor();
  });

  test('published lists are found by their names, and have what a source needs', async () => {
    const { page } = scene;
    await tabTo(page, page.getByLabel('Search the lists'));
    await page.keyboard.type('cloudflare');
    await page.keyboard.press('Enter');
    await waitFor(async () => (await page.getByLabel('Name').inputValue()) === 'Cloudflare', {
      what: 'the name of the list',
    });
    expect(await page.getByLabel('Community').inputValue()).toBe('64512:100');
    expect(await scene.violations()).toEqual([]);
  });

  test('a list at an address is looked at, and taken', async () => {
    const { page } = scene;
    await tabTo(page, page.getByLabel('Name')); // beyond the radio buttons, to which Tab comes from below
    while (!(await isFocused(page.getByLabel('A published list')))) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowDown');
    await tabTo(page, page.getByLabel('Address of the list'));
    await page.keyboard.type('lists.example.net/list');
    await page.keyboard.press('Enter');
    await page.locator('.field-error').getByText('with https:// or http:// in front').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(`${scene.world.casting.sourceUrl}/nowhere`);
    // It is read before it is taken: a fault is said at the field, and not two steps further on.
    await press(page, scene.button('Take this list'));
    await page.getByRole('alert').getByText('404').waitFor();
    await scene.button('Take it all the same').waitFor();
    expect((await scene.service.get<{ items: unknown[] }>('/v1/modules')).items).toEqual([]);
    expect(await scene.violations()).toEqual([]);
    // What is wrong with an address goes with it, and with the choice of it.
    const address = page.getByLabel('Address of the list');
    await tabTo(page, address);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowDown');
    await page.getByLabel('Prefixes or addresses').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await scene.button('Take it all the same').count()).toBe(0);
    await tabTo(page, page.getByLabel('Prefixes or addresses'));
    await page.keyboard.type('203.0.113.0/24\n198.18.0.0/33, foo\n45.1.0.0/24');
    await press(page, scene.button('Take this list'));
    const fault = page.locator('.field-error');
    await fault.waitFor();
    const lines = (await fault.innerText()).split('\n');
    expect(lines.map((line) => /^Line (\d): (\S+)/.exec(line)?.slice(1))).toEqual([
      ['1', '203.0.113.0/24'],
      ['2', expect.stringContaining('198.18.0.0/33')],
      ['2', expect.stringContaining('foo')],
    ]);
    expect(lines.join(' ')).not.toContain('bogon_prefix');
    // What is refused has the focus, with what is wrong with it.
    const ranges = page.getByLabel('Prefixes or addresses');
    await waitFor(() => isFocused(ranges), { what: 'the focus on the ranges' });
    const colour = (of: string, member: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${of}')).${member}`);
    expect(await colour('textarea', 'borderTopColor')).toBe(await colour('.field-error', 'color'));
    expect(await scene.violations()).toEqual([]);
    // What has been corrected is called wrong no more, and what has not stays, at the line where it is now.
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('Shift+End');
    await page.keyboard.type('45.2.0.0/24\n45.3.0.0/24');
    const faulty = async () => (await fault.innerText()).split('\n').map((line) => line.slice(0, 7));
    await waitFor(async () => (await faulty()).join() === 'Line 3:,Line 3:', { what: 'two faults' });
    await page.keyboard.press('Control+A');
    await page.keyboard.type('45.2.0.0/24');
    await fault.waitFor({ state: 'detached' });
    expect(await page.getByRole('alert').count()).toBe(0);
    // Comments are none of it, and what stands twice is said by its lines.
    await page.keyboard.press('Control+A');
    await page.keyboard.type('45.2.0.1 # hostel west\n\n45.2.0.1\n45.2.0.1/32\n300.1.1.1');
    await press(page, scene.button('Take this list'));
    await fault.waitFor();
    const said = (await fault.innerText()).split('\n');
    expect(said).toContain('Line 4: 45.2.0.1/32 stands in line 1 already. Leave one out.');
    expect(said.at(-1)).toMatch(/^Line 5: "?300\.1\.1\.1/);
    expect(said).toHaveLength(2);
    await waitFor(() => isFocused(ranges), { what: 'the focus on the ranges again' });
    while (!(await isFocused(page.getByLabel('Ranges that I type')))) await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('ArrowUp');
    await tabTo(page, address);
    await page.keyboard.press('Control+A');
    await page.keyboard.type(`${scene.world.casting.sourceUrl}/list`);
    await press(page, scene.button('Preview'));
    await page.getByText('It has 4 prefixes, which become 3 routes').waitFor();
    await page.getByText('1 line could not be read.').waitFor();
    await press(page, scene.button('Take this list'));
    await heading('2. Add your router').and(page.locator(':focus')).waitFor();
    await page.getByText('Modules: 127.0.0.1.').waitFor();
    // As the page says: every hour.
    const { items } = await scene.service.get<{ items: unknown[] }>('/v1/modules');
    expect(items).toMatchObject([{ refresh_interval_seconds: 3_600 }]);
  });

  test('a router is added, and what is wrong is said at its field', async () => {
    const { page } = scene;
    const fields = [
      ['Name', 'edge1'],
      ['Address of the router', '300.1.1.1'],
      ['Its AS number', '64496'],
      ['Port', String(router.bird.port)],
    ] as const;
    for (const [label, value] of fields) {
      await tabTo(page, page.getByLabel(label));
      await page.keyboard.type(value);
    }
    await press(page, scene.button('Add the router'));
    await page.locator('.field-error').waitFor();
    await tabTo(page, page.getByLabel('Address of the router'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type(router.address);
    await press(page, scene.button('Add the router'));
    await heading('3. Make the first revision').and(page.locator(':focus')).waitFor();
    // Whoever goes elsewhere now comes back from the overview, or by the palette.
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await press(page, page.getByRole('link', { name: 'Go on with the first run' }));
    await scene.heading('Welcome').waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await scene.heading('Modules').waitFor();
    await page.keyboard.press('/');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('welcome');
    await page.getByRole('option', { name: /^Welcome/ }).waitFor();
    await page.keyboard.press('Enter');
    await scene.heading('Welcome').waitFor();
  });

  test('the first revision is made, and the session turns green with the routes', async () => {
    const { page } = scene;
    expect(await scene.violations()).toEqual([]);
    await press(page, scene.button('Read, build and apply'));
    // The speaker has no IPv6 address, so one route has no next hop: that is no green end.
    await page.getByText('Your router has a part of the routes.').waitFor();
    await page.getByText('edge1 is up and has 2 routes').waitFor();
    await page.getByText('no IPv6 next hop').waitFor();
    expect(await page.getByText('Your router has the routes.').count()).toBe(0);
    expect(await heading('4. Watch the session come up done').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    // Its form has what is missing.
    await page.getByRole('link', { name: 'edge1' }).waitFor();
    const { items } = await scene.service.get<{ items: { id: string }[] }>('/v1/peers');
    await scene.service.call('PATCH', `/v1/peers/${items[0]!.id}`, { next_hop_ipv6: '2001:db8::1' });
    await page.getByText('Your router has the routes.').waitFor();
    await page.getByText('edge1 is up and has 3 routes').waitFor();
    await router.bird.waitRoutes(3);
    expect(await scene.violations()).toEqual([]);
    await press(page, page.getByRole('link', { name: 'To the overview' }));
    await page.getByText('All is announced as it should be').waitFor();
    await page.getByText('One revision so far: 1 has 3 routes.').waitFor();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
