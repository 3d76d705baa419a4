/** A firewall host in the console, by keys alone: from the command that enrolls it to its deletion, with what it reports meanwhile. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

interface Enrolled {
  readonly client_id: string;
  readonly api_key: { readonly secret: string };
}

interface Host {
  readonly id: string;
  readonly key: string;
}

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a firewall host', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let web1: Host;
  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    await scene.page.goto(scene.base);
    await signIn(scene.page, scene.service.key);
    const { token } = await scene.service.post<{ token: string }>('/v1/firewall/enrollment-tokens');
    // It reports once, and is out of reach at the end.
    await report(await enroll(token, 'web2'));
  });
  afterAll(() => scene?.close());

  /** What a host itself asks the service, with its own key. */
  const ask = async <T>(key: string, method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(`${scene.service.url}/v1/firewall/clients/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as T;
  };
  const enroll = async (token: string, hostname: string): Promise<Host> => {
    const machine = { hostname, version: '1.0.0' };
    const made = await ask<Enrolled>(token, 'POST', 'enroll', machine);
    return { id: made.client_id, key: made.api_key.secret };
  };
  const report = async ({ id, key }: Host, said: object = {}): Promise<string> => {
    const { ruleset_hash } = await ask<{ ruleset_hash: string }>(key, 'GET', `${id}/ruleset`);
    const status = { ruleset_hash, status: 'applied', error: null, hostname: 'web1', version: '1.0.0' };
    await ask(key, 'POST', `${id}/apply-status`, { ...status, counters: [], ...said });
    return ruleset_hash;
  };
  const open = () => scene.go(`firewall/${web1.id}`);
  const rules = () => scene.page.getByRole('table', { name: 'Rules that are for it' }).locator('tbody tr');
  const state = (word: string) => scene.page.locator('h1').getByText(word, { exact: true });

  test('is enrolled by the command of the page, which is copied by the next key, and is listed by itself', async () => {
    const { page } = scene;
    await scene.go('firewall?tab=clients');
    await press(page, scene.button('Enroll a host'));
    await waitFor(() => isFocused(page.locator('.command .copy')), { what: 'the focus on what copies it' });
    const [, token] = /TOKEN=(\S+)/.exec(await page.locator('.command code').innerText())!;
    // What keeps hosts elsewhere from it is said before somebody tries in vain.
    await page.getByText(/^Serve the API over HTTPS/).waitFor();
    expect(await scene.violations()).toEqual([]);
    web1 = await enroll(token!, 'web1');
    const row = page.getByRole('row').filter({ hasText: 'web1' });
    await row.getByText('has never reported').waitFor();
    await press(page, row.getByRole('link', { name: 'web1' }));
    await state('has no rules yet').waitFor();
    await page.getByText(/^It has enrolled, and has never reported/).waitFor();
    await page.getByText('No rule is for it.').waitFor();
    expect(await page.title()).toBe('web1 · Host · Prefixcast');
    expect(await scene.violations()).toEqual([]);
  });

  test('shows the rules that are for it, and what each has matched', async () => {
    const { page, service } = scene;
    const { id: list } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'scanners', type: 'IP_RANGES' },
    });
    const ofAll = { name: 'no scanners', module_ids: [list], priority: 20 };
    const { id } = await service.post<{ id: string }>('/v1/firewall/rules', ofAll);
    await service.post('/v1/firewall/rules', {
      ...{ name: 'office', action: 'accept', cidrs: ['198.51.100.0/24'], priority: 10 },
      ...{ protocol: 'tcp', ports: ['443'], client_ids: [web1.id] },
    });
    const counters = [{ rule_id: id, packets: 12_345, bytes: 2_000_000 }];
    const hash = await report(web1, { counters });
    await state('online').waitFor();
    await state('has the current rules').waitFor();
    expect(
      await page
        .locator('.facts code')
        .filter({ hasText: hash.slice(0, 12) })
        .count(),
    ).toBe(1);
    // The first that applies comes first.
    expect(await rules().locator('td:nth-child(2)').allInnerTexts()).toEqual(['office', 'no scanners']);
    await rules().nth(0).getByText('tcp 443').waitFor();
    await rules().nth(1).getByText('12,345').waitFor();
    await rules().nth(1).getByText('2 MB').waitFor();
    expect(await scene.violations()).toEqual([]);
    expect(await scene.overflow()).toBe(0);
    expect(await scene.cutTables()).toEqual([]);
    await press(page, rules().nth(1).getByRole('link', { name: 'scanners', exact: true }));
    await scene.heading('scanners on').waitFor();
    // The table of all rules names the host, and leads back.
    await scene.go('firewall');
    const office = page.getByRole('row').filter({ hasText: 'office' });
    await press(page, office.getByRole('link', { name: 'web1' }));
    await state('has the current rules').waitFor();
  });

  test('says that it has other rules, could not apply them, or went back, and why', async () => {
    const { page } = scene;
    await report(web1, { ruleset_hash: 'ab'.repeat(32) });
    await state('has other rules').waitFor();
    await page.getByText('Ruleset given last').waitFor();
    await report(web1, { status: 'failed', error: 'nft: Could not process rule' });
    await state('could not apply its rules').waitFor();
    await page.locator('main .banner').getByText('nft: Could not process rule').waitFor();
    expect(await scene.violations()).toEqual([]);
    await report(web1, { status: 'reverted', error: 'The service was not reached.' });
    await state('went back to the rules before').waitFor();
    await report(web1);
    await state('has the current rules').waitFor();
    expect(await page.locator('main .banner').count()).toBe(0);
  });

  test('is on the overview while something is wrong with it', async () => {
    const { page } = scene;
    await report(web1, { status: 'failed', error: 'nft: Could not process rule' });
    await scene.go('');
    const line = page.locator('.attention li').filter({ hasText: 'Firewall rules not applied' });
    await line.getByText('nft: Could not process rule').waitFor();
    expect(await scene.violations()).toEqual([]);
    await press(page, line.getByRole('link', { name: 'web1' }));
    await state('could not apply its rules').waitFor();
    await report(web1);
    await scene.go('');
    await page.locator('.attention h2').waitFor();
    await line.waitFor({ state: 'detached' });
  });

  test('gets another policy and networks that nothing cuts off', async () => {
    const { page, service } = scene;
    await open();
    await press(page, scene.button('Edit'));
    const dialog = scene.dialog();
    await dialog.getByText('the host drops every packet that no rule accepts').waitFor();
    await tabTo(page, dialog.getByLabel('Protected networks'));
    await page.keyboard.type('192.0.2.0/24');
    expect(await scene.violations()).toEqual([]);
    await press(page, dialog.getByRole('button', { name: 'Save' }));
    await page.locator('.facts').getByText('192.0.2.0/24').waitFor();
    const { protected: kept } = await service.get<{ protected: string[] }>(`/v1/firewall/clients/${web1.id}`);
    expect(kept).toEqual(['192.0.2.0/24']);
    await state('has other rules').waitFor({ state: 'detached' });
  });

  test('is asked about before it drops what no rule accepts, by how many rules accept something of it', async () => {
    const { page, service } = scene;
    const policy = async () =>
      (await service.get<{ policy: string }>(`/v1/firewall/clients/${web1.id}`)).policy;
    const question = page.getByRole('dialog', { name: 'What would change' });
    const choose = async (words: string) => {
      await press(page, scene.button('Edit'));
      const form = scene.dialog();
      await tabTo(page, form.getByLabel('Policy'));
      await page.keyboard.type(words);
      await press(page, form.getByRole('button', { name: 'Save' }));
    };
    await open();
    await choose('accept');
    await question
      .getByText(/^web1 drops every packet .* in both directions: 1 rule of the action accept\./)
      .waitFor();
    await question.getByText('Policy: block: what no rule names passes → accept').waitFor();
    expect(await question.getByText('Nothing that is announced').count()).toBe(0);
    await waitFor(() => isFocused(question.getByRole('button', { name: 'Cancel' })), { what: 'Cancel' });
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    expect(await policy()).toBe('block');
    // While the form is open, somebody else turns the only rule off that accepts anything.
    const { items } = await service.get<{ items: { id: string; name: string }[] }>('/v1/firewall/rules');
    const office = `/v1/firewall/rules/${items.find(({ name }) => name === 'office')!.id}`;
    await service.call('PATCH', office, { enabled: false });
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await question
      .getByText('no rule accepts anything of it, and nothing passes but what always does')
      .waitFor();
    await press(page, question.getByRole('button', { name: 'Save' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
    await page.locator('.facts').getByText('accept: only what a rule accepts passes').waitFor();
    expect(await policy()).toBe('accept');
    // So is the last rule that accepts anything there, be it turned off or deleted.
    await service.call('PATCH', office, { enabled: true });
    await scene.go('firewall');
    const left = 'no rule accepts anything of them then: web1.';
    const rule = page.getByRole('row').filter({ hasText: 'office' });
    await press(page, rule.getByRole('button', { name: 'Edit' }));
    await press(page, scene.dialog().getByRole('checkbox', { name: 'Hosts apply it' }), ' ');
    await press(page, scene.dialog().getByRole('button', { name: 'Save' }));
    await question.getByText(left).waitFor();
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await press(page, page.getByRole('button', { name: 'Leave without saving' }));
    await scene.dialog().first().waitFor({ state: 'detached' });
    await press(page, rule.getByRole('button', { name: 'Delete' }));
    await scene.dialog().getByText(left).waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await open();
    // Back is no harm, and saved at once.
    await choose('block');
    await scene.dialog().waitFor({ state: 'detached' });
    expect(await policy()).toBe('block');
  });

  test('is found by the palette, the audit log and its key', async () => {
    const { page } = scene;
    // A host is online for 35 s, which its page may take on a busy machine.
    const isOnline = async (): Promise<void> => {
      await report(web1);
      await state('online').waitFor();
    };
    await scene.go('keys');
    const key = page.getByRole('row').filter({ hasText: 'firewall web1' });
    await press(page, key.getByRole('link', { name: 'web1' }));
    await isOnline();
    await press(page, page.getByRole('link', { name: 'Who changed it' }));
    // The newest: it has been changed more than once by now.
    const record = page.getByRole('row').filter({ hasText: 'firewall_client.change' }).first();
    await press(page, record.getByRole('link', { name: 'web1', exact: true }));
    await isOnline();
    await scene.go('');
    await page.keyboard.press('Control+k');
    await scene.dialog().waitFor();
    await page.keyboard.type('web1');
    await page.getByRole('option', { name: 'web1 firewall host' }).waitFor();
    await page.keyboard.press('Enter');
    await state('online').waitFor();
  });

  test('has commands to copy, its rules as a file, and another token for another machine', async () => {
    const { page, service } = scene;
    await open();
    await page.getByRole('button', { name: 'Copy What its kernel holds' }).waitFor();
    await page.getByText('prefixcast firewall client get web1', { exact: true }).waitFor();
    const download = page.waitForEvent('download');
    await press(page, scene.button('Save its rules for nft'));
    expect((await download).suggestedFilename()).toBe('web1.nft');
    await press(page, scene.button('Enroll it again'));
    const command = page.locator('.command code').filter({ hasText: 'pc_e_' });
    await command.waitFor();
    const [, token] = /TOKEN=(\S+)/.exec(await command.innerText())!;
    const again = await enroll(token!, 'web1-new');
    expect(again.id).toBe(web1.id);
    await page.locator('.facts').getByText('web1-new').waitFor();
    await expect(report(web1)).rejects.toThrow('unauthenticated');
    web1 = again;
    await report(web1, { hostname: 'web1-new' });
    const { items } = await service.get<{ items: unknown[] }>('/v1/firewall/clients');
    expect(items.length).toBe(2);
  });

  test('is deleted with a question, once no rule names it', async () => {
    const { page, service } = scene;
    await open();
    await press(page, scene.button('Delete'));
    await scene
      .dialog()
      .getByRole('alert')
      .getByText(/is used by the firewall rule office/)
      .waitFor();
    await page.keyboard.press('Escape');
    const { items } = await service.get<{ items: { id: string; name: string }[] }>('/v1/firewall/rules');
    await service.call('DELETE', `/v1/firewall/rules/${items.find(({ name }) => name === 'office')!.id}`);
    await waitFor(async () => (await rules().count()) === 1, { what: 'the rule to go from the page' });
    await press(page, scene.button('Delete'));
    await scene.focusIsOnCancel();
    await press(page, scene.dialog().getByRole('button', { name: 'Delete' }));
    await page.getByText(/^web1 was deleted/).waitFor();
    await page.getByRole('table', { name: 'Hosts' }).getByRole('link', { name: 'web2' }).waitFor();
    await scene.go(`firewall/${web1.id}`);
    await page.getByRole('alert').getByRole('link', { name: 'not_found' }).waitFor();
    await press(page, page.locator('main').getByRole('link', { name: 'Hosts' }));
    await page.getByRole('table', { name: 'Hosts' }).waitFor();
  });

  test('is out of reach once it has not reported for long, with since when and what has changed', async () => {
    const { page } = scene;
    await scene.go('firewall?tab=clients');
    await press(page, page.getByRole('link', { name: 'web2' }));
    await state('out of reach').waitFor({ timeout: 150_000 });
    // The service has not made its rules since: nobody can say that it has them.
    await state('its rules may be old').waitFor();
    await page.getByText('1 of its rules has changed since.').waitFor();
    expect(await scene.violations()).toEqual([]);
    const path = page.url().slice(scene.base.length);
    await scene.go('');
    await page.locator('.attention li').getByText('Firewall host out of reach').waitFor();
    await scene.go(path);
    await state('out of reach').waitFor();
  });

  test('may be looked at by whoever may only read, who is offered nothing else', async () => {
    const { service, base, world, page } = scene;
    const { secret } = await service.post<{ secret: string }>('/v1/api-keys', {
      ...{ name: 'reader', role: 'viewer' },
    });
    const path = page.url().slice(base.length);
    const tab = await (await world.browser.newContext()).newPage();
    await tab.goto(base + path);
    await signIn(tab, secret);
    await tab.getByRole('heading', { name: 'Commands' }).waitFor();
    for (const name of ['Edit', 'Delete', 'Enroll it again'])
      expect(await tab.getByRole('button', { name, exact: true }).count()).toBe(0);
    await tab.context().close();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
