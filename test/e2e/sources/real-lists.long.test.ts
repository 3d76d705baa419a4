import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aggregate } from '../../oracle/aggregate.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon, unavailable } from '../../daemons/programs.ts';
import {
  addCdnModule,
  type Casting,
  PEER_ASN,
  refresh,
  serve,
  SPEAKER_ASN,
  startCasting,
} from '../casting.ts';

const data = join(import.meta.dirname, '../../../../shared/data');
const lacksData = !existsSync(data) && unavailable('the real lists', `there is no ${data}`) === null;
const lacks = lacksData || requireDaemon('bird') === null;

const NO_EXPORT = '65535:65281';
const states = ['2026-08-17-22-17-04', '2026-08-21-21-17-05'].map((time) =>
  join(data, `aws/ip-ranges-${time}.json`),
);

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
const minimalAws = (file: string): string[] => {
  const { prefixes } = JSON.parse(readFileSync(file, 'utf8')) as { prefixes: { ip_prefix: string }[] };
  return aggregate(prefixes.map((prefix) => prefix.ip_prefix));
};

/** Real lists in, a real router at the other end: what it holds is the minimal set of each list, and nothing else. */
describe.skipIf(lacks)('real lists at a BIRD peer', () => {
  let casting: Casting;
  let bird: Bird;
  let awsModule: string;
  let allModule: string;
  let aws: string[][];
  let all: string[];

  /** Prefix -> communities, as the lists say it. */
  const expected = (awsPrefixes: readonly string[]): Map<string, string[]> => {
    const routes = new Map<string, string[]>();
    const add = (prefix: string, community: string): unknown =>
      routes.set(prefix, [...(routes.get(prefix) ?? []), community]);
    for (const prefix of awsPrefixes) add(prefix, '64500:100');
    for (const prefix of all) add(prefix, '64500:200');
    for (const communities of routes.values()) communities.push(NO_EXPORT);
    return routes;
  };
  const held = async (): Promise<Map<string, string[]>> =>
    new Map((await bird.routes()).map((route) => [route.prefix, route.communities]));

  beforeAll(async () => {
    aws = states.map(minimalAws);
    all = lines(readFileSync(join(data, 'ipranges/all/ipv4_merged.txt'), 'utf8'));
    casting = await startCasting();
    casting.sources.set('/aws.json', serve(readFileSync(states[0]!), 'application/json'));
    casting.sources.set('/all.txt', serve(readFileSync(join(data, 'ipranges/all/ipv4.txt'))));
    bird = await casting.addBird();
    ({ moduleId: awsModule } = await addCdnModule(casting, '64500:100', {
      path: '/aws.json',
      format: 'json',
      json_path: '$.prefixes[*].ip_prefix',
    }));
    ({ moduleId: allModule } = await addCdnModule(casting, '64500:200', { path: '/all.txt' }));
  });
  afterAll(() => casting?.close());

  test('special-purpose addresses are dropped and reported, unless the tenant allows them', async () => {
    const { entries, revision_id: id } = await refresh(casting, allModule);
    expect(entries).toMatchObject([{ status: 'ok', rejected: 0, bogons: 3 }]); // the three networks for documentation
    expect(await casting.service.get(`/v1/revisions/${String(id)}`)).toMatchObject({
      prefix_count: { ipv4: 7_725 },
    });
    await casting.service.call('PATCH', '/v1/settings', { guard_bogons: 'allow' });
  });

  test('111,110 lines become the 7,728 prefixes of the minimal set', async () => {
    const result = await refresh(casting, allModule);
    expect(result).toMatchObject({ status: 'ok', number: 2 });
    const revision = await casting.service.get(`/v1/revisions/${String(result.revision_id)}`);
    expect(revision).toMatchObject({
      prefix_count: { ipv4: 7_728, ipv6: 0 },
      communities: [{ community: '64500:200', prefix_count: { ipv4: 7_728, ipv6: 0 } }],
    });
    const text = await casting.service.request(
      'GET',
      `/v1/revisions/${String(result.revision_id)}/prefixes`,
      undefined,
      { accept: 'text/plain' },
    );
    expect(lines(await text.text())).toEqual(all);
  });

  test('the peer holds exactly the routes of both lists, each with its communities', async () => {
    await refresh(casting, awsModule);
    const wanted = expected(aws[0]!);
    await bird.waitRoutes(wanted.size);
    expect(await held()).toEqual(wanted);
    const [route] = await bird.routes();
    expect(route).toMatchObject({ asPath: String(SPEAKER_ASN), nextHop: '127.0.0.1', largeCommunities: [] });
    expect(route!.asPath).not.toContain(String(PEER_ASN));
  });

  test("the next state of AWS's list reaches the peer as the difference alone", async () => {
    const before = expected(aws[0]!);
    const after = expected(aws[1]!);
    const received = bird.updates().length;
    casting.sources.set('/aws.json', serve(readFileSync(states[1]!), 'application/json'));
    await refresh(casting, awsModule);
    await bird.waitRoutes(after.size);
    expect(await held()).toEqual(after);

    const updates = bird.updates().slice(received);
    const announced = [...after]
      .filter(([prefix, communities]) => String(before.get(prefix)) !== String(communities))
      .map(([prefix]) => prefix);
    const withdrawn = [...before.keys()].filter((prefix) => !after.has(prefix));
    expect(announced.length).toBeGreaterThan(0);
    expect(updates.flatMap((update) => update.announced).sort()).toEqual(announced.sort());
    expect(updates.flatMap((update) => update.withdrawn).sort()).toEqual(withdrawn.sort());
    expect(updates.length).toBeLessThanOrEqual(5); // one for each set of attributes that changed, one for what went
  });
});
