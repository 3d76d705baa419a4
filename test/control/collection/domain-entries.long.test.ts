import { describe, expect, test } from 'vitest';
import { changeDomainEntry } from '../../../src/control/entries/domain-entries.ts';
import { changeModule } from '../../../src/control/lists/modules.ts';
import { changeSettings } from '../../../src/control/tenants/settings.ts';
import { waitFor } from '../../daemons/wait.ts';
import { a, replyTo } from '../../sources/doh/server.ts';
import { NXDOMAIN, SERVFAIL, texts, useNames } from './names-scene.ts';

const scene = useNames();
const { add, entry, known, profiles, refresh, servers, use } = scene;

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
    const missing = await entry(id);
    expect(missing).toMatchObject({ status: 'ok', addresses: [] });
    expect(missing.last_error).toMatch(/^NXDOMAIN: there is no such name\./);
  });

  test('is asked for the families of the policy, else for those of the module', async () => {
    await add('a.example');
    await scene.plane.run((tx) => changeModule(tx, scene.moduleId, { families: ['ipv6'] }, null));
    await refresh();
    await use({ families: ['ipv4'] }, profiles.slice(0, 1));
    await refresh();
    expect(servers[0]!.asked.map(({ type }) => type)).toEqual(['AAAA', 'A']);
  });

  test('drops internal addresses and reports it, unless the tenant allows them', async () => {
    known[0]!.set('a.example', ['10.0.0.1', '45.0.0.1']);
    const id = await add('a.example');
    const result = await scene.plane.succeeded(await scene.plane.refresh(scene.moduleId));
    expect(result.entries).toMatchObject([{ id, status: 'ok', bogons: 1, prefix_count: { ipv4: 1 } }]);
    const dropped = (await entry(id)).addresses.find(({ address }) => address === '10.0.0.1')!;
    expect(dropped.dropped).toContain('Private use');
    await scene.plane.run((tx) => changeSettings(tx, { guard_bogons: 'allow' }));
    expect(Object.keys((await refresh()).routes)).toEqual(['10.0.0.1/32', '45.0.0.1/32']);
  });

  test('holds no more addresses than it may', async () => {
    known[0]!.set(
      'a.example',
      Array.from({ length: 50 }, (_, i) => `45.0.0.${2 * i}`),
    );
    const id = await add('a.example');
    await use({ max_addresses: 10 }, profiles.slice(0, 1));
    const result = await scene.plane.succeeded(await scene.plane.refresh(scene.moduleId));
    expect(result.entries).toMatchObject([{ rejected: 40, prefix_count: { ipv4: 10 } }]);
    expect((await entry(id)).addresses).toHaveLength(10);
  });

  test('keeps what another refresh has seen while this one waited', async () => {
    known[0]!.set('a.example', ['45.0.0.1']);
    const id = await add('a.example');
    await use({ families: ['ipv4'] }, profiles.slice(0, 1));
    await refresh();
    const daysAgo = 'now() - make_interval(days => 20)';
    await scene.plane.database.admin(`
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
    const slow = await scene.plane.refresh(scene.moduleId);
    await waitFor(() => isAsked, { what: 'the question' });
    servers[0]!.answer = (asked) =>
      replyTo(
        asked,
        ['45.0.0.1', '45.0.0.5'].map((address) => a(asked.name, address)),
      );
    await refresh();
    go();
    const result = await scene.plane.succeeded(slow);
    const seen = await entry(id);
    expect(texts(seen)).toEqual(['45.0.0.1', '45.0.0.3', '45.0.0.5']);
    expect(seen.prefix_count).toEqual({ ipv4: 3, ipv6: 0 });
    expect(Object.keys(await scene.plane.routes(String(result.revision_id)))).toHaveLength(3);
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
    const job = await scene.plane.refresh(scene.moduleId);
    await waitFor(() => isAsked, { what: 'the question' });
    await scene.plane.run((tx) =>
      changeDomainEntry(tx, scene.moduleId, id, { note: 'changed', community_id: scene.blue }, null),
    );
    go();
    const result = await scene.plane.succeeded(job);
    expect(await scene.plane.routes(String(result.revision_id))).toEqual({ '45.0.0.1/32': ['64500:2'] });
    expect(await entry(id)).toMatchObject({ note: 'changed', status: 'ok' });
  });
});
