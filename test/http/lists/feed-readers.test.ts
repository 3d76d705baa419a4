/** Feeds in the hands of the programs that they are for: all of one, and what changed since, which must come to the same. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FeedFormat } from '../../../src/api/feeds/feeds.ts';
import { startFrr } from '../../daemons/frr/frr.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { programPath, requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { FeedScene, type Fetched, type TestFeed } from './feed-scene.ts';

/** Some go, come, split, join, and stand side by side. */
const BEFORE = ['9.1.0.0/24', '9.2.0.0/25', '9.3.0.0/16', '11.0.0.0/8', '2a00:1::/32', '2a00:3::/48'];
const AFTER = [
  '9.1.0.0/25',
  '9.2.0.0/24',
  '9.3.0.0/16',
  '9.4.0.0/24',
  '9.5.0.0/24',
  '2a00:1::/33',
  '2a00:4::/32',
];

let scene: FeedScene;
const directory = mkdtempSync(join(tmpdir(), 'prefixcast-feeds-'));
beforeAll(async () => {
  scene = await FeedScene.start();
});
afterAll(async () => {
  await scene.service.close();
  rmSync(directory, { recursive: true });
});

const revisionOf = ({ headers }: Fetched): number => Number(headers.get('prefixcast-revision'));

const fetchSince = ({ name, token }: TestFeed, since: number | string): Promise<Fetched> =>
  scene.fetchFeed(name, token, {}, `&since=${since}`);

/** Applies these, and waits until the feed follows. */
async function follow(feed: TestFeed, prefixes: readonly string[], last = 0): Promise<Fetched> {
  await scene.apply(prefixes);
  return waitFor(
    async () => {
      const fetched = await scene.fetchFeed(feed.name, feed.token);
      return fetched.status === 200 && revisionOf(fetched) > last && fetched;
    },
    { what: 'the feed to follow' },
  );
}

/** All of one content, what changed since in the next, and all of that. */
async function contentsOf(format: FeedFormat): Promise<Record<'before' | 'change' | 'after', string>> {
  const feed = await scene.newFeed({ format });
  const before = await follow(feed, BEFORE);
  const after = await follow(feed, AFTER, revisionOf(before));
  const change = await fetchSince(feed, revisionOf(before));
  expect(change.headers.get('prefixcast-since')).toBe(String(revisionOf(before)));
  expect(revisionOf(change)).toBe(revisionOf(after));
  expect(change.bytes.length).toBeGreaterThan(0);
  return { before: String(before.bytes), change: String(change.bytes), after: String(after.bytes) };
}

let files = 0;
function fileOf(text: string): string {
  const file = join(directory, `feed-${files++}`);
  writeFileSync(file, text);
  return file;
}

/** In a network namespace of its own, one command after the other; answers what the last one prints. */
function inNamespace(...commands: string[]): string {
  return execFileSync('unshare', ['-rn', 'sh', '-ec', commands.join('\n')], { encoding: 'utf8' });
}

describe('what changed since makes of the one content the other', () => {
  test('json', async () => {
    const { before, change, after } = await contentsOf('json');
    const prefixesOf = (text: string): string[] => (JSON.parse(text) as { prefixes: string[] }).prefixes;
    const { added, removed } = JSON.parse(change) as Record<'added' | 'removed', string[]>;
    const kept = prefixesOf(before).filter((prefix) => !removed.includes(prefix));
    expect([...kept, ...added].sort()).toEqual(prefixesOf(after).sort());
    expect(kept).toHaveLength(prefixesOf(before).length - removed.length);
  });

  test.skipIf(requireDaemon('nft') === null)('nft, twice all of it', async () => {
    const { before, change, after } = await contentsOf('nft');
    const nft = (text: string): string => `${programPath('nft')} -f ${fileOf(text)}`;
    const list = `${programPath('nft')} list ruleset`;
    const changed = inNamespace(nft(before), nft(before), nft(change), list);
    expect(changed).toContain('9.4.0.0/24');
    expect(changed).toBe(inNamespace(nft(after), list));
  });

  test.skipIf(requireDaemon('ipset') === null)('ipset, each twice', async () => {
    const { before, change, after } = await contentsOf('ipset');
    const restore = (text: string): string => `${programPath('ipset')} restore < ${fileOf(text)}`;
    const list = `${programPath('ipset')} save | grep ^add | sort`;
    const commands = [before, before, change, change].map(restore);
    const changed = inNamespace(...commands, list);
    expect(changed.split('\n').slice(0, -1)).toHaveLength(AFTER.length);
    expect(changed).toBe(inNamespace(restore(after), list));
  });

  test('routeros and junos, by their words', async () => {
    const ros = await contentsOf('routeros');
    expect(ros.change).toMatch(/^\/ip firewall address-list\nremove \[find list="feed-\d+" address=/);
    expect(ros.change.match(/^add /gm)).toHaveLength(6);
    const junos = await contentsOf('junos');
    const set = new Set(junos.before.split('\n').filter((line) => line.startsWith('set ')));
    for (const line of junos.change.split('\n').filter((one) => one !== ''))
      if (line.startsWith('set ')) set.add(line);
      else expect(set.delete(line.replace(/^delete/, 'set')), line).toBe(true);
    expect([...set].sort()).toEqual(
      junos.after
        .split('\n')
        .filter((line) => line.startsWith('set '))
        .sort(),
    );
  });
});

describe('all of it, and no header that says otherwise', () => {
  const expectWhole = (fetched: Fetched, whole: Fetched): void => {
    expect(fetched.status).toBe(200);
    expect(fetched.headers.get('prefixcast-since')).toBeNull();
    expect(String(fetched.bytes)).toBe(String(whole.bytes));
  };

  test('in a format that cannot say it, since what it never served, and when families or name have changed', async () => {
    const text = await scene.newFeed();
    const first = revisionOf(await follow(text, BEFORE));
    const second = await follow(text, AFTER, first);
    expectWhole(await fetchSince(text, first), second);
    const feed = await scene.newFeed({ format: 'json' });
    const before = revisionOf(await follow(feed, BEFORE));
    const after = await follow(feed, AFTER, before);
    for (const since of [before - 1, revisionOf(after) + 1, ''])
      expectWhole(await fetchSince(feed, since), after);
    expect((await fetchSince(feed, before)).headers.get('prefixcast-since')).toBe(String(before));
    await scene.service.call('PATCH', `/v1/feeds/${feed.id}`, { body: { families: ['ipv4'] } });
    const narrow = await follow(feed, BEFORE, revisionOf(after));
    expectWhole(await fetchSince(feed, before), narrow);
    expect((await fetchSince(feed, 'x')).status).toBe(422);
  });

  test('since a revision that was served in two ways, and one that is pruned', async () => {
    const { other, service } = scene;
    const feed = await scene.newFeed({ format: 'json' });
    const twice = await follow(feed, BEFORE);
    await service.call('PATCH', `/v1/feeds/${feed.id}`, { body: { community_ids: [other] } });
    await waitFor(
      async () => {
        const now = await scene.fetchFeed(feed.name, feed.token);
        return String(now.bytes) !== String(twice.bytes) || undefined;
      },
      { what: 'the other content of the same revision' },
    );
    await service.call('PATCH', `/v1/feeds/${feed.id}`, { body: { community_ids: [] } });
    const next = await follow(feed, AFTER, revisionOf(twice));
    expectWhole(await fetchSince(feed, revisionOf(twice)), next);
    const last = await follow(feed, BEFORE, revisionOf(next));
    expect((await fetchSince(feed, revisionOf(next))).headers.get('prefixcast-since')).not.toBeNull();
    const fresh = await follow(feed, ['9.9.9.0/24'], revisionOf(last));
    await service.database.admin('DELETE FROM revision WHERE number = $1 AND tenant_id = $2', [
      ...[revisionOf(next), service.tenant.id],
    ]);
    expectWhole(await fetchSince(feed, revisionOf(next)), fresh);
  });
});

describe('all of it, by those who take nothing else', () => {
  test.skipIf(requireDaemon('bird') === null)('bird', async () => {
    const feed = await scene.newFeed({ format: 'bird' });
    const text = String((await follow(feed, BEFORE)).bytes);
    const names = [...text.matchAll(/define (\S+)/g)].map((match) => match[1]!);
    const filters = names.map((name) => `filter f_${name} { if net ~ ${name} then accept; reject; }`);
    const file = fileOf(`router id 192.0.2.1;\n${text}${filters.join('\n')}\nprotocol device {}\n`);
    execFileSync(programPath('bird'), ['-p', '-c', file]);
  });

  test.skipIf(requireDaemon('frr-bgpd') === null)('FRR, for ios', async () => {
    const feed = await scene.newFeed({ format: 'ios' });
    const extraConfig = String((await follow(feed, BEFORE)).bytes);
    const listen = { address: '127.0.0.1', port: await freePort() };
    const options = { listen, routerId: '192.0.2.1', localAsn: 64512, neighbors: [], bare: true };
    const frr = await startFrr({ ...options, extraConfig });
    try {
      const lists = (await frr.command('show ip prefix-list')) + (await frr.command('show ipv6 prefix-list'));
      expect([...lists.matchAll(/permit (\S+)/g)].map(([, prefix]) => prefix)).toEqual(BEFORE);
    } finally {
      await frr.stop();
    }
  });
});
