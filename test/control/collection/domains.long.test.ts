import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { changeDohProfile } from '../../../src/control/lists/doh-profiles.ts';
import { createDomainEntries } from '../../../src/control/entries/domain-entries.ts';
import { listDomainEntries } from '../../../src/store/entries/domain-entries.ts';
import { getModule } from '../../../src/store/modules/modules.ts';
import { waitFor } from '../../daemons/wait.ts';
import { times } from '../../fuzz.ts';
import { NXDOMAIN, SERVFAIL, texts, useNames } from './names-scene.ts';

const scene = useNames();
const { add, entry, known, profiles, refresh, servers, use } = scene;

test('names may have all other addresses from one refresh to the next: nothing is held', async () => {
  const addresses = (from: number) => Array.from({ length: 8 }, (_, i) => `45.0.${from + 2 * i}.1`);
  known[0]!.set('one.example', addresses(0));
  await use({ retain_seconds: 0 });
  await add('one.example');
  await refresh();
  known[0]!.set('one.example', addresses(100));
  const { routes } = await refresh();
  expect(Object.keys(routes).sort()).toEqual(addresses(100).map((address) => `${address}/32`));
  const { resource } = await scene.plane.run((tx) => getModule(tx, scene.moduleId));
  expect(resource.held).toBeNull();
});

test('names become routes, with the community of module or entry; disabled ones do not', async () => {
  known[0]!.set('one.example', ['45.0.0.0', '45.0.0.1', '2600:80::1']);
  known[0]!.set('two.example', ['45.0.0.9']);
  const id = await add('one.example');
  await add('two.example', { community_id: scene.blue });
  await add('off.example', { enabled: false });
  expect(await refresh()).toEqual({
    status: 'ok',
    routes: { '45.0.0.0/31': ['64500:1'], '45.0.0.9/32': ['64500:2'], '2600:80::1/128': ['64500:1'] },
  });
  expect(await entry(id)).toMatchObject({ status: 'ok', prefix_count: { ipv4: 2, ipv6: 1 } });
  expect(servers[0]!.asked.some(({ name }) => name === 'off.example')).toBe(false);
  const { resource } = await scene.plane.run((tx) => getModule(tx, scene.moduleId));
  expect(resource).toMatchObject({ entry_count: 3, prefix_count: { ipv4: 3, ipv6: 1 } });
});

describe('several resolvers', () => {
  test('first_success: the next one is asked where the first has no answer', async () => {
    known[0]!.set('a.example', SERVFAIL);
    known[1]!.set('a.example', ['45.0.0.1']);
    await add('a.example');
    await use(null);
    expect((await refresh()).routes).toEqual({ '45.0.0.1/32': ['64500:1'] });
    expect(servers[2]!.asked).toEqual([]);
  });

  test('union and quorum: what any of them says, and what two of three say', async () => {
    known[0]!.set('a.example', ['45.0.0.1', '45.0.0.3']);
    known[1]!.set('a.example', ['45.0.0.3', '45.0.0.5']);
    known[2]!.set('a.example', NXDOMAIN);
    const id = await add('a.example');
    await use({ strategy: 'union', retain_seconds: 0 });
    await refresh();
    expect(texts(await entry(id))).toEqual(['45.0.0.1', '45.0.0.3', '45.0.0.5']);
    await use({ strategy: 'quorum', retain_seconds: 0 });
    expect(await refresh()).toEqual({ status: 'ok', routes: { '45.0.0.3/32': ['64500:1'] } });
  });

  test('union: nothing goes while one of them has no answer', async () => {
    known[0]!.set('a.example', ['45.0.0.1']);
    known[1]!.set('a.example', ['45.0.0.3']);
    const id = await add('a.example');
    await use({ strategy: 'union', retain_seconds: 0 }, profiles.slice(0, 2));
    await refresh();
    known[1]!.set('a.example', SERVFAIL);
    await refresh();
    const held = await entry(id);
    expect(texts(held)).toEqual(['45.0.0.1', '45.0.0.3']);
    expect(held.status).toBe('stale');
    expect(held.last_error).toContain('SERVFAIL');
    known[1]!.set('a.example', NXDOMAIN);
    await refresh();
    expect(texts(await entry(id))).toEqual(['45.0.0.1']);
    expect(await entry(id)).toMatchObject({ status: 'ok', last_error: null });
  });

  test('a disabled one is not asked; when none is left, everything stays and says why', async () => {
    known[0]!.set('a.example', ['45.0.0.1']);
    const id = await add('a.example');
    await refresh();
    const enable = (enabled: boolean) =>
      scene.plane.run((tx) => changeDohProfile(tx, scene.plane.context, profiles[0]!, { enabled }, null));
    await enable(false);
    try {
      expect(await refresh()).toEqual({ status: 'failed', routes: { '45.0.0.1/32': ['64500:1'] } });
      const { status, last_error: error } = await entry(id);
      expect({ status, error }).toMatchObject({ status: 'stale' });
      expect(error).toContain('no enabled DoH profile');
    } finally {
      await enable(true);
    }
  });
});

test('a resolver that makes addresses up fills no memory: beyond a number entries stay as they are', async () => {
  const many = Array.from({ length: 1_000 }, (_, i) => `45.0.${i >> 8}.${i & 255}`);
  const count = 520;
  const items = Array.from({ length: count }, (_, i) => ({ domain: `m${i}.example` }));
  for (const { domain } of items) known[0]!.set(domain, many);
  await scene.plane.run((tx) => createDomainEntries(tx, scene.moduleId, items, (index) => `/items/${index}`));
  await use({ families: ['ipv4'] }, profiles.slice(0, 1));
  expect((await refresh()).status).toBe('partial');
  const { items: failed } = await scene.plane.run((tx) =>
    listDomainEntries(tx, scene.moduleId, { status: 'failed', limit: 500 }),
  );
  expect(failed).toHaveLength(count - 500);
  for (const { last_error: error } of failed) expect(error).toContain('source_too_large');
});

/** Enough that how far it is can be seen; as many as a module may have where there is time. */
const names = Math.min(10_000, times(2_000, 1_000));

test(`${names} names, as many questions at once as the module allows, and how far it is`, async () => {
  const count = names;
  const items = Array.from({ length: count }, (_, i) => ({ domain: `n${i}.example` }));
  for (let i = 0; i < count; i++) known[0]!.set(`n${i}.example`, [`45.${i >> 7}.${(i & 127) * 2}.1`]);
  await scene.plane.run((tx) => createDomainEntries(tx, scene.moduleId, items, (index) => `/items/${index}`));
  await use({ families: ['ipv4'], concurrency: 50 }, profiles.slice(0, 1));
  const answer = servers[0]!.answer;
  let [now, most] = [0, 0];
  servers[0]!.answer = (asked) => (stream) => {
    most = Math.max(most, ++now);
    void sleep(1).then(() => {
      now--;
      stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
      stream.end(answer(asked) as Buffer);
    });
  };
  const job = await scene.plane.refresh(scene.moduleId);
  const progress = await waitFor(
    async () => {
      const { progress: reported, finished_at: end } = await scene.plane.job(job.id);
      return end !== null || (reported?.phase === 'collect' && reported.done > 0 && reported);
    },
    { what: 'progress', everyMs: 10 },
  );
  const result = await scene.plane.succeeded(job);
  expect(result).toMatchObject({ status: 'ok' });
  if (progress !== true) expect(progress).toMatchObject({ phase: 'collect', total: count });
  expect(most).toBeGreaterThan(10);
  expect(most).toBeLessThanOrEqual(50);
  expect(servers[0]!.asked).toHaveLength(count);
  const { resource } = await scene.plane.run((tx) => getModule(tx, scene.moduleId));
  expect(resource).toMatchObject({ entry_count: count, prefix_count: { ipv4: count, ipv6: 0 } });
});
