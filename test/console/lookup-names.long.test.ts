/** What the page of a lookup says of a name whose addresses are in a held revision, and of what is gone. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { a, replyTo, startDohServer, type DohServer } from '../sources/doh/server.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const NAME = 'www.corp.example';
const ADDRESSES = ['61.6.6.6', '61.6.7.7'];

describe.skipIf(requireDaemon('chromium-headless-shell') === null)('a lookup of a name', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
  let server: DohServer;
  let rangesId: string;
  beforeAll(async () => {
    server = await startDohServer();
    server.answer = (asked) =>
      replyTo(asked, asked.type === 'A' ? ADDRESSES.map((address) => a(asked.name, address)) : []);
    scene = await Scene.open(
      await startEmptyWorld({
        ...{ APP_FETCH_ALLOW: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: server.certificates.caFile },
      }),
    );
    const { service } = scene;
    const make = (path: string, body: object) => service.post<{ id: string }>(path, body);
    const { id: doh } = await make('/v1/doh-profiles', { name: 'ours', url: server.url });
    const { id: community_id } = await make('/v1/communities', { community: '64500:7', title: 'ours' });
    ({ id: rangesId } = await make('/v1/modules', { name: 'ranges', type: 'IP_RANGES', community_id }));
    await make(`/v1/modules/${rangesId}/ip-range-entries`, {
      items: ['61.0.0.0/24', '61.0.2.0/24'].map((cidr) => ({ cidr })),
    });
    await service.succeeded(await service.post('/v1/revisions'));
    await waitFor(() => service.get('/v1/revisions/applied').catch(() => null), { what: 'an apply' });
    await service.call('PATCH', '/v1/settings', { guard_max_prefixes: 2 });
    const { id: names } = await make('/v1/modules', {
      ...{ name: 'names', type: 'DOMAINS', community_id, doh_profile_ids: [doh] },
    });
    await make(`/v1/modules/${names}/domain-entries`, { domain: NAME });
    await service.succeeded(await service.post(`/v1/modules/${names}/refresh`));
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(async () => {
    await scene?.close();
    await server?.close();
  });

  const answer = () => scene.page.locator('.lookup-answer');

  test('has all of its addresses, and says of them once which revision is held', async () => {
    await scene.go(`lookup?q=${NAME}`);
    await answer().getByText('Not announced', { exact: true }).waitFor();
    for (const address of ADDRESSES)
      await answer().locator('.chain-entry').getByText(`${address}/32`, { exact: true }).waitFor();
    const held = answer().locator('.why-not li').filter({ hasText: 'Held' });
    await held.getByText(`Of ${ADDRESSES.join(' and ')}:`).waitFor();
    await held.getByText(/^Revision \d+ has it, and is held \(max_prefixes_exceeded\)/).waitFor();
    await held.getByRole('link', { name: /^Revision \d+$/ }).waitFor();
    expect(await held.count()).toBe(1);
    expect(await scene.violations()).toEqual([]);
    expect(await scene.overflow()).toBe(0);
  });

  test('that no list has says where to go on, and a place that is gone who had it', async () => {
    const { service } = scene;
    await scene.go('lookup?q=gone.corp.example');
    await answer().getByText('In no list', { exact: true }).waitFor();
    await answer().getByText('Whether its addresses are announced, a lookup of them says.').waitFor();
    await service.call('PATCH', '/v1/settings', { guard_max_prefixes: null });
    await service.call('DELETE', `/v1/modules/${rangesId}/ip-range-entries`, { filter: { q: '61.0.2' } });
    await service.succeeded(await service.post('/v1/revisions'));
    await scene.go('lookup?q=61.0.2.1');
    await answer().getByText('In no list', { exact: true }).waitFor({ timeout: 30_000 });
    await answer().getByText('No list has it now, and no route covers it.').waitFor();
    const gone = answer().locator('.history li').first();
    await gone.getByText('had it through').waitFor();
    await gone.getByRole('link', { name: 'ranges' }).waitFor();
    expect(await answer().getByText('no revision').count()).toBe(0);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
