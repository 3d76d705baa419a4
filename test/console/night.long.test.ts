/** What somebody asks the morning after: what was not applied, who did it, when, and what nobody knows. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AgentProcess, startAgent } from '../agent/world.ts';
import type { Bird } from '../daemons/bird/bird.ts';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { SPEAKER_ASN } from '../e2e/casting.ts';
import { press, tabTo } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld, type World } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;
/** What the second router takes. */
const LIMIT = 3;
const MARIA = 'maria night';
/** Of a node, on a machine that is busy. */

interface Job {
  readonly id: string;
  readonly state: string;
  readonly requested_by: string;
  readonly resource: { readonly type: string } | null;
  readonly result: { readonly speakers: readonly { readonly status: string }[] } | null;
}

/** As high as a row of one line may be. */
const ONE_LINE = 35;

describe.skipIf(lacks)('the morning after', () => {
  let scene: Scene<Pick<World, 'casting' | 'browser' | 'close'>>;
  let second: Bird;
  let moduleId: string;
  let agent: AgentProcess | null = null;
  let mariasKey: string;
  const limit = (importLimit?: number): Promise<void> =>
    second.configure({
      neighbors: [
        {
          ...{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true },
          ...{ families: ['ipv4', 'ipv6'], gracefulRestart: true, extendedMessages: true },
          ...(importLimit === undefined ? {} : { importLimit }),
        },
      ],
    });
  const applies = async (): Promise<readonly Job[]> =>
    (await scene.service.get<{ items: Job[] }>('/v1/jobs?type=apply')).items.filter(
      ({ resource }) => resource?.type === 'revision',
    );
  /** Maria adds these, and waits for nothing. */
  const add = async (...cidrs: string[]): Promise<void> => {
    const answer = await fetch(`${scene.service.url}/v1/modules/${moduleId}/ip-range-entries`, {
      method: 'POST',
      headers: { authorization: `Bearer ${mariasKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ items: cidrs.map((cidr) => ({ cidr })) }),
    });
    expect(answer.status).toBe(201);
  };
  /** The newest apply once it has ended, and is another one than that. */
  const ended = (before?: string): Promise<Job> =>
    waitFor(
      async () => {
        const [newest] = await applies();
        return newest !== undefined && newest.id !== before && newest.result !== null ? newest : false;
      },
      { what: 'an apply to end' },
    );

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { casting } = scene.world;
    const { service } = casting;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    await casting.addBird();
    second = await casting.addBird();
    await limit(LIMIT);
    ({ secret: mariasKey } = await service.post<{ secret: string }>('/v1/api-keys', {
      ...{ name: MARIA, role: 'operator' },
    }));
    const { id } = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'night' },
    });
    ({ id: moduleId } = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'night list', type: 'IP_RANGES', community_id: id },
    }));
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(async () => {
    await agent?.stop();
    await scene?.close();
  });

  test('an apply that a router did not take is partly applied, names it, and is retried there', async () => {
    const { page } = scene;
    await add('61.0.0.0/24', '61.0.2.0/24');
    const first = await ended();
    await second.waitRoutes(2);
    await add('61.0.4.0/24', '61.0.6.0/24', '61.0.8.0/24');
    const partly = await ended(first.id);
    expect(partly).toMatchObject({ state: 'succeeded', result: { speakers: [{ status: 'partial' }] } });
    expect(partly.requested_by).toBe(`key:${MARIA}`);
    for (const path of ['applies', 'jobs?type=apply']) {
      await scene.go(path);
      const row = page.getByRole('table').last().getByRole('row').nth(1);
      await row.getByText('partly applied', { exact: true }).waitFor();
      expect(await row.getByText('done', { exact: true }).count()).toBe(0);
    }
    await scene.go(`applies/${partly.id}`);
    await scene.heading('Apply partly applied').waitFor();
    const alert = page.getByRole('alert');
    await alert.getByText('kept its old routes').waitFor();
    expect(await alert.getByRole('link', { name: 'bird2' }).getAttribute('href')).toMatch(/\/peers\//);
    expect(await scene.violations()).toEqual([]);
    await limit();
    await press(page, alert.getByRole('button', { name: 'Retry where it failed' }));
    await scene.heading('Apply done').waitFor();
    await second.waitRoutes(5);
  });

  test('who did it is said by revisions and by the history of an address', async () => {
    const { page } = scene;
    await scene.go('revisions');
    const row = page.getByRole('table', { name: 'Revisions' }).getByRole('row').nth(1);
    await row.getByText(`key:${MARIA}`).waitFor();
    await row.getByText(/\d\d:\d\d:\d\d – now/).waitFor();
    // One that was applied has a line as any other.
    const past = scene.page.getByRole('cell', { name: /^\d\d:\d\d:\d\d – \d\d:\d\d:\d\d$/ }).first();
    await past.waitFor();
    expect((await past.boundingBox())!.height).toBeLessThan(ONE_LINE);
    expect(await scene.violations()).toEqual([]);
    await scene.go('lookup?q=61.0.4.1');
    await page.locator('.history').getByText(`by key:${MARIA}`).waitFor();
  });

  test('times, a person and a record are asked for, and are in the address', async () => {
    const { page } = scene;
    await scene.go('audit');
    await press(page, page.getByRole('link', { name: `key:${MARIA}` }).first());
    await page.getByText(`Only by key:${MARIA}.`).waitFor();
    // Tabs of the log are told apart by what each shows.
    expect(await page.title()).toBe(`by key:${MARIA} · Audit log · Prefixcast`);
    const rows = page.getByRole('table', { name: 'Audit log' }).locator('tbody tr');
    await waitFor(
      async () => (await rows.count()) === (await rows.filter({ hasText: `key:${MARIA}` }).count()),
      { what: 'what she did alone' },
    );
    // On a narrow screen, who it was is in sight as well.
    await page.setViewportSize({ width: 390, height: 844 });
    const who = (await rows
      .first()
      .getByRole('link', { name: `key:${MARIA}` })
      .boundingBox())!;
    expect(who.x + who.width).toBeLessThan(390);
    await page.setViewportSize({ width: 1280, height: 844 });
    const created = rows.filter({ hasText: 'ip_range_entry.create' }).first();
    await created.getByRole('link', { name: 'night list' }).waitFor();
    await press(page, created.getByRole('button', { name: 'Show' }));
    await scene.dialog().getByText(`key:${MARIA}`).waitFor();
    const address = page.url();
    expect(new URL(address).searchParams.get('actor')).toBe(`key:${MARIA}`);
    await page.goto(address);
    await scene.dialog().getByText(`key:${MARIA}`).waitFor();
    expect(await scene.violations()).toEqual([]);
    await page.keyboard.press('Escape');
    await scene.dialog().waitFor({ state: 'detached' });
    await tabTo(page, page.getByRole('combobox', { name: 'Time' }));
    await page.keyboard.press('y'); // Yesterday
    await page.getByText('Nothing was recorded').waitFor();
    expect(await page.title()).toMatch(/^by key:.* · from .* · until .* · Audit log/);
    const { searchParams } = new URL(page.url());
    const [since, until] = ['since', 'until'].map((name) => Date.parse(searchParams.get(name)!));
    expect(until! - since!).toBeGreaterThan(22 * 3_600_000);
    expect(until).toBeLessThanOrEqual(Date.now());
    await scene.go(`revisions?since=${searchParams.get('since')}&until=${searchParams.get('until')}`);
    await page.getByText('No revision was built in these times.').waitFor();
  });

  test('what a node does that is out of reach is not known, and an apply says that it waits for it', async () => {
    const { page, service, world } = scene;
    const { id } = await service.post<{ id: string }>('/v1/speakers', {
      ...{ name: 'pop1', mode: 'agent', daemon: 'builtin', local_asn: SPEAKER_ASN },
    });
    const { token } = await service.post<{ token: string }>(`/v1/speakers/${id}/enrollment-tokens`);
    agent = await startAgent({ url: service.url, token }, world.casting.dataDir);
    interface Seen {
      readonly applied_revision_id: string | null;
      readonly live: { readonly reachable: boolean };
    }
    const seen = (): Promise<Seen> => service.get(`/v1/speakers/${id}?live=true`);
    await waitFor(async () => (await seen()).live.reachable, {
      what: 'the node',
      details: agent.said,
    });
    await service.post(`/v1/speakers/${id}/apply`);
    await waitFor(async () => (await seen()).applied_revision_id !== null, { what: 'its routes' });
    // As a machine that loses its power: nobody says that the sessions have ended.
    await agent.stop('SIGKILL');
    await waitFor(async () => !(await seen()).live.reachable, {
      what: 'the node to be out of reach',
    });
    await scene.go('lookup?q=61.0.4.1');
    const chain = page.locator('.chain');
    await chain.getByText('what it announces now is not known').waitFor();
    await scene.go('');
    await page.getByText('unknown at 1 speaker').waitFor();
    await scene.go('sessions');
    await page.getByText('How its sessions are, and what it announces now, is not known.').waitFor();
    // How they were is another table, and says that it is of then.
    const then = page.getByRole('region', { name: 'As they were reported last' }).getByRole('row');
    const ofBird = then.filter({ hasText: 'bird1' });
    await ofBird.getByText(/^was (up|down)$/).waitFor();
    await ofBird.locator('time').waitFor();
    expect(await then.first().innerText()).toMatch(/State then.*Sent then.*Reported/s);
    expect(await page.getByRole('region', { name: 'Sessions', exact: true }).innerText()).not.toContain(
      'pop1',
    );
    expect(await scene.violations()).toEqual([]);
    await press(page, ofBird.getByRole('link', { name: 'pop1' }));
    await scene.heading(/^pop1/).waitFor();
    await page.getByText('Its peers and their sessions are not known while it is out of reach.').waitFor();
    await ofBird.getByText(/^was (up|down)$/).waitFor();
    expect(await scene.violations()).toEqual([]);
    expect(await scene.cutTables()).toEqual([]);
    await press(page, ofBird.getByRole('link', { name: 'bird1' }));
    await scene.heading(/^bird1/).waitFor();
    await then
      .filter({ hasText: 'pop1' })
      .getByText(/^was (up|down)$/)
      .waitFor();
    expect(await scene.violations()).toEqual([]);
    await scene.go('sessions');
    await press(page, page.getByRole('link', { name: 'Speakers', exact: true }));
    await scene.heading('Speakers').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'pop1' });
    await row.getByText('out of reach', { exact: true }).waitFor();
    await row.getByText('not known', { exact: true }).waitFor();
    expect(await scene.violations()).toEqual([]);
    await add('61.0.10.0/24');
    await waitFor(async () => (await applies())[0]!.state === 'running', { what: 'an apply' });
    await scene.go(`applies/${(await applies())[0]!.id}`);
    await page.getByText('It waits for pop1, out of reach').waitFor();
    expect(await scene.violations()).toEqual([]);
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
