/** What refreshes of modules make of their entries and sources. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { CdnSource } from '../../../src/api/entries/cdn-sources.ts';
import { changeCdnSource } from '../../../src/control/entries/cdn-sources.ts';
import { changeIpRangeEntry } from '../../../src/control/entries/ip-range-entries.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { deleteCdnSource, getCdnSource } from '../../../src/store/entries/cdn-sources.ts';
import { deleteIpRangeEntry } from '../../../src/store/entries/ip-range-entries.ts';
import { listJobs } from '../../../src/store/jobs/jobs.ts';
import { deleteModule, getModule } from '../../../src/store/modules/modules.ts';
import { waitFor } from '../../daemons/wait.ts';
import { serves } from '../../sources/lists/list-server.ts';
import { useLists } from '../lists-scene.ts';

const lists = useLists();
const { addModule, addRanges, addSource, change, refreshed } = lists;
/** Each test starts with no module; revisions go on counting. */
beforeEach(async () => {
  await lists.plane.deleteModules();
  await lists.plane.run((tx) => changeSettings(tx, { auto_apply: null, default_community_id: null }));
});

const source = async (moduleId: string, id: string): Promise<CdnSource> =>
  (await lists.plane.run((tx) => getCdnSource(tx, moduleId, id))).resource;

/** So many /24s, without one of each hundred: large enough to be stored as what changed. */
const manyLines = (without: number): string =>
  Array.from({ length: 12_000 }, (_, i) =>
    i % 100 === without ? '' : `${i % 200}.${i % 251}.${(i * 7) % 256}.0/24`,
  ).join('\n');

test('a list that goes A, B, A, and a source that is switched off and on, lead to the same contents again', async () => {
  const module = await addModule({ name: 'back', type: 'CDN_SOURCES' });
  const id = await addSource(module, '/back');
  const hashes: (string | null)[] = [];
  for (const without of [1, 2, 1, 2, 1]) {
    lists.plane.answers.set('/back', serves(manyLines(without)));
    const { result } = await refreshed(module);
    hashes.push((await lists.plane.revision(String(result.revision_id))).content_hash);
  }
  const [a, b] = hashes;
  expect(hashes).toEqual([a, b, a, b, a]);
  for (const enabled of [false, true, false, true]) {
    await lists.plane.run((tx) => changeCdnSource(tx, lists.plane.context, module, id, { enabled }, null));
    const { result } = await refreshed(module);
    const { content_hash: hash } = await lists.plane.revision(String(result.revision_id));
    if (enabled) expect(hash).toBe(a);
    else expect(hash).not.toBe(a);
  }
});

describe('what is in a revision', () => {
  test('all enabled modules and entries; what was disabled or deleted leaves with the next', async () => {
    const one = await addModule({ name: 'one' });
    const two = await addModule({ name: 'two', community_id: lists.blue });
    const [a, b] = await addRanges(one, '11.0.0.0/24', '12.0.0.0/24', '13.0.0.0/24');
    await addRanges(two, '14.0.0.0/24');
    await refreshed(two);
    expect((await refreshed(one)).routes).toEqual({
      '11.0.0.0/24': ['64500:1'],
      '12.0.0.0/24': ['64500:1'],
      '13.0.0.0/24': ['64500:1'],
      '14.0.0.0/24': ['64500:2'],
    });
    await lists.plane.run((tx) => changeIpRangeEntry(tx, one, a!, { enabled: false }, null));
    await lists.plane.run((tx) => deleteIpRangeEntry(tx, one, b!, null));
    await change(two, { enabled: false });
    expect((await refreshed(one)).routes).toEqual({ '13.0.0.0/24': ['64500:1'] });
    // What was collected of a module is there again as soon as it is enabled, without reading it anew.
    await change(two, { enabled: true });
    expect((await refreshed(one)).routes).toMatchObject({ '14.0.0.0/24': ['64500:2'] });
    await lists.plane.run((tx) => deleteModule(tx, two, null));
    expect(Object.keys((await refreshed(one)).routes)).toEqual(['13.0.0.0/24']);
  });

  test("an entry's community before the module's, before the tenant's default, before none", async () => {
    const own = await addModule({ name: 'own' });
    const bare = await addModule({ name: 'bare', community_id: null });
    const [entry] = await addRanges(own, '11.0.0.0/24', '11.0.1.0/24');
    await addRanges(bare, '12.0.0.0/24');
    await lists.plane.run((tx) => changeIpRangeEntry(tx, own, entry!, { community_id: lists.blue }, null));
    await refreshed(bare);
    expect((await refreshed(own)).routes).toEqual({
      '11.0.0.0/24': ['64500:2'],
      '11.0.1.0/24': ['64500:1'],
      '12.0.0.0/24': [],
    });
    await lists.plane.run((tx) => changeSettings(tx, { default_community_id: lists.blue }));
    expect((await refreshed(own)).routes['12.0.0.0/24']).toEqual(['64500:2']);
  });

  test('an exclude module cuts its addresses out of every community, and only of those', async () => {
    const one = await addModule({ name: 'one' });
    const two = await addModule({ name: 'two', community_id: lists.blue });
    const out = await addModule({ name: 'out', purpose: 'exclude', community_id: null });
    await addRanges(one, '11.0.0.0/24');
    await addRanges(two, '11.0.0.0/23');
    await addRanges(out, '11.0.0.0/25', '99.0.0.0/8');
    await refreshed(one);
    await refreshed(two);
    expect((await refreshed(out)).routes).toEqual({
      '11.0.0.128/25': ['64500:1', '64500:2'],
      '11.0.1.0/24': ['64500:2'],
    });
  });

  test('only the families that a module announces', async () => {
    const module = await addModule({ name: 'six', families: ['ipv6'] });
    await addRanges(module, '11.0.0.0/24', '2600::/32');
    expect((await refreshed(module)).routes).toEqual({ '2600::/32': ['64500:1'] });
    await change(module, { families: ['ipv4'] });
    expect((await refreshed(module)).routes).toEqual({ '11.0.0.0/24': ['64500:1'] });
  });

  test.each(['AS_PREFIXES', 'DOMAINS', 'CDN_SOURCES', 'IP_RANGES'] as const)(
    'a module of %s without entries is read well and empty',
    async (type) => {
      const module = await addModule({ name: 'empty', type });
      const { result, routes } = await refreshed(module);
      expect(result).toMatchObject({ status: 'ok', entries: [] });
      expect(routes).toEqual({});
      expect((await lists.plane.run((tx) => getModule(tx, module))).resource).toMatchObject({
        last_refresh: { status: 'ok', error: null },
        prefix_count: { ipv4: 0, ipv6: 0 },
      });
    },
  );
});

describe('sources', () => {
  test('one of two fails: the other is fresh, its own last good prefixes stay', async () => {
    const module = await addModule({ name: 'pair', type: 'CDN_SOURCES' });
    lists.plane.answers.set('/a', serves('11.0.0.0/24'));
    lists.plane.answers.set('/b', serves('12.0.0.0/24'));
    const [a, b] = [
      await addSource(module, '/a'),
      await addSource(module, '/b', { community_id: lists.blue }),
    ];
    await refreshed(module);
    const before = await source(module, a);
    lists.plane.answers.set('/a', (_request, response) => response.writeHead(503).end());
    lists.plane.answers.set('/b', serves('12.0.0.0/24\n13.0.0.0/24'));
    const { result, routes } = await refreshed(module);
    expect(result).toMatchObject({ status: 'partial' });
    expect(routes).toEqual({
      '11.0.0.0/24': ['64500:1'],
      '12.0.0.0/24': ['64500:2'],
      '13.0.0.0/24': ['64500:2'],
    });
    expect(await source(module, a)).toMatchObject({
      status: 'stale',
      last_error: expect.stringContaining('503') as unknown,
      last_refreshed_at: before.last_refreshed_at,
      prefix_count: { ipv4: 1 },
    });
    expect(await source(module, b)).toMatchObject({ status: 'ok', last_error: null });
    const { resource } = await lists.plane.run((tx) => getModule(tx, module));
    expect(resource.last_refresh).toMatchObject({ status: 'partial' });
    expect(resource.last_refresh?.error).toMatch(/1 of 2 sources failed.*source_http_status/);
  });

  test('"not modified" keeps what is there, and is asked only by who has something to keep', async () => {
    const module = await addModule({ name: 'conditional', type: 'CDN_SOURCES' });
    const asked: (string | undefined)[] = [];
    lists.plane.answers.set('/etag', (request, response) => {
      asked.push(request.headers['if-none-match']);
      if (request.headers['if-none-match'] === '"1"') response.writeHead(304).end();
      else response.writeHead(200, { etag: '"1"', 'content-type': 'text/plain' }).end('11.0.0.0/24');
    });
    const id = await addSource(module, '/etag');
    await refreshed(module);
    const { result, routes } = await refreshed(module);
    expect(result).toMatchObject({ status: 'ok', entries: [{ modified: false, prefix_count: { ipv4: 1 } }] });
    expect(routes).toEqual({ '11.0.0.0/24': ['64500:1'] });

    await lists.plane.run((tx) =>
      changeCdnSource(tx, lists.plane.context, module, id, { enabled: false }, null),
    );
    expect((await refreshed(module)).routes).toEqual({});
    await lists.plane.run((tx) =>
      changeCdnSource(tx, lists.plane.context, module, id, { enabled: true }, null),
    );
    expect((await refreshed(module)).routes).toEqual({ '11.0.0.0/24': ['64500:1'] });
    expect(asked).toEqual([undefined, '"1"', undefined]);

    await lists.plane.run((tx) => changeSettings(tx, { guard_bogons: 'allow' }));
    await refreshed(module);
    await lists.plane.run((tx) => changeSettings(tx, { guard_bogons: null }));
    expect(asked).toEqual([undefined, '"1"', undefined, undefined]);
  });

  test('what was read by another rule for special-purpose prefixes is read again, also when the rule changed meanwhile', async () => {
    const module = await addModule({ name: 'ruled', type: 'CDN_SOURCES' });
    const asked: (string | undefined)[] = [];
    let answer = (): void => undefined;
    lists.plane.answers.set('/ruled', (request, response) => {
      const tag = request.headers['if-none-match'];
      asked.push(tag);
      answer = () => {
        if (tag === '"1"') response.writeHead(304).end();
        else
          response
            .writeHead(200, { etag: '"1"', 'content-type': 'text/plain' })
            .end('11.0.0.0/24\n10.0.0.0/24');
      };
      if (asked.length > 1) answer();
    });
    await addSource(module, '/ruled');
    const job = await lists.plane.refresh(module);
    await waitFor(() => asked.length === 1, { what: 'the source to be asked' });
    await lists.plane.run((tx) => changeSettings(tx, { guard_bogons: 'allow' }));
    try {
      answer();
      await lists.plane.succeeded(job);
      const { routes } = await refreshed(module);
      expect(Object.keys(routes)).toEqual(['10.0.0.0/24', '11.0.0.0/24']);
      expect(asked).toEqual([undefined, undefined]);
    } finally {
      await lists.plane.run((tx) => changeSettings(tx, { guard_bogons: null }));
    }
  });

  test('a source that is deleted takes its prefixes along', async () => {
    const module = await addModule({ name: 'deleted', type: 'CDN_SOURCES' });
    lists.plane.answers.set('/kept', serves('11.0.0.0/24'));
    lists.plane.answers.set('/gone', serves('12.0.0.0/24'));
    await addSource(module, '/kept');
    const gone = await addSource(module, '/gone');
    await refreshed(module);
    await lists.plane.run((tx) => deleteCdnSource(tx, module, gone, null));
    expect((await refreshed(module)).routes).toEqual({ '11.0.0.0/24': ['64500:1'] });
  });
});

test('auto_apply off: a refresh that changes the content queues no apply', async () => {
  const speaker = await lists.plane.addSpeaker('edge');
  await lists.plane.run((tx) => changeSettings(tx, { auto_apply: false }));
  const module = await addModule({ name: 'manual' });
  await addRanges(module, '11.0.0.0/24');
  const { result } = await refreshed(module);
  expect(result).toMatchObject({ apply_job_id: null });
  const { items } = await lists.plane.run((tx) => listJobs(tx, { type: 'apply' }));
  expect(items).toEqual([]);
  expect((await lists.plane.speaker(speaker.id)).applied_revision_id).toBeNull();
});

test('content that comes back while another apply is on its way is applied again', async () => {
  const module = await addModule({ name: 'flip' });
  const [entry] = await addRanges(module, '11.0.0.0/24');
  const holding = await lists.plane.hold();
  await lists.plane.succeeded(await lists.plane.refresh(module));
  await holding.close();
  const refreshTo = async (cidr: string) => {
    await lists.plane.run((tx) => changeIpRangeEntry(tx, module, entry!, { cidr }, null));
    return (await lists.plane.ended(await lists.plane.refresh(module))).result;
  };
  expect(await refreshTo('12.0.0.0/24')).toMatchObject({ apply_job_id: expect.any(String) as string });
  // The speaker still runs this very content, but not for long.
  expect(await refreshTo('11.0.0.0/24')).toMatchObject({ apply_job_id: expect.any(String) as string });
});
