/** What pages say is as it is: while the service does not answer, of what is held, of what failed, and of what a deletion takes away. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { SPEAKER_ASN } from '../e2e/casting.ts';
import { press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

interface Made {
  readonly id: string;
}

/** Of the overview where nothing is wrong: there is no router here. */
const WELL = 'No router has these lists';

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('what is said', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let moduleId: string;
  let communityId: string;

  const add = (cidr: string): Promise<Made> =>
    scene.service.post(`/v1/modules/${moduleId}/ip-range-entries`, { items: [{ cidr }] });
  const appliedCount = (count: number): Promise<true> =>
    waitFor(
      async () => {
        const path = '/v1/revisions/applied';
        const revision = await scene.service.get<{ prefix_count: { ipv4: number } }>(path).catch(() => null);
        return revision?.prefix_count.ipv4 === count;
      },
      { what: `${count} routes to be applied` },
    );

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service } = scene;
    await service.call('PATCH', '/v1/settings', { auto_revision: true });
    ({ id: communityId } = await service.post<Made>('/v1/communities', {
      ...{ community: '64500:501', title: 'Shops by domain name' },
    }));
    ({ id: moduleId } = await service.post<Made>('/v1/modules', {
      ...{ name: 'shops', type: 'IP_RANGES', community_id: communityId },
    }));
    await add('45.0.0.0/24');
    await appliedCount(1);
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('a page whose script does not come says so, and the one before is not shown for it', async () => {
    const { page, service } = scene;
    await page.getByText(WELL).waitFor();
    // Nothing answers, and no connection ends.
    process.kill(service.pid, 'SIGSTOP');
    try {
      await page.keyboard.press('g');
      await page.keyboard.press('f');
      await scene.heading('Feeds').waitFor();
      await page.getByRole('status').getByText('Waiting for the page …').waitFor();
      expect(await page.getByText(WELL).count()).toBe(0);
      expect(await page.title()).toBe('Feeds · Prefixcast');
      expect(await scene.violations()).toEqual([]);
      await page.setViewportSize({ width: 1280, height: 844 });
    } finally {
      process.kill(service.pid, 'SIGCONT');
    }
    await page.getByText('No feeds yet').waitFor();
  });

  test('of what a policy that was narrowed holds, it is not said that all of it stays', async () => {
    const { service, base, world } = scene;
    const policyOf = (...allowed: string[]) => ({
      ...{ allowed_prefixes: allowed, allowed_communities: null },
      ...{ allowed_local_asns: null, allowed_peer_networks: null },
    });
    const tenant = await service.post<Made & { readonly api_key: { readonly secret: string } }>(
      '/v1/tenants',
      {
        ...{ name: 'Acme', slug: 'acme', policy: policyOf('45.0.0.0/16') },
      },
    );
    const key = tenant.api_key.secret;
    const asAcme = async (path: string, body: unknown): Promise<Made> => {
      const answer = await fetch(service.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(answer.ok, path).toBe(true);
      return (await answer.json()) as Made;
    };
    const { id } = await asAcme('/v1/modules', { name: 'nets', type: 'IP_RANGES' });
    await asAcme(`/v1/modules/${id}/ip-range-entries`, {
      items: [{ cidr: '45.0.2.0/24' }, { cidr: '45.0.4.0/24' }],
    });
    const theirs = await (await world.browser.newContext()).newPage();
    await theirs.goto(`${base}revisions/latest`);
    await signIn(theirs, key);
    await asAcme('/v1/revisions', {});
    await service.call('PATCH', `/v1/tenants/${tenant.id}`, { policy: policyOf('45.0.2.0/24') });
    await asAcme('/v1/revisions', {});
    await theirs.goto(`${base}modules/${id}?tab=held`);
    await theirs.getByText('Not allowed by the policy of the tenant').first().waitFor();
    await theirs.getByText('routers keep what the policy of the tenant allows').waitFor();
    expect(await theirs.getByText('Routers keep its last accepted prefixes').count()).toBe(0);
    await theirs.context().close();
  });

  test('who changed a community is asked by the number that routers know, and the record leads to it', async () => {
    const { page } = scene;
    await scene.go('audit?q=64500:501');
    const row = page.getByRole('row').filter({ hasText: 'community.create' });
    const link = row.getByRole('link', { name: '64500:501 Shops by domain name', exact: true });
    await link.waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, link);
    await scene.heading('Communities').waitFor();
    await page.getByRole('row').filter({ hasText: 'Shops by domain name' }).waitFor();
    expect(new URL(page.url()).searchParams.get('find')).toBe('64500:501');
  });

  test('a community that cannot be deleted leads to the module that has it', async () => {
    const { page } = scene;
    await scene.go('communities');
    await press(
      page,
      page.getByRole('row').filter({ hasText: '64500:501' }).getByRole('button', { name: 'Delete' }),
    );
    await scene.dialog().getByRole('heading', { name: 'This would be refused' }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, scene.dialog().getByRole('link', { name: 'shops', exact: true }));
    await scene.heading(/^shops /).waitFor();
  });

  test('the overview says which feed serves nothing, and which webhook fails', async () => {
    const { page, service } = scene;
    const feed = await service.post<Made & { path: string; token: string }>('/v1/feeds', {
      ...{ name: 'tight', max_prefixes: 1 },
    });
    // Nobody listens there.
    const webhook = await service.post<Made>('/v1/webhooks', {
      ...{ name: 'chat', url: 'http://127.0.0.1:1/', events: ['revision'] },
    });
    await add('45.0.8.0/24');
    await appliedCount(2);
    const fetched = await fetch(`${service.url}${feed.path}?token=${feed.token}`);
    expect(fetched.status).toBe(503);
    await fetched.text();
    await scene.go('');
    const line = (name: string) => page.locator('.attention li').filter({ hasText: name });
    await line('tight').getByText('Feed serves nothing', { exact: true }).waitFor();
    await line('tight').getByText('the limit “Prefixes of a family at most” is 1.').waitFor();
    await line('chat').getByText('Webhook fails', { exact: true }).waitFor();
    await line('chat').getByText('ECONNREFUSED').waitFor();
    expect(await page.getByText(WELL).count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, line('tight').getByRole('link', { name: 'tight' }));
    await scene.heading('Feeds').waitFor();
    await scene.go('');
    await press(page, line('chat').getByRole('link', { name: 'chat' }));
    await scene.heading('chat failing').waitFor();
    await service.call('DELETE', `/v1/feeds/${feed.id}`);
    await service.call('DELETE', `/v1/webhooks/${webhook.id}`);
    await scene.go('');
    await page.getByText(WELL).waitFor();
  });

  test('the overview says that an apply failed, why, and where that is changed', async () => {
    const { page, service } = scene;
    const { id } = await service.post<Made>('/v1/speakers', {
      ...{ name: 'second', daemon: 'builtin', local_asn: SPEAKER_ASN },
    });
    await service.call('PATCH', '/v1/settings', { deploy_canary_speaker_ids: [id] });
    await service.call('PATCH', `/v1/speakers/${id}`, { enabled: false });
    await add('45.0.6.0/24');
    await scene.go('');
    const line = page.locator('.attention li').filter({ hasText: 'builtin' });
    await line.getByText('Apply failed', { exact: true }).waitFor();
    await line
      .getByText(
        /can go first, so nothing was applied\. The speaker second is disabled\..* choose none to do without/,
      )
      .waitFor();
    expect(await page.getByText(WELL).count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, line.getByRole('link', { name: 'The apply' }));
    await scene.heading('Apply failed').waitFor();
    await scene.go('');
    await press(page, line.getByRole('link', { name: 'Choose canaries' }));
    await page.getByRole('group', { name: /^deploy_canary_speaker_ids/ }).waitFor();
    await service.call('PATCH', '/v1/settings', { deploy_canary_speaker_ids: [] });
    await service.call('DELETE', `/v1/speakers/${id}`);
  });

  test('a router that is down is said to lack a next hop before it is up', async () => {
    const { page, service } = scene;
    await add('2a00:1::/32');
    const peer = await service.post<Made>('/v1/peers', {
      ...{ name: 'away', address: '127.0.0.9', port: 1, remote_asn: 64_500, families: ['ipv4', 'ipv6'] },
    });
    await scene.go(`peers/${peer.id}`);
    await page.getByRole('row').filter({ hasText: 'down (' }).waitFor();
    await page.getByText('1 route of those expected has no next hop at it, and would not be sent.').waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, page.getByRole('link', { name: 'Change “IPv6 next hop”' }));
    await scene.dialog().getByLabel('IPv6 next hop').waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    expect(await page.getByRole('link', { name: 'Change “IPv4 next hop”' }).count()).toBe(0);
    await service.call('DELETE', `/v1/peers/${peer.id}`);
  });

  test('the reason of a rollback is in the audit log', async () => {
    const { page } = scene;
    await scene.go('revisions/1');
    await page.keyboard.press('u');
    await scene.focusIsOnCancel();
    await scene.dialog().getByLabel('Reason').fill('the list was cut in half');
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await press(page, scene.dialog().getByRole('button', { name: 'Roll back to this' }));
    await scene.heading(/^Apply /).waitFor();
    await scene.go('audit?q=revision.rollback');
    await press(
      page,
      page.getByRole('row').filter({ hasText: 'revision.rollback' }).getByRole('button', { name: 'Show' }),
    );
    await scene.dialog().getByText('the list was cut in half').waitFor();
    await page.keyboard.press('Escape');
  });

  test('what a job did is said in words and units', async () => {
    const { page, service } = scene;
    const policy = await service.post<Made>('/v1/maintenance/policies', {
      ...{ name: 'old', kind: 'revision_prune', enabled: false, parameters: { older_than_days: 0 } },
    });
    const job = await service.post<Made>(`/v1/maintenance/policies/${policy.id}/run`);
    await service.succeeded(job);
    await scene.go(`jobs/${job.id}`);
    const result = page.locator('section').filter({ hasText: 'Result' });
    await result.getByText('removes old revisions', { exact: true }).waitFor();
    await result.getByText(/^revision \d+/).waitFor();
    const said = await result.innerText();
    expect(said).toMatch(/Size\s+[\d.,]+ (bytes|kB)/);
    expect(said).not.toMatch(/dry_run|revision_prune|parts/);
    expect(await scene.violations()).toEqual([]);
  });

  test('who deletes a feed reads that its readers are refused, and when it was fetched', async () => {
    const { page, service } = scene;
    const feed = await service.post<Made & { path: string; token: string }>('/v1/feeds', { name: 'drop' });
    await scene.go('feeds');
    const remove = page.getByRole('row').filter({ hasText: 'drop' }).getByRole('button', { name: 'Delete' });
    await press(page, remove);
    await scene.dialog().getByText('/feeds/drop and its token stop working at once').waitFor();
    await scene.dialog().getByText('Nobody has fetched it yet.').waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    const answer = await fetch(`${service.url}${feed.path}?token=${feed.token}`);
    expect(answer.status).toBe(200);
    await answer.text();
    await page.getByRole('row').filter({ hasText: 'drop' }).getByText('ago').waitFor();
    await press(page, remove);
    await scene
      .dialog()
      .getByText(/^It was fetched last .* by 127\.0\.0\.1\s*\.$/)
      .waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    // A new token refuses the same readers.
    await press(
      page,
      page.getByRole('row').filter({ hasText: 'drop' }).getByRole('button', { name: 'New token' }),
    );
    await scene
      .dialog()
      .getByText(/^It was fetched last .* by 127\.0\.0\.1\s*\.$/)
      .waitFor();
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await press(page, remove);
    await press(page, scene.dialog().getByRole('button', { name: 'Delete' }));
    await page.getByText('drop was deleted.').waitFor();
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
