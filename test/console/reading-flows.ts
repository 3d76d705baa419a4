/** What is read of addresses, revisions and sessions, and what is undone with the module that is at fault. */
import { expect, test } from 'vitest';
import { press, tabTo } from './keyboard.ts';
import type { Scene } from './scene.ts';
import * as world from './world.ts';

const FAULTY = 'faulty';

export function readingFlows(sceneOf: () => Scene): void {
  test('flow 1: since when an address is announced, by which entry, and where', async () => {
    const scene = sceneOf();
    const { page } = scene;
    await scene.go(`lookup?q=${world.ANNOUNCED}`);
    const newest = page.locator('.history li').first();
    await newest.getByText('announced', { exact: true }).waitFor();
    await newest.getByRole('link', { name: /^Revision \d+$/ }).waitFor();
    await newest.getByRole('link', { name: world.SOURCE_MODULE }).waitFor();
    await newest.getByText(/^applied at /).waitFor();
    expect(await scene.violations()).toEqual([]);
  });

  test('flow 1: several are looked up at once, lines of a list among them', async () => {
    const scene = sceneOf();
    const { page } = scene;
    await scene.go('lookup');
    await tabTo(page, page.getByRole('textbox', { name: 'Addresses, prefixes or domain names' }));
    await page.evaluate(`{
      const data = new DataTransfer();
      data.setData('text', '${world.ANNOUNCED}\\n${world.EXCLUDED}\\n8.8.8.8\\n');
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }`);
    await page.keyboard.press('Enter');
    const verdictOf = (address: string) => page.getByRole('row').filter({ hasText: address });
    await verdictOf(world.ANNOUNCED).getByText('Announced', { exact: true }).waitFor();
    await verdictOf(world.EXCLUDED).getByText('Not announced').waitFor();
    await verdictOf('8.8.8.8').getByText('In no list').waitFor();
    expect(await scene.violations()).toEqual([]);
    await press(page, page.getByRole('link', { name: world.EXCLUDED }));
    await page.locator('.why-not').getByText('Excluded', { exact: true }).waitFor();
  });

  test('a revision is drawn as a map, by family, and the zoom is in the address', async () => {
    const scene = sceneOf();
    const { page } = scene;
    await scene.go('revisions/latest');
    await page.getByRole('button', { name: 'Map' }).waitFor();
    await page.keyboard.press('m');
    await tabTo(page, page.getByRole('application', { name: '0.0.0.0/0' }));
    await page.keyboard.press('Enter');
    await page.getByRole('application', { name: /\/16/ }).waitFor();
    expect(new URL(page.url()).searchParams.get('within')).toMatch(/\/16$/);
    expect(await scene.violations()).toEqual([]);
    await press(page, page.getByRole('link', { name: 'IPv6', exact: true }));
    await page.getByRole('application', { name: '2000::/3' }).waitFor();
  });

  test('flow 6: the board shows routes sent beside those that are expected', async () => {
    const scene = sceneOf();
    const { page } = scene;
    const cells = page.getByRole('row').filter({ hasText: 'bird1' }).getByRole('cell');
    await scene.go('sessions');
    const routes = (world.FIRST + world.ADDED + world.RANGES).toLocaleString('en-GB');
    // Sent, and expected.
    await cells.filter({ hasText: routes }).nth(1).waitFor();
    expect(await cells.locator('.badge.warning').count()).toBe(0);
  });

  test('flow 5: an undo shows its difference, and turns the module at fault off', async () => {
    const scene = sceneOf();
    const { page, service, world: scenery } = scene;
    const before = await service.get<{ number: number }>('/v1/revisions/latest');
    const community = await service.get<{ items: { id: string }[] }>('/v1/communities?limit=1');
    const { id } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: FAULTY, type: 'IP_RANGES', community_id: community.items[0]!.id },
    });
    await service.post(`/v1/modules/${id}/ip-range-entries`, { cidr: '51.7.0.0/24' });
    const { apply_job_id: job } = await service.succeeded(await service.post(`/v1/modules/${id}/refresh`));
    await service.succeeded({ id: String(job) });
    await scene.go(`revisions/${before.number}`);
    await page.getByRole('button', { name: 'Roll back to this' }).waitFor();
    await page.keyboard.press('u');
    const dialog = scene.dialog();
    await dialog.getByText('−1 withdrawn').first().waitFor();
    await scene.focusIsOnCancel();
    await tabTo(page, dialog.getByRole('checkbox', { name: FAULTY }));
    await page.keyboard.press('Space');
    expect(await scene.violations()).toEqual([]);
    await press(page, dialog.getByRole('button', { name: 'Roll back to this' }));
    await scene.heading('Apply done').waitFor();
    expect(await service.get(`/v1/modules/${id}`)).toMatchObject({ enabled: false });
    await scenery.bird.waitRoutes(world.FIRST + world.ADDED + world.RANGES);
    await service.call('DELETE', `/v1/modules/${id}`);
  });

  test('charts say in words and in a table what they draw', async () => {
    const scene = sceneOf();
    const { page } = scene;
    const chartOf = (title: string) => page.getByRole('figure').filter({ hasText: title });
    await scene.go('');
    const routes = chartOf('Routes by revision');
    const last = world.FIRST + world.ADDED + world.RANGES;
    await routes.getByText(`to ${last.toLocaleString('en-GB')} in revision`).waitFor();
    await routes.locator('canvas').waitFor();
    for (const title of ['Sessions by how long they are up', 'Apply durations'])
      await chartOf(title).locator('canvas').waitFor();
    await press(page, routes.locator('summary'));
    const figures = routes.getByRole('table');
    const communities = figures.getByRole('columnheader', { name: world.COMMUNITY });
    await communities.waitFor();
    await figures
      .getByRole('row')
      .filter({ hasText: last.toLocaleString('en-GB') })
      .first()
      .waitFor();
    expect(await scene.violations()).toEqual([]);
    await scene.go('sources');
    await chartOf('Sources by age').getByText('1 of 2 sources not read for a day.').waitFor();
    await scene.go('sessions');
    await chartOf('Sessions').getByText('1 of 1 session up, for less than an hour.').waitFor();
  });

  test('the way out is in sight on a low screen', async () => {
    const { page, ...scene } = { page: sceneOf().page, button: sceneOf().button('Sign out') };
    await page.setViewportSize({ width: 1280, height: 800 });
    const box = (await scene.button.boundingBox())!;
    expect(box.y + box.height).toBeLessThan(800);
    // And so is every page that the navigation leads to.
    const places = page.getByRole('navigation', { name: 'Pages' });
    const [around, last] = [
      (await places.boundingBox())!,
      (await places.getByRole('link').last().boundingBox())!,
    ];
    expect(last.y + last.height).toBeLessThanOrEqual(around.y + around.height);
    await page.setViewportSize({ width: 1280, height: 844 });
  });
}
