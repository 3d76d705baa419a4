import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { DomainEntry } from '../../../src/api/entries/domain-entries.ts';
import type { DohResolverPolicy } from '../../../src/api/lists/modules.ts';
import { changeDohProfile, createDohProfile } from '../../../src/control/lists/doh-profiles.ts';
import { changeDomainEntry, createDomainEntries } from '../../../src/control/entries/domain-entries.ts';
import { changeModule, createModule } from '../../../src/control/lists/modules.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { getDomainEntry, listDomainEntries } from '../../../src/store/entries/domain-entries.ts';
import { findLatestReadyRevision } from '../../../src/store/revisions/revisions.ts';
import { getModule } from '../../../src/store/modules/modules.ts';
import { waitFor } from '../../daemons/wait.ts';
import { a, type Asked, type DohServer, replyTo, startDohServer } from '../../sources/doh/server.ts';
import { times } from '../../fuzz.ts';
import { startPlane, type Plane } from '../plane.ts';

const SERVFAIL = 2;
const NXDOMAIN = 3;

let plane: Plane;
const servers: DohServer[] = [];
const profiles: string[] = [];
let red: string;
let blue: string;
let moduleId: string;
/** What each server knows: name to addresses, or an RCODE. */
const known: Map<string, readonly string[] | number>[] = Array.from(
  { length: 3 },
  () => new Map<string, readonly string[] | number>(),
);

function answerOf(index: number) {
  return (asked: Asked) => {
    const records = known[index]!.get(asked.name) ?? NXDOMAIN;
    if (typeof records === 'number') return replyTo(asked, [], { rcode: records });
    const wanted = records.filter((address) => address.includes(':') === (asked.type === 'AAAA'));
    return replyTo(
      asked,
      wanted.map((address) => a(asked.name, address)),
    );
  };
}

async function add(domain: string, more: object = {}): Promise<string> {
  const [made] = await plane.run((tx) => createDomainEntries(tx, moduleId, [{ domain, ...more }], () => ''));
  return made!.resource.id;
}

const entry = async (id: string): Promise<DomainEntry> =>
  (await plane.run((tx) => getDomainEntry(tx, moduleId, id))).resource;
const use = (policy: DohResolverPolicy | null, ids: readonly string[] = profiles) =>
  plane.run((tx) =>
    changeModule(tx, moduleId, { doh_resolver_policy: policy, doh_profile_ids: [...ids] }, null),
  );
const texts = ({ addresses }: DomainEntry): string[] => addresses.map(({ address }) => address).sort();

/** The routes of the latest revision after a refresh, and how it ended. */
async function refresh(): Promise<{ routes: Record<string, readonly string[]>; status: unknown }> {
  const { state, result } = await plane.ended(await plane.refresh(moduleId));
  expect(state).toBe(result?.status === 'failed' ? 'failed' : 'succeeded');
  const latest = await plane.run(findLatestReadyRevision);
  return { routes: latest === null ? {} : await plane.routes(latest.id), status: result?.status };
}

beforeAll(async () => {
  plane = await startPlane();
  for (const index of known.keys()) {
    const server = await startDohServer();
    servers.push(server);
    const body = { name: `resolver ${index}`, url: server.url, timeout_ms: 30_000 };
    const made = await plane.run((tx) => createDohProfile(tx, plane.context, body));
    profiles.push(made.resource.id);
  }
  red = await plane.addCommunity('64500:1');
  blue = await plane.addCommunity('64500:2');
});
afterAll(async () => {
  await plane?.close();
  for (const server of servers) await server.close();
});
beforeEach(async () => {
  await plane.deleteModules();
  await plane.run((tx) => changeSettings(tx, { guard_bogons: null }));
  const body = {
    name: 'names',
    type: 'DOMAINS',
    community_id: red,
    doh_profile_ids: profiles.slice(0, 1),
  } as const;
  moduleId = (await plane.run((tx) => createModule(tx, body))).resource.id;
  for (const [index, server] of servers.entries()) {
    known[index]!.clear();
    server.answer = answerOf(index);
    server.asked.length = 0;
  }
});

test('names may have all other addresses from one refresh to the next: nothing is held', async () => {
  const addresses = (from: number) => Array.from({ length: 8 }, (_, i) => `45.0.${from + 2 * i}.1`);
  known[0]!.set('one.example', addresses(0));
  await use({ retain_seconds: 0 });
  await add('one.example');
  await refresh();
  known[0]!.set('one.example', addresses(100));
  const { routes } = await refresh();
  expect(Object.keys(routes).sort()).toEqual(addresses(100).map((address) => `${address}/32`));
  const { resource } = await plane.run((tx) => getModule(tx, moduleId));
  expect(resource.held).toBeNull();
});

test('names become routes, with the community of module or entry; disabled ones do not', async () => {
  known[0]!.set('one.example', ['45.0.0.0', '45.0.0.1', '2600:80::1']);
  known[0]!.set('two.example', ['45.0.0.9']);
  const id = await add('one.example');
  await add('two.example', { community_id: blue });
  await add('off.example', { enabled: false });
  expect(await refresh()).toEqual({
    status: 'ok',
    routes: { '45.0.0.0/31': ['64500:1'], '45.0.0.9/32': ['64500:2'], '2600:80::1/128': ['64500:1'] },
  });
  expect(await entry(id)).toMatchObject({ status: 'ok', prefix_count: { ipv4: 2, ipv6: 1 } });
  expect(servers[0]!.asked.some(({ name }) => name === 'off.example')).toBe(false);
  const { resource } = await plane.run((tx) => getModule(tx, moduleId));
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
      plane.run((tx) => changeDohProfile(tx, plane.context, profiles[0]!, { enabled }, null));
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

describe('an entry', () => {
  test('of which one family cannot be resolved keeps that one, and follows the other', async () => {
    known[0]!.set('a.example', ['45.0.0.1', '2600:80::1']);
    const id = await add('a.example');
    await use({ retain_seconds: 0 }, profiles.slice(0, 1));
    await refresh();
    known[0]!.set('a.example', ['45.0.0.2']);
    const answer = servers[0]!.answer;
    servers[0]!.answer = (asked) =>
      asked.type === 'AAAA' ? replyTo(asked, [], { rcode: SERVFAIL }) : answer(asked);
    expect((await refresh()).routes).toEqual({ '45.0.0.2/32': ['64500:1'], '2600:80::1/128': ['64500:1'] });
    expect(await entry(id)).toMatchObject({ status: 'stale' });
  });

  test('has never given anything while no resolver answers, and is good when one does', async () => {
    known[0]!.set('a.example', SERVFAIL);
    const id = await add('a.example');
    expect((await refresh()).status).toBe('failed');
    expect(await entry(id)).toMatchObject({ status: 'failed', last_refreshed_at: null, addresses: [] });
    known[0]!.set('a.example', NXDOMAIN);
    expect((await refresh()).status).toBe('ok');
    expect(await entry(id)).toMatchObject({ status: 'ok', last_error: null, addresses: [] });
  });

  test('is asked for the families of the policy, else for those of the module', async () => {
    await add('a.example');
    await plane.run((tx) => changeModule(tx, moduleId, { families: ['ipv6'] }, null));
    await refresh();
    await use({ families: ['ipv4'] }, profiles.slice(0, 1));
    await refresh();
    expect(servers[0]!.asked.map(({ type }) => type)).toEqual(['AAAA', 'A']);
  });

  test('drops internal addresses and reports it, unless the tenant allows them', async () => {
    known[0]!.set('a.example', ['10.0.0.1', '45.0.0.1']);
    const id = await add('a.example');
    const result = await plane.succeeded(await plane.refresh(moduleId));
    expect(result.entries).toMatchObject([{ id, status: 'ok', bogons: 1, prefix_count: { ipv4: 1 } }]);
    const dropped = (await entry(id)).addresses.find(({ address }) => address === '10.0.0.1')!;
    expect(dropped.dropped).toContain('Private use');
    await plane.run((tx) => changeSettings(tx, { guard_bogons: 'allow' }));
    expect(Object.keys((await refresh()).routes)).toEqual(['10.0.0.1/32', '45.0.0.1/32']);
  });

  test('holds no more addresses than it may', async () => {
    known[0]!.set(
      'a.example',
      Array.from({ length: 50 }, (_, i) => `45.0.0.${2 * i}`),
    );
    const id = await add('a.example');
    await use({ max_addresses: 10 }, profiles.slice(0, 1));
    const result = await plane.succeeded(await plane.refresh(moduleId));
    expect(result.entries).toMatchObject([{ rejected: 40, prefix_count: { ipv4: 10 } }]);
    expect((await entry(id)).addresses).toHaveLength(10);
  });

  test('keeps what another refresh has seen while this one waited', async () => {
    known[0]!.set('a.example', ['45.0.0.1']);
    const id = await add('a.example');
    await use({ families: ['ipv4'] }, profiles.slice(0, 1));
    await refresh();
    const daysAgo = 'now() - make_interval(days => 20)';
    await plane.database.admin(`
      UPDATE domain_entry SET addresses = jsonb_set(addresses, '{0,last_seen_at}', to_jsonb(${daysAgo}))`);
    await use({ families: ['ipv4'], retain_seconds: 30 * 86_400 }, profiles.slice(0, 1));
    let go = (): void => undefined;
    const free = new Promise<void>((resolve) => (go = resolve));
    let isAsked = false;
    servers[0]!.answer = (asked) => (stream) => {
      isAsked = true;
      void free.then(() => {
        stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
        stream.end(replyTo(asked, [a(asked.name, '45.0.0.3')]));
      });
    };
    const slow = await plane.refresh(moduleId);
    await waitFor(() => isAsked, { what: 'the question' });
    servers[0]!.answer = (asked) =>
      replyTo(
        asked,
        ['45.0.0.1', '45.0.0.5'].map((address) => a(asked.name, address)),
      );
    await refresh();
    go();
    const result = await plane.succeeded(slow);
    const seen = await entry(id);
    expect(texts(seen)).toEqual(['45.0.0.1', '45.0.0.3', '45.0.0.5']);
    expect(seen.prefix_count).toEqual({ ipv4: 3, ipv6: 0 });
    expect(Object.keys(await plane.routes(String(result.revision_id)))).toHaveLength(3);
    // Each was seen a moment ago, whoever saw it.
    servers[0]!.answer = (asked) => replyTo(asked, []);
    await use({ families: ['ipv4'] }, profiles.slice(0, 1));
    expect(Object.keys((await refresh()).routes)).toHaveLength(3);
  });

  test('that is changed by an operator in the middle keeps the change', async () => {
    known[0]!.set('a.example', ['45.0.0.1']);
    const id = await add('a.example');
    const answer = servers[0]!.answer;
    let isAsked = false;
    let go = (): void => undefined;
    const free = new Promise<void>((resolve) => (go = resolve));
    servers[0]!.answer = (asked) => (stream) => {
      isAsked = true;
      void free.then(() => {
        stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
        stream.end(answer(asked) as Buffer);
      });
    };
    const job = await plane.refresh(moduleId);
    await waitFor(() => isAsked, { what: 'the question' });
    await plane.run((tx) =>
      changeDomainEntry(tx, moduleId, id, { note: 'changed', community_id: blue }, null),
    );
    go();
    const result = await plane.succeeded(job);
    expect(await plane.routes(String(result.revision_id))).toEqual({ '45.0.0.1/32': ['64500:2'] });
    expect(await entry(id)).toMatchObject({ note: 'changed', status: 'ok' });
  });
});

test('a resolver that makes addresses up fills no memory: beyond a number entries stay as they are', async () => {
  const many = Array.from({ length: 1_000 }, (_, i) => `45.0.${i >> 8}.${i & 255}`);
  const count = 520;
  const items = Array.from({ length: count }, (_, i) => ({ domain: `m${i}.example` }));
  for (const { domain } of items) known[0]!.set(domain, many);
  await plane.run((tx) => createDomainEntries(tx, moduleId, items, (index) => `/items/${index}`));
  await use({ families: ['ipv4'] }, profiles.slice(0, 1));
  expect((await refresh()).status).toBe('partial');
  const { items: failed } = await plane.run((tx) =>
    listDomainEntries(tx, moduleId, { status: 'failed', limit: 500 }),
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
  await plane.run((tx) => createDomainEntries(tx, moduleId, items, (index) => `/items/${index}`));
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
  const job = await plane.refresh(moduleId);
  const progress = await waitFor(
    async () => {
      const { progress: reported, finished_at: end } = await plane.job(job.id);
      return end !== null || (reported?.phase === 'collect' && reported.done > 0 && reported);
    },
    { what: 'progress', everyMs: 10 },
  );
  const result = await plane.succeeded(job);
  expect(result).toMatchObject({ status: 'ok' });
  if (progress !== true) expect(progress).toMatchObject({ phase: 'collect', total: count });
  expect(most).toBeGreaterThan(10);
  expect(most).toBeLessThanOrEqual(50);
  expect(servers[0]!.asked).toHaveLength(count);
  const { resource } = await plane.run((tx) => getModule(tx, moduleId));
  expect(resource).toMatchObject({ entry_count: count, prefix_count: { ipv4: count, ipv6: 0 } });
});
