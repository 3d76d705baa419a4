/** Tables as files: what they say is what the tables say, be it words, parts of a whole, or numbers with their unit. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../daemons/programs.ts';
import { waitFor } from '../daemons/wait.ts';
import { press } from './keyboard.ts';
import { signIn } from './pages.ts';
import { Scene } from './scene.ts';
import { startEmptyWorld } from './world.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('chromium-headless-shell') === null;

type Row = Readonly<Record<string, string>>;

/** No cell of these tables has a line break in it. */
function rowsOf(csv: string): Row[] {
  const [head, ...lines] = csv.trimEnd().split('\r\n').map(cellsOf);
  return lines.map((cells) => Object.fromEntries(head!.map((name, at) => [name, cells[at]!])));
}

function cellsOf(line: string): string[] {
  const cells = line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g);
  return Array.from(cells, ([, inQuotes, bare]) => inQuotes?.replaceAll('""', '"') ?? bare!);
}

describe.skipIf(lacks)('tables as files', () => {
  let scene: Scene<Awaited<ReturnType<typeof startEmptyWorld>>>;

  const saved = async (path: string, table: string): Promise<Row[]> => {
    await scene.go(path);
    await scene.page.getByRole('table', { name: table, exact: true }).waitFor();
    const download = scene.page.waitForEvent('download');
    await press(scene.page, scene.button('CSV').first());
    return rowsOf(await readFile(await (await download).path(), 'utf8'));
  };

  beforeAll(async () => {
    scene = await Scene.open(await startEmptyWorld());
    const { service, world } = scene;
    await service.call('PATCH', '/v1/settings', { auto_revision: null });
    const bird = await world.casting.addBird();
    const community = await service.post<{ id: string }>('/v1/communities', {
      ...{ community: '64500:7', title: 'ours' },
    });
    const module = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES', community_id: community.id },
    });
    const path = `/v1/modules/${module.id}/ip-range-entries`;
    const { items } = await service.post<{ items: { id: string }[] }>(path, {
      items: [{ cidr: '45.0.0.0/24' }, { cidr: '45.0.2.0/24' }, { cidr: '2a0e:b107::/48' }],
    });
    await bird.waitRoutes(3);
    await service.call('DELETE', `${path}/${items[0]!.id}`);
    await bird.waitRoutes(2);
    await waitFor(
      async () => {
        const jobs = '/v1/jobs?type=apply&state=queued&state=running';
        return (await service.get<{ items: unknown[] }>(jobs)).items.length === 0;
      },
      { what: 'every apply to end' },
    );
    const sources = await service.post<{ id: string }>('/v1/modules', {
      ...{ name: 'clouds', type: 'CDN_SOURCES', enabled: false, refresh_interval_seconds: null },
    });
    await service.post(`/v1/modules/${sources.id}/cdn-sources`, {
      ...{ name: 'list', url: 'https://198.51.100.9/list' },
    });
    await service.post('/v1/api-keys', { name: 'eve', role: 'viewer' });
    await scene.page.goto(scene.base);
    await signIn(scene.page, service.key);
  });
  afterAll(() => scene?.close());

  test('the audit log says which list an entry was removed from, and how severe that is, in words', async () => {
    const rows = await saved('audit', 'Audit log');
    const removal = rows.find(({ Action }) => Action === 'ip_range_entry.delete')!;
    expect(removal).toMatchObject({ Resource: '45.0.0.0/24 in ranges', Severity: 'notice' });
    expect(new Set(rows.map(({ Severity }) => Severity))).toEqual(new Set(['info', 'notice']));
  });

  test('jobs say which revision a build made, and how many seconds each took', async () => {
    const rows = await saved('jobs', 'Jobs');
    const builds = rows.filter(({ Job }) => Job === 'Build of a revision');
    expect(builds.length).toBeGreaterThan(0);
    for (const build of builds) expect(build.About).toMatch(/^Revision \d+$/);
    for (const row of rows) expect(Number(row['Took (seconds)'])).toBeGreaterThanOrEqual(0);
    expect(Object.keys(rows[0]!)).not.toContain('Took');
  });

  test('applies and peers say of how many', async () => {
    const applies = await saved('applies', 'Applies');
    expect(applies.at(0)).toMatchObject({
      Routers: '1 of 1',
      State: 'done',
      Of: expect.stringMatching(/^Revision \d+$/) as string,
    });
    expect(Number(applies[0]!['Took (seconds)'])).toBeGreaterThan(0);
    const [peer] = await saved('peers', 'Peers');
    expect(peer).toMatchObject({ 'Sessions up': '1 of 1', Families: 'IPv4 and IPv6', State: 'on' });
  });

  test('revisions say from when to when each was applied, and which runs', async () => {
    const rows = await saved('revisions', 'Revisions');
    const [latest, before] = rows;
    expect(latest).toMatchObject({ 'Runs on': '1 speaker', State: 'ready', 'Applied until': 'now' });
    expect(before!['Runs on']).toBe('');
    expect(before!['Applied until']).toBe(latest!['Applied from']);
    expect(Date.parse(before!['Applied from']!)).toBeLessThan(Date.parse(before!['Applied until']!));
  });

  test('sources, modules and keys have the words of their tables, and both families', async () => {
    const [source] = await saved('sources', 'Sources');
    expect(source).toMatchObject({
      ...{ Source: 'list', State: 'not read yet', Due: 'by hand', 'Age (seconds)': 'never', 'Too old': 'no' },
      ...{ 'Prefixes IPv4': '0', 'Prefixes IPv6': '0', 'Retained IPv4': '' },
    });
    const modules = await saved('modules', 'Modules');
    expect(modules.find(({ Name }) => Name === 'ranges')).toMatchObject({
      ...{ 'Prefixes IPv4': '1', 'Prefixes IPv6': '1', Community: '64500:7' },
    });
    expect(modules.find(({ Name }) => Name === 'clouds')).toMatchObject({ Refreshed: 'never', State: 'off' });
    const keys = await saved('keys', 'API keys');
    expect(keys.find(({ Name }) => Name === 'eve')).toMatchObject({ 'Last used': 'never', Expires: 'never' });
  });

  test('speakers say which revision each runs, and tenants how many of how many they have', async () => {
    const [speaker] = await saved('speakers', 'Speakers');
    expect(Object.values(speaker!).some((cell) => /^Revision \d+$/.test(cell))).toBe(true);
    const [tenant] = await saved('tenants', 'Tenants');
    expect(tenant!.Modules).toMatch(/^2 of [\d,]+$/);
  });

  test('a filter finds what the table says', async () => {
    await scene.go('applies?find=1%20of%201');
    const rows = scene.page.getByRole('table', { name: 'Applies', exact: true }).locator('tbody tr');
    await rows.first().waitFor();
    expect(await rows.filter({ hasText: '1 of 1' }).count()).toBe(await rows.count());
  });

  test('no page complained', () => expect(scene.complaints).toEqual([]));
});
