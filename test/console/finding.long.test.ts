/** What somebody looks for is one key away, leads on, and comes back when it was deleted by mistake. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

/** As people write them, and longer than a table of many columns has room for. */
const LONG_TITLE = 'Relay egress and block list (text)';

type Resource = Readonly<Record<string, unknown>> & { readonly id: string };

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('finding things', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let communityId: string;
  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    const make = async (path: string, body: object): Promise<string> =>
      (await service.post<{ id: string }>(path, body)).id;
    communityId = await make('/v1/communities', {
      ...{ community: '64500:7', title: 'customers', description: 'paying', color: '#123456' },
    });
    const moduleId = await make('/v1/modules', {
      ...{ name: 'a customer', type: 'IP_RANGES', community_id: communityId },
    });
    await make('/v1/communities', { community: '64500:8', title: 'unused', color: '#123456' });
    await make('/v1/communities', { community: '64500:9', title: LONG_TITLE });
    await service.succeeded(await service.post(`/v1/modules/${moduleId}/refresh`));
    await make('/v1/peers', {
      ...{ name: 'edge1', address: '192.0.2.7', remote_asn: 64_496, max_prefixes_out: 5, enabled: false },
      community_ids: [communityId],
    });
    await make('/v1/peers', {
      ...{ name: 'secretive', address: '192.0.2.8', remote_asn: 64_496, password: 'hush', enabled: false },
    });
    await make('/v1/firewall/rules', { name: 'no scanners', cidrs: ['198.51.100.0/24'], ports: [] });
    await make('/v1/feeds', { name: 'droplist' });
    const url = 'https://hooks.example.net/';
    await make('/v1/webhooks', { name: 'chat', url, events: ['revision'], enabled: false });
    await make('/v1/doh-profiles', { name: 'ours', url: 'https://198.51.100.9/dns-query', timeout_ms: 700 });
    await make('/v1/maintenance/policies', {
      ...{ name: 'old jobs', kind: 'job_prune', parameters: { older_than_days: 300 } },
    });
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  const one = async (path: string, name: string): Promise<Resource | undefined> => {
    const { items } = await scene.service.get<{ items: Resource[] }>(path);
    return items.find((item) => item.name === name || item.community === name);
  };
  const row = (text: string) => scene.page.locator('main tbody').getByRole('row').filter({ hasText: text });

  test.for([
    ['customers', '64500:7 customers community', /communities\?find=/],
    ['no scan', 'no scanners firewall rule', /firewall\?find=/],
    ['droplist', 'droplist feed', /feeds\?find=/],
    ['chat', 'chat webhook', /webhooks\/[0-9a-f-]{36}$/],
    ['ours', 'ours resolver', /resolvers\?find=/],
    ['192.0.2.7', 'edge1 peer', null],
  ] as const)('the palette finds %s', async ([typed, option, address]) => {
    const { page } = scene;
    await scene.visit('sessions');
    await page.keyboard.press('/');
    await scene.dialog().waitFor();
    await page.keyboard.type(typed);
    await page.getByRole('option', { name: option, exact: true }).waitFor();
    if (address === null) await page.keyboard.press('Escape');
    else {
      await page.keyboard.press('Enter');
      await page.waitForURL(address);
      await page.locator('main').getByText(typed).first().waitFor();
    }
  });

  test('f leads into the filter of the table', async () => {
    const { page } = scene;
    await scene.go('communities');
    await row('64500:7').waitFor();
    await page.keyboard.press('f');
    const filter = page.getByRole('searchbox', { name: 'Filter: Communities' });
    await waitFor(() => isFocused(filter), { what: 'the focus in the filter' });
    await page.keyboard.type('unused');
    await row('64500:7').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await row('64500:7').waitFor();
  });

  test('a community says which lists carry it and which peers are sent it, and a list its community', async () => {
    const { page } = scene;
    await scene.go('communities');
    await row('64500:7').getByRole('link', { name: 'edge1' }).waitFor();
    await row('64500:7').getByRole('button', { name: 'Copy 64500:7' }).waitFor();
    await press(page, row('64500:7').getByRole('link', { name: '1', exact: true }));
    await scene.heading('Modules').waitFor();
    await row('a customer').getByText('64500:7').waitFor();
    expect(await row('a customer').count()).toBe(1);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  test('a table of few columns cuts no title that it has room for', async () => {
    const { page } = scene;
    await scene.go('communities');
    const title = row('64500:9').getByText(LONG_TITLE);
    const hidden = await title.evaluate(
      (cut: { scrollWidth: number; clientWidth: number }) => cut.scrollWidth - cut.clientWidth,
    );
    expect(hidden).toBe(0);
    // Where there is no room, it is cut as before, and all of it is said on hover.
    await page.setViewportSize({ width: 900, height: 844 });
    expect(await title.getAttribute('title')).toBe(LONG_TITLE);
    await page.setViewportSize({ width: 1280, height: 844 });
  });

  test('jobs are filtered and saved by the names of what they are about', async () => {
    const { page } = scene;
    await scene.go('jobs');
    await row('a customer').first().waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('a customer');
    await row('Build').waitFor({ state: 'detached' });
    const saved = page.waitForEvent('download');
    await press(page, scene.button('CSV'));
    const csv = await readFile(await (await saved).path(), 'utf8');
    expect(csv.split('\r\n')[1]).toMatch(/^Refresh,\w+,a customer,/);
  });

  test('a job about something that was deleted has the name that it had', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/peers', {
      ...{ name: 'edge of old', address: '192.0.2.44', remote_asn: 64_500 },
    });
    const untilIdle = () =>
      waitFor(
        async () => {
          const { items } = await service.get<{
            items: { resource: { id: string } | null; state: string }[];
          }>('/v1/jobs?type=apply');
          const own = items.filter(({ resource }) => resource?.id === id);
          return own.length > 0 && own.every(({ state }) => state !== 'queued' && state !== 'running');
        },
        { what: 'the apply for the peer' },
      );
    await untilIdle();
    await service.call('DELETE', `/v1/peers/${id}`);
    await scene.go('jobs');
    await row('edge of old').first().getByText('deleted', { exact: true }).waitFor();
    await page.keyboard.press('f');
    await page.keyboard.type('edge of old');
    await row('a customer').first().waitFor({ state: 'detached' });
    expect(await row('edge of old').count()).toBeGreaterThan(0);
  });

  test('a record of the audit log leads to what it is about, also where that has no page of its own', async () => {
    const { page } = scene;
    for (const [action, name, heading] of [
      ['firewall_rule.create', 'no scanners', 'Firewall'],
      ['maintenance_policy.create', 'old jobs', 'Maintenance'],
      ['doh_profile.create', 'ours', 'Resolvers'],
      ['feed.create', 'droplist', 'Feeds'],
    ] as const) {
      await scene.go(`audit?q=${action}`);
      await press(page, row(action).getByRole('link', { name, exact: true }).first());
      await scene.heading(heading).waitFor();
      await row(name).waitFor();
    }
    // And the page of a thing to the records about it.
    const module = await one('/v1/modules', 'a customer');
    await scene.go(`modules/${module!.id}`);
    await press(page, page.getByRole('link', { name: 'Who changed it' }));
    await row('module.create').waitFor();
  });

  test.for([
    ['communities', '/v1/communities', '64500:8'],
    ['firewall', '/v1/firewall/rules', 'no scanners'],
    ['resolvers', '/v1/doh-profiles', 'ours'],
    ['maintenance', '/v1/maintenance/policies', 'old jobs'],
    ['peers', '/v1/peers', 'edge1'],
  ] as const)('what was deleted in %s by mistake is back by a key', async ([path, list, name]) => {
    const { page } = scene;
    const before = (await one(list, name))!;
    await scene.go(path);
    await press(page, row(name).getByRole('button', { name: 'Delete' }));
    await scene.dialog().getByText('“Undo”, in the message that follows, makes it again.').waitFor();
    await scene.focusIsOnCancel();
    await press(page, scene.dialog().getByRole('button', { name: 'Delete' }));
    await page.getByText(/was deleted\./).waitFor();
    expect(await one(list, name)).toBeUndefined();
    await page.keyboard.press('z');
    await page.getByText(/(It|The rule) is back/).waitFor();
    await row(name).waitFor();
    const { id: _, created_at: __, updated_at: ___, ...as } = before;
    expect(await one(list, name)).toMatchObject(as);
  });

  test('so is a peer that was deleted on its own page', async () => {
    const { page } = scene;
    const { id } = (await one('/v1/peers', 'edge1'))!;
    await scene.go(`peers/${id}`);
    await press(page, scene.button('Delete'));
    await scene.focusIsOnCancel();
    await press(page, scene.dialog().getByRole('button', { name: 'Delete' }));
    await page.getByText('edge1 was deleted.').waitFor();
    await page.keyboard.press('z');
    await row('edge1').waitFor();
    expect((await one('/v1/peers', 'edge1'))!.max_prefixes_out).toBe(5);
  });

  test('what has a secret is not offered back, since the secret is gone', async () => {
    const { page } = scene;
    await scene.go('peers');
    await press(page, row('secretive').getByRole('button', { name: 'Delete' }));
    await scene.dialog().getByText('It cannot be taken back: what it keeps secret goes with it').waitFor();
    await press(page, scene.dialog().getByRole('button', { name: 'Delete' }));
    await page.getByText('secretive was deleted.').waitFor();
    expect(await scene.button('Undo', false).count()).toBe(0);
  });

  test('a policy says what it does, and where it runs', async () => {
    const { page } = scene;
    await scene.go('maintenance');
    await row('old jobs').getByText('removes old jobs older than 300 days').waitFor();
    await press(page, row('old jobs').getByRole('button', { name: 'Run' }));
    await scene
      .dialog()
      .getByText('It removes old jobs older than 300 days: 0 of them at the moment.')
      .waitFor();
    await scene.dialog().getByText('What it removes does not come back.').waitFor();
    await scene.focusIsOnCancel();
    await press(page, scene.dialog().getByRole('button', { name: 'Run' }));
    await press(page, page.getByRole('status').getByRole('link', { name: 'Its job' }));
    await page.getByRole('heading', { level: 1 }).getByText('done').waitFor();
    await press(page, page.locator('.facts').getByRole('link', { name: 'old jobs' }));
    await row('old jobs').locator('time').first().waitFor();
    expect(await scene.violations()).toEqual([]);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
