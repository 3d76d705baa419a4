/** Flows 7, 10, 11 and 12: stale sources, jobs and the audit log, keys, and a node that enrolls. */
import { expect, test } from 'vitest';
import { startAgent } from '../agent/world.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import type { Scene } from './scene.ts';
import { SOURCE_MODULE } from './world.ts';

export function operationFlows(sceneOf: () => Scene): void {
  test('flow 7: a stale source shows what is retained, and is refreshed', async () => {
    const scene = sceneOf();
    const { page, world } = scene;
    await world.breakSource();
    await scene.go('sources?status=stale');
    const row = page.getByRole('row').filter({ hasText: SOURCE_MODULE });
    await row.getByText('stale', { exact: true }).waitFor();
    // Prefixes that it has, and those that are retained.
    expect(await row.locator('.counts').count()).toBe(2);
    expect(await row.textContent()).toContain('404');
    // When it is read next, and against what its age is measured.
    const due = await page
      .getByRole('columnheader')
      .evaluateAll((heads: { textContent: string }[]) =>
        heads.findIndex(({ textContent }) => textContent.startsWith('Due')),
      );
    expect(await row.getByRole('cell').nth(due).innerText()).toMatch(/^by hand$|\d/);
    await page.getByText(/Too old: that was more than \d+ (days?|hours?) ago\.$/).waitFor();
    // In words: the code before them is for programs.
    expect(await row.textContent()).not.toContain('source_http_status');
    expect(await scene.violations()).toEqual([]);
    world.mendSource();
    await press(page, scene.button('Refresh 1 module'));
    // By an event alone: nobody loads the page again.
    await page.getByText('No source is like this').waitFor();
  });

  test('flow 10: a job leads to the audit log, and that to what changed', async () => {
    const scene = sceneOf();
    const { page, world, service } = scene;
    await service.call('PATCH', `/v1/modules/${world.moduleId}`, { description: 'as it is now' });
    await scene.go('jobs?type=module_refresh');
    await press(page, page.getByRole('row').filter({ hasText: SOURCE_MODULE }).getByRole('link').first());
    await scene.heading(/^Refresh/).waitFor();
    await page.getByText('Result').waitFor();
    await press(page, page.getByRole('link', { name: 'What the audit log says of it' }));
    await scene.heading('Audit log').waitFor();
    const change = page.getByRole('row').filter({ hasText: 'module.change' }).first();
    await press(page, change.getByRole('button', { name: 'Show' }));
    const changed = scene.dialog().getByRole('row').filter({ hasText: 'description' });
    await changed.getByText('as it is now').waitFor();
    expect(await scene.violations()).toEqual([]);
    await press(page, scene.dialog().getByRole('link', { name: 'Jobs about it' }));
    await scene.heading('Jobs').waitFor();
    await page.getByText('Only about one thing.').waitFor();
  });

  test('flow 11: the secret of a key is shown once, until somebody stored it', async () => {
    const scene = sceneOf();
    const { page, service } = scene;
    const answerTo = async (secret: string): Promise<number> =>
      (await fetch(`${service.url}/v1/modules`, { headers: { authorization: `Bearer ${secret}` } })).status;
    await scene.go('keys');
    await press(page, scene.button('New key'));
    const dialog = scene.dialog();
    await tabTo(page, dialog.getByLabel('Name'));
    await page.keyboard.type('dashboard');
    await press(page, dialog.getByRole('button', { name: 'Create' }));
    const secret = dialog.locator('.command code');
    await secret.waitFor();
    const shown = (await secret.textContent())!;
    expect(await answerTo(shown)).toBe(200);
    await page.keyboard.press('Escape');
    expect(await secret.isVisible()).toBe(true);
    expect(await scene.violations()).toEqual([]);
    const close = dialog.getByRole('button', { name: 'Close' });
    expect(await close.isDisabled()).toBe(true);
    await press(page, dialog.getByRole('checkbox'), ' ');
    await press(page, close);
    await dialog.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(shown);
    const row = page.getByRole('row').filter({ hasText: 'dashboard' });
    await press(page, row.getByRole('button', { name: 'Revoke' }));
    await scene.focusIsOnCancel();
    await press(page, dialog.getByRole('button', { name: 'Revoke' }));
    await row.getByText('revoked', { exact: true }).waitFor();
    await waitFor(async () => (await answerTo(shown)) === 401, { what: 'the refusal of the key' });
  });

  test('flow 12: a node is enrolled by one command, and the page follows it', async () => {
    const scene = sceneOf();
    const { page, service, world } = scene;
    await scene.go('nodes/new');
    await tabTo(page, page.getByLabel('Name'));
    await page.keyboard.type('edge-9');
    await page.keyboard.press('Tab');
    await waitFor(() => isFocused(page.getByLabel('AS number')), { what: 'the next field' });
    await page.keyboard.type('64512');
    await press(page, scene.button('Make the speaker'));
    await press(page, scene.button('Make the command'));
    const command = (await page.locator('.command code').textContent())!;
    const [, url, token] = /^APP_AGENT_CONTROL_URL=(\S+) APP_AGENT_TOKEN=(\S+) prefixcast agent$/.exec(
      command,
    )!;
    await page.getByText('Waiting for it.').waitFor();
    expect(await scene.violations()).toEqual([]);
    const agent = await startAgent({ url: url!, token: token! }, world.casting.dataDir);
    try {
      const isDone = async (step: string) =>
        (await page.getByRole('listitem').filter({ hasText: step }).textContent())!.startsWith('✓');
      await waitFor(() => isDone('The node has enrolled'), { what: 'the node', details: agent.said });
      await waitFor(() => isDone('The speaker answers'), { what: 'its speaker', details: agent.said });
      await press(page, page.getByRole('link', { name: 'Open the speaker' }));
      await scene.heading(/^edge-9/).waitFor();
      await page.getByText('on a node').waitFor();
    } finally {
      await agent.stop();
      const { items } = await service.get<{ items: { id: string; name: string }[] }>('/v1/speakers');
      const { id } = items.find(({ name }) => name === 'edge-9')!;
      await service.call('PATCH', `/v1/speakers/${id}`, { enabled: false });
    }
  });
}
