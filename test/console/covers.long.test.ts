/** What fitting a peer's routes costs, and whose addresses that adds, where somebody decides about it; by keys alone. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const HOLDERS = '11.0.0.0\t11.0.0.255\t64500\tZZ\tOURS\n11.0.1.0\t11.0.1.63\t64501\tZZ\tSOMEBODY ELSE\n';

describe.skipIf(requireDaemon('chromium-headless-shell') === null || requireDaemon('bird') === null)(
  'the cost of a cover',
  () => {
    let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;
    let directory: string;
    let moduleId: string;
    let speakerId: string;
    beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'prefixcast-covers-'));
      const table = join(directory, 'asn.tsv');
      await writeFile(table, HOLDERS);
      const asn = { APP_ASN_SOURCE: 'table', APP_ASN_SOURCE_URL: pathToFileURL(table).href };
      scene = await Scene.open(await startEmptyWorld(asn));
      const { service, world } = scene;
      await service.call('PATCH', '/v1/settings', { auto_revision: true });
      await world.casting.addBird();
      const [peer] = (await service.get<{ items: { id: string }[] }>('/v1/peers')).items;
      const limits = { max_prefixes_out: 2, when_too_many: 'fit' };
      await service.call('PATCH', `/v1/peers/${peer!.id}`, limits);
      speakerId = (await service.get<{ items: { id: string }[] }>('/v1/speakers')).items[0]!.id;
      const made = await service.post<{ id: string }>('/v1/communities', {
        community: '64500:200',
        title: 'Ours',
      });
      const module = { name: 'ranges', type: 'IP_RANGES', community_id: made.id };
      moduleId = (await service.post<{ id: string }>('/v1/modules', module)).id;
      const items = [{ cidr: '11.0.0.0/24' }, { cidr: '12.0.0.0/25' }];
      await service.post(`/v1/modules/${moduleId}/ip-range-entries`, { items });
      await sent(2);
      await scene.page.goto(scene.base);
      await signIn(scene.page, service.key);
    });
    afterAll(async () => {
      await scene?.close();
      await rm(directory, { recursive: true, force: true });
    });

    /** Until the peer is sent so many routes. */
    const sent = (count: number): Promise<true> =>
      waitFor(
        async () => {
          const path = `/v1/speakers/${speakerId}?live=true`;
          const { live } = await scene.service.get<{ live: { sessions: { routes_exported: number }[] } }>(
            path,
          );
          return live.sessions[0]?.routes_exported === count;
        },
        { what: `${count} routes at the peer` },
      );

    const planAnEntry = async (cidr: string) => {
      const { page } = scene;
      await scene.go(`modules/${moduleId}`);
      await page.keyboard.press('n');
      const dialog = scene.dialog();
      await tabTo(page, dialog.getByLabel('Prefix or address'));
      await page.keyboard.type(cidr);
      await press(page, dialog.getByRole('button', { name: 'Preview' }));
      return dialog;
    };

    /** Types another limit into the form of the peer, and sends it. */
    const limitTo = async (most: string): Promise<void> => {
      const { page, service } = scene;
      const [peer] = (await service.get<{ items: { id: string }[] }>('/v1/peers')).items;
      await scene.go(`peers/${peer!.id}`);
      await press(page, scene.button('Edit'));
      await tabTo(page, scene.dialog().getByLabel('Routes at most'));
      await page.keyboard.press('Control+A');
      await page.keyboard.type(most);
      await page.keyboard.press('Enter');
    };

    test('is asked where a router is given a limit that its routes do not fit', async () => {
      const { page } = scene;
      await limitTo('1');
      const question = scene.dialog().filter({ has: page.getByText('What would change', { exact: true }) });
      await question
        .getByText(/keeps what it has: .*Raise the limit “Routes at most”, or send the peer fewer/)
        .first()
        .waitFor();
      expect(await question.textContent()).not.toContain('max_prefixes_out');
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'detached' });
      await press(page, scene.dialog().getByRole('button', { name: 'Cancel' }));
      await scene.dialog().waitFor({ state: 'detached' });
    });

    test('that is not allowed says in the plan whose addresses it is about', async () => {
      const dialog = await planAnEntry('11.0.1.128/25');
      await dialog.getByText('keeps what it has: fitting its routes would add 128 foreign').waitFor();
      await press(scene.page, dialog.getByRole('button', { name: 'Who holds the largest?' }));
      await dialog.getByText('AS64501 SOMEBODY ELSE (11.0.1.0-11.0.1.63)').waitFor();
      await dialog.getByText('11.0.1.0/25', { exact: true }).waitFor();
      expect(await scene.violations()).toEqual([]);
      await press(scene.page, dialog.getByRole('button', { name: 'Cancel' }));
    });

    test('that is allowed stands in the plan, and then at the speaker', async () => {
      const { page, service } = scene;
      await service.call('PATCH', '/v1/settings', { fit_max_added_percent: 50 });
      const dialog = await planAnEntry('11.0.1.128/25');
      const cost = /128 foreign IPv4 addresses added to fit its limit, 25 % of its own/;
      await dialog.getByText(cost).waitFor();
      await press(page, dialog.getByRole('button', { name: 'Save' }));
      await dialog.waitFor({ state: 'detached' });
      await waitFor(
        async () =>
          (await service.get<{ prefix_count: { ipv4: number } }>('/v1/revisions/applied')).prefix_count
            .ipv4 === 3,
        { what: 'the revision to be applied' },
      );
      await sent(2);
      await scene.go(`speakers/${speakerId}`);
      const section = page.locator('section').filter({ hasText: 'Routes fitted to a limit' });
      await section.getByText(cost).waitFor();
      await press(page, section.getByRole('button', { name: 'Who holds the largest?' }));
      await section.getByText('AS64501 SOMEBODY ELSE').waitFor();
      expect(await scene.violations()).toEqual([]);
      expect(scene.complaints).toEqual([]);
    });

    test('that a raised limit makes needless asks nothing: no route is lost', async () => {
      await limitTo('9');
      await scene.dialog().waitFor({ state: 'detached' });
      await sent(3);
      expect(scene.complaints).toEqual([]);
    });
  },
);
