/** What is refused is said by the names of the page, at its field and with the focus there; what is chosen is chosen by its name. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

/** A JSON Pointer, which is for programs. */
const POINTER = /(^|\s)\/\w+/;
const NODE = 'node-a "x"';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('what is refused', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let nodeId: string;
  let communityId: string;

  const dialog = () => scene.dialog();
  const problem = () => dialog().locator('.problem');
  const settings = () => scene.service.get<{ settings: Record<string, unknown> }>('/v1/settings');

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    ({ id: nodeId } = await service.post<{ id: string }>('/v1/speakers', {
      ...{ name: NODE, enabled: false, local_asn: 64_512 },
    }));
    ({ id: communityId } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'ours' },
    }));
    await service.post('/v1/modules', { name: 'list', type: 'IP_RANGES', community_id: communityId });
    await service.post('/v1/tenants', { name: 'another', slug: 'another' });
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('canaries are ticked among the speakers, and the plan names them', async () => {
    const { page } = scene;
    await scene.go('settings?q=deploy_canary_speaker_ids');
    const canaries = page.getByRole('group', { name: 'deploy_canary_speaker_ids' });
    await canaries.getByLabel('builtin').waitFor();
    await press(page, canaries.getByLabel(NODE), ' ');
    expect(await scene.violations()).toEqual([]);
    await press(page, scene.button('Preview and save'));
    await dialog().getByText(`none → ${NODE}`).waitFor();
    await press(page, dialog().getByRole('button', { name: 'Save' }));
    await dialog().waitFor({ state: 'detached' });
    expect((await settings()).settings.deploy_canary_speaker_ids).toEqual([nodeId]);
    expect(await canaries.getByLabel(NODE).isChecked()).toBe(true);
  });

  test('the community of all lists is chosen by its name as well', async () => {
    const { page } = scene;
    await scene.go('settings?q=default_community_id');
    const choice = page.getByRole('combobox', { name: 'default_community_id' });
    await tabTo(page, choice);
    await page.keyboard.type('64500');
    await press(page, scene.button('Preview and save'));
    await dialog().getByText('none → 64500:7 ours').waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await press(page, scene.button('Discard'));
  });

  test('a setting that the service refuses is called as on the page', async () => {
    const { page } = scene;
    await scene.go('settings?q=guard_protected_prefixes');
    await tabTo(page, page.getByRole('textbox', { name: 'guard_protected_prefixes' }));
    await page.keyboard.type('192.0.2.0/24\nfoo');
    await press(page, scene.button('Preview and save'));
    await problem().getByText('guard_protected_prefixes, number 2').waitFor();
    expect(await problem().locator('p').first().innerText()).not.toMatch(POINTER);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('two faults of one field are listed by its label, and said once', async () => {
    const { page } = scene;
    await scene.go('firewall');
    await press(page, scene.button('New rule').first());
    await dialog().getByLabel('Name').fill('web');
    await dialog().getByLabel('Networks').fill('198.51.100.0/24');
    await dialog().getByLabel('Ports').fill('443\n99999');
    await press(page, dialog().getByRole('button', { name: 'Create' }));
    const faults = problem().getByRole('list', { name: 'What is wrong' }).getByRole('listitem');
    await faults.first().waitFor();
    expect((await faults.allInnerTexts()).map((said) => said.slice(0, 22))).toEqual([
      ...['Ports: The protocol an', 'Ports, number 2: 99999'],
    ]);
    expect(await problem().getByText('see errors').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await press(page, scene.button('Leave without saving'));
  });

  test('limits of a tenant come back with the focus in the field that is refused', async () => {
    const { page } = scene;
    await scene.go('tenants');
    const row = page.getByRole('row').filter({ hasText: 'another' });
    await press(page, row.getByRole('button', { name: 'Limits' }));
    const prefixes = dialog().getByRole('textbox', { name: 'Prefixes', exact: true });
    await prefixes.fill('198.51.100.0/24\nfoo');
    await dialog().getByLabel('Entries of all modules together').fill('1234567');
    await press(page, dialog().getByRole('button', { name: 'Review 2 changes' }));
    await dialog().getByText('1,234,567').waitFor();
    await press(page, dialog().getByRole('button', { name: 'Save' }));
    await problem().getByText('What is wrong is said at: Prefixes.').waitFor();
    await waitFor(() => isFocused(prefixes), { what: 'the focus in the field' });
    expect(await problem().locator('p').first().innerText()).not.toMatch(POINTER);
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await press(page, scene.button('Leave without saving'));
  });

  test('what cannot be deleted is not called values that are not valid', async () => {
    const { page } = scene;
    await scene.go('communities');
    const row = page.getByRole('row').filter({ hasText: '64500:7' });
    await press(page, row.getByRole('button', { name: 'Delete' }));
    await problem().getByRole('heading', { name: 'This would be refused' }).waitFor();
    await problem().getByText('list').first().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('a moment that is over is said as the form has it, and so is no moment', async () => {
    const { page } = scene;
    await scene.go('keys');
    await press(page, scene.button('New key').first());
    await dialog().getByLabel('Name', { exact: true }).fill('old');
    const end = dialog().getByLabel('Expires at');
    await end.fill('2020-01-01T10:00');
    await press(page, dialog().getByRole('button', { name: 'Create' }));
    const fault = dialog().locator('.field-error');
    await fault.waitFor();
    expect(await fault.innerText()).toMatch(/^1 Jan 2020.* is over\. Give a time to come, or leave it empty/);
    await waitFor(() => isFocused(end), { what: 'the focus in the field' });
    await page.keyboard.press('Escape');
    await press(page, scene.button('Leave without saving'));
  });

  test('the form of a tenant says what it is to be suspended, and what withdraws its routes', async () => {
    const { page } = scene;
    await scene.go('tenants');
    const row = page.getByRole('row').filter({ hasText: 'another' });
    await press(page, row.getByRole('button', { name: 'Edit' }));
    const state = dialog().getByRole('combobox', { name: 'State' });
    await state.waitFor();
    await dialog()
      .getByText('its speakers go on announcing its routes. “Stop”, in its row, withdraws')
      .waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
