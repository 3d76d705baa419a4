/** What the console says of routers that have no session, and of nodes that nobody has enrolled: never that they have routes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { SPEAKER_ASN } from '../e2e/casting.ts';
import { isFocused, press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld, type World } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;
/** What the small router takes before it closes its session, for good. */
const LIMIT = 3;

const UNLIMITED = {
  address: '127.0.0.1',
  port: 1,
  asn: SPEAKER_ASN,
  passive: true,
  families: ['ipv4', 'ipv6'],
  gracefulRestart: true,
  extendedMessages: true,
} as const;

interface Live {
  readonly live: { readonly sessions: readonly { readonly peer_name: string; readonly state: string }[] };
}

interface ApplyJob {
  readonly id: string;
  readonly resource: { readonly type: string } | null;
  readonly result: { readonly speakers: readonly { readonly status: string }[] } | null;
}

interface Applied {
  readonly last_apply: { readonly status: string } | null;
}

describe.skipIf(lacks)('routers that are away', () => {
  let scene: Scene<Pick<World, 'casting' | 'browser' | 'close'>>;
  let small: Bird;
  let large: Bird;
  let moduleId: string;
  const add = async (...cidrs: string[]): Promise<void> => {
    const items = cidrs.map((cidr) => ({ cidr }));
    await scene.service.post(`/v1/modules/${moduleId}/ip-range-entries`, { items });
  };
  const sessionIs = async (peer: string, isUp: boolean): Promise<void> => {
    await waitFor(
      async () => {
        const { items } = await scene.service.get<{ items: Live[] }>('/v1/speakers?live=true');
        const session = items
          .flatMap(({ live }) => live.sessions)
          .find(({ peer_name }) => peer_name === peer);
        return session !== undefined && (session.state === 'established') === isUp;
      },
      { what: `${peer} to be ${isUp ? 'up' : 'away'}` },
    );
  };

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { casting } = scene.world;
    const { service } = casting;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    large = await casting.addBird();
    small = await casting.addBird();
    await small.configure({
      neighbors: [
        {
          ...UNLIMITED,
          ...{ importLimit: LIMIT, importLimitAction: 'disable' },
        },
      ],
    });
    const { id: communityId } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'away' },
    });
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'away list', type: 'IP_RANGES', community_id: communityId },
    }));
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('a router that could not take the routes and closed its session holds none, and nothing says that it kept them', async () => {
    const { page } = scene;
    await add('61.0.0.0/24', '61.0.2.0/24');
    await small.waitRoutes(2);
    // What a peer holds is what an apply has confirmed.
    await waitFor(
      async () => {
        const { items } = await scene.service.get<{ items: Applied[] }>('/v1/speakers');
        return items[0]!.last_apply?.status === 'ok';
      },
      { what: 'the first apply to end' },
    );
    await add('61.0.4.0/24', '61.0.6.0/24', '61.0.8.0/24');
    await sessionIs('bird2', false);
    await small.waitRoutes(0);
    await large.waitRoutes(5);
    await scene.go('');
    const line = page.locator('.attention li').filter({ hasText: 'bird2' });
    await line.getByText('Session down', { exact: true }).waitFor();
    await page.locator('.attention').getByText('1 thing needs you').waitFor();
    expect(await page.getByText('kept its old routes').count()).toBe(0);
    await press(page, line.getByRole('link', { name: /try again where it failed/ }));
    await scene.heading('Apply partly applied').waitFor();
    const alert = page.getByRole('alert');
    await alert.getByText('has no session; its old routes are sent once it is back').waitFor();
    expect(await scene.violations()).toEqual([]);
    expect(await scene.overflow()).toBe(0);
  });

  test('the page of the router says that its session is down, what it will hold, and what it could not take', async () => {
    const { page } = scene;
    await press(page, page.getByRole('alert').getByRole('link', { name: 'bird2' }));
    await scene.heading('bird2 on session down').waitFor();
    const banner = page.locator('main .banner');
    await banner.getByText('It holds no routes while it has no session.').waitFor();
    const revisions = banner.getByRole('link', { name: /^Revision \d+$/ });
    await waitFor(async () => (await revisions.count()) === 2, { what: 'both revisions by their numbers' });
    await banner.getByRole('link', { name: /try again where it failed/ }).waitFor();
    await page.getByRole('table').getByText('down (', { exact: false }).first().waitFor();
    await page.getByText('by the builtin speaker at least once a minute').waitFor();
    expect(await scene.violations()).toEqual([]);
  });

  test('a lookup names the routers that are sent nothing, and announces to nobody once all are away', async () => {
    const { page, service } = scene;
    await scene.go('lookup?q=61.0.4.1');
    await page.getByText('Announced, but not everywhere', { exact: true }).waitFor();
    const chain = page.locator('.chain');
    const away = (peer: string) => chain.locator('p').filter({ hasText: peer }).getByText('no session');
    await away('bird2').waitFor();
    expect(await away('bird1').count()).toBe(0);
    // A router that is sent other communities receives it no more than one that is away.
    const { id: other } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:8', title: 'other' },
    });
    const { items } = await service.get<{ items: { id: string; name: string }[] }>('/v1/peers');
    const bird1 = items.find(({ name }) => name === 'bird1')!;
    await service.call('PATCH', `/v1/peers/${bird1.id}`, { community_ids: [other] });
    await large.waitRoutes(0);
    await scene.go('lookup?q=61.0.4.1');
    await page.getByText('Announced to no peer', { exact: true }).waitFor();
    const bird1Line = chain.locator('p').filter({ hasText: 'bird1' });
    await bird1Line.getByText('not sent', { exact: true }).waitFor();
    await bird1Line.getByText('it takes 64500:8 only', { exact: true }).waitFor();
    await service.call('PATCH', `/v1/peers/${bird1.id}`, { community_ids: [] });
    await large.waitRoutes(5);
    await scene.go('lookup?q=61.0.4.1');
    await page.getByText('Announced, but not everywhere', { exact: true }).waitFor();
    await large.stop();
    await sessionIs('bird1', false);
    await page.getByText('Announced to no peer', { exact: true }).waitFor();
    await away('bird1').waitFor();
    await scene.go('lookup?q=61.0.4.1 62.0.0.1');
    await page.getByRole('row').filter({ hasText: '61.0.4.1' }).getByText('Announced to no peer').waitFor();
    expect(await scene.violations()).toEqual([]);
  });

  test('the page of an apply says when a router has taken what it could not take', async () => {
    const { page, service } = scene;
    const { items } = await service.get<{ items: ApplyJob[] }>('/v1/jobs?type=apply');
    // Applies of a change of routers are of no revision.
    const partly = items.find(
      ({ result, resource }) =>
        resource?.type === 'revision' && result?.speakers.some(({ status }) => status === 'partial') === true,
    )!;
    await scene.go(`applies/${partly.id}`);
    await page.getByRole('alert').getByText('Not every router has the revision').waitFor();
    await expect.poll(() => page.title()).toMatch(/^Apply of revision \d+: partly applied/);
    await press(page, scene.button('Retry where it failed'));
    await waitFor(() => Promise.resolve(!page.url().includes(partly.id)), { what: 'the page of the retry' });
    // While it is still away, no other attempt is of use, and nothing says that one is needed.
    const taken = page.locator('.partly-applied li').filter({ hasText: 'bird2' });
    await taken.getByText('it is sent the new routes by itself once it is back').waitFor();
    await page.getByText('There is nothing more to do').waitFor();
    expect(await page.getByText('its old routes are sent').count()).toBe(0);
    expect(await scene.button('Retry where it failed').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
    await small.configure({ neighbors: [UNLIMITED] });
    await small.command('enable all');
    await small.waitRoutes(5);
    // What was said of it then is of then.
    await taken.getByText('has what its speaker announces now').waitFor();
    await taken.getByText('When the apply ended:').waitFor();
    await scene.go(`applies/${partly.id}`);
    const note = page
      .getByRole('status')
      .filter({ hasText: 'Every router has by now what its speaker announces' });
    await note.getByText('has what its speaker announces now').waitFor();
    expect(await scene.button('Retry where it failed').count()).toBe(0);
    expect(await scene.violations()).toEqual([]);
  });

  test('a router that lacks a next hop is sent no routes of that family, and nothing says that it has them', async () => {
    const { page, service } = scene;
    const { items } = await service.get<{ items: { id: string; name: string }[] }>('/v1/peers');
    const bird2 = items.find(({ name }) => name === 'bird2')!;
    await service.call('PATCH', `/v1/peers/${bird2.id}`, { next_hop_ipv6: null });
    await add('2a00:1::/32');
    await scene.go('');
    const line = page.locator('.attention li').filter({ hasText: 'bird2' });
    await line.getByText('Routes are not sent', { exact: true }).waitFor();
    await line
      .getByText('set the IPv6 next hop of the peer or the IPv6 source address of the speaker')
      .waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    // The remedy leads to its field, however long the form is, and the page of the router is behind it.
    await press(page, line.getByRole('link', { name: 'Change “IPv6 next hop”' }));
    const field = scene.dialog().getByLabel('IPv6 next hop');
    await waitFor(() => isFocused(field), { what: 'the focus in the field' });
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await scene.heading(/^bird2/).waitFor();
    expect(new URL(page.url()).search).toBe('');
    const remedy = page.getByRole('link', { name: 'Change “IPv6 next hop”' });
    await remedy.waitFor();
    expect(await scene.cutTables()).toEqual([]);
    // What it is not sent is expected of it all the same.
    await scene.go('sessions');
    const session = page.getByRole('row').filter({ hasText: 'bird2' });
    await session.locator('.badge.warning').getByText('5 of 6', { exact: true }).waitFor();
    // The remedy stays in its column, which others follow here.
    const cell = session.getByRole('cell').filter({ has: remedy });
    const [within, link] = [(await cell.boundingBox())!, (await remedy.boundingBox())!];
    expect(link.x + link.width).toBeLessThanOrEqual(within.x + within.width);
    await scene.go('lookup?q=2a00:1::1');
    await page.getByText('Announced to no peer', { exact: true }).waitFor();
    const chain = page.locator('.chain');
    await chain.locator('p').filter({ hasText: 'bird2' }).getByText('No next hop').waitFor();
    await page.locator('.why-not').getByText('set the IPv6 next hop of the peer').waitFor();
    expect(await scene.violations()).toEqual([]);
    await service.call('PATCH', `/v1/peers/${bird2.id}`, { next_hop_ipv6: '2001:db8::1' });
    await small.waitRoutes(6);
    await scene.go('lookup?q=2a00:1::1');
    await page.getByText('Announced', { exact: true }).waitFor();
  });

  test('a node that nobody has enrolled is one thing to do, with the page that does it', async () => {
    const { page, service } = scene;
    const { id } = await service.post<{ id: string }>('/v1/speakers', {
      ...{ name: 'pop9', mode: 'agent', daemon: 'builtin', local_asn: SPEAKER_ASN },
    });
    await scene.go('sessions');
    const banner = page.locator('main .banner').filter({ hasText: 'pop9' });
    await banner.getByText('no node has enrolled yet, so it announces nothing.').waitFor();
    await scene.go('');
    const lines = page.locator('.attention li').filter({ hasText: 'pop9' });
    await lines.getByText('Node not enrolled', { exact: true }).waitFor();
    expect(await lines.count()).toBe(1);
    expect(await page.locator('main').innerText()).not.toMatch(/unknown at|\/v1\//);
    expect(await scene.violations()).toEqual([]);
    await press(page, lines.getByRole('link', { name: 'Make the command that enrolls it' }));
    await scene.heading('Enroll a node').waitFor();
    expect(new URL(page.url()).searchParams.get('speaker')).toBe(id);
    await scene.go('speakers');
    await page.getByRole('row').filter({ hasText: 'pop9' }).getByText('not enrolled').waitFor();
    // Its page says whom it will have sessions with, and leads to the page that enrolls it by its name.
    await scene.go(`speakers/${id}`);
    await page.getByText('Once its node has enrolled, it opens sessions to these peers:').waitFor();
    for (const name of ['bird1', 'bird2'])
      await page.locator('main').getByRole('link', { name, exact: true }).waitFor();
    await page.locator('main .banner').getByRole('link', { name: 'the page Enroll a node' }).waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(/It has no peers|Speakers and nodes/);
    expect(await scene.violations()).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 844 });
    // It announces nothing at all, so no address is announced any less for it.
    await scene.go('lookup?q=61.0.4.1');
    await page.getByText('Announced', { exact: true }).waitFor();
    const besides = page.locator('.why-not li').filter({ hasText: 'pop9' });
    await besides.getByText('Node not enrolled', { exact: true }).waitFor();
    await besides.getByRole('link', { name: 'Make the command that enrolls it' }).waitFor();
    expect(await scene.violations()).toEqual([]);
    // A plan says the same of it, in place of routes that nobody would be sent.
    const { items } = await service.get<{ items: { id: string; type: string }[] }>('/v1/modules');
    await scene.go(`modules/${items.find(({ type }) => type === 'IP_RANGES')!.id}`);
    await page.getByRole('grid').waitFor();
    await page.keyboard.press('n');
    await tabTo(page, scene.dialog().getByLabel('Prefix or address'));
    await page.keyboard.type('61.9.9.0/24');
    await press(page, scene.dialog().getByRole('button', { name: 'Preview' }));
    const planned = scene.dialog().locator('.plan-speakers li').filter({ hasText: 'pop9' });
    await planned.getByText('no node has enrolled yet, so nothing is sent').waitFor();
    expect(await planned.innerText()).not.toMatch(/announced/);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
