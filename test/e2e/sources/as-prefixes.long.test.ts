import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { type Announcements, irrTalk, NOW, ripestatAnswers } from '../../sources/asn/servers.ts';
import { type ListServer, serves, startListServer, startTcpServer } from '../../sources/lists/list-server.ts';
import { type Casting, refresh, refreshInVain, startCasting } from '../casting.ts';

const lacks = requireDaemon('bird') === null;
const BEFORE = '2026-10-20T16:00:00';

/** What ASes announce becomes routes at a router, whichever source the operator chooses. */
describe.skipIf(lacks)('a module of AS numbers', () => {
  let source: ListServer;
  let casting: Casting;
  let bird: Bird;
  let moduleId: string;
  const ids = new Map<number, string>();
  const announced = new Map<number, Announcements>();
  const closers: (() => Promise<void>)[] = [];

  const entry = (asn: number) =>
    casting.service.get<Record<string, unknown>>(`/v1/modules/${moduleId}/as-entries/${ids.get(asn)}`);
  const routes = async (): Promise<string[]> =>
    (await bird.routes()).map(({ prefix, communities }) => `${prefix} ${communities.join(' ')}`).sort();
  const ready = async (env: Record<string, string>): Promise<void> => {
    await casting.service.stop();
    await casting.restart(env);
  };

  beforeAll(async () => {
    source = await startListServer();
    closers.push(() => source.close());
    source.answer = ripestatAnswers(announced);
    casting = await startCasting({ APP_ASN_SOURCE_URL: `${source.origin}/data.json` });
    bird = await casting.addBird();
    const { service } = casting;
    const community = await service.post<{ id: string }>('/v1/communities', {
      community: '64500:7',
      title: 'Networks',
    });
    const body = { name: 'networks', type: 'AS_PREFIXES', community_id: community.id };
    moduleId = (await service.post<{ id: string }>('/v1/modules', body)).id;
    const { items } = await service.post<{ items: { id: string; asn: number }[] }>(
      `/v1/modules/${moduleId}/as-entries`,
      { items: [{ asn: 'AS64501' }, { asn: 64502, note: 'falls silent' }] },
    );
    for (const { asn, id } of items) ids.set(asn, id);
  });
  afterAll(async () => {
    await casting?.close();
    for (const close of closers) await close();
  });

  test('has at the router what RIPEstat sees now, each route with the community', async () => {
    announced.set(64501, {
      '45.0.0.0/24': [NOW],
      '45.0.1.0/24': [NOW],
      '45.0.9.0/24': [BEFORE],
      '2600:80::/32': [NOW],
    });
    announced.set(64502, { '46.0.0.0/24': [NOW] });
    expect(await refresh(casting, moduleId)).toMatchObject({ status: 'ok' });
    await bird.waitRoutes(3);
    const prefixes = (await routes()).map((route) => route.split(' ')[0]);
    expect(prefixes).toEqual(['2600:80::/32', '45.0.0.0/23', '46.0.0.0/24']);
    for (const route of await routes()) expect(route).toContain('64500:7');
  });

  test('keeps the routes of an AS that falls silent, and of all when the source fails', async () => {
    const before = await routes();
    announced.set(64502, {});
    expect(await refresh(casting, moduleId)).toMatchObject({ status: 'partial', content_changed: false });
    expect(await entry(64502)).toMatchObject({ status: 'stale', prefix_count: { ipv4: 1, ipv6: 0 } });
    source.answer = (_, response) => response.writeHead(404).end();
    expect(await refreshInVain(casting, moduleId)).toMatchObject({ status: 'failed' });
    expect(await entry(64501)).toMatchObject({ status: 'stale', prefix_count: { ipv4: 2, ipv6: 1 } });
    expect(await routes()).toEqual(before);
  });

  test('takes its prefixes from a table after the operator chose one', async () => {
    const table = ['45.0.0.0\t45.0.0.255\t64501\tDE\tONE', '46.0.0.0\t46.0.1.255\t64502\tDE\tTWO'];
    source.answer = serves(gzipSync(table.join('\n')), 'application/gzip');
    await ready({ APP_ASN_SOURCE: 'table', APP_ASN_SOURCE_URL: `${source.origin}/table.tsv.gz` });
    expect(await refresh(casting, moduleId)).toMatchObject({ status: 'ok' });
    await bird.waitRoutes(2);
    expect((await routes()).map((route) => route.split(' ')[0])).toEqual(['45.0.0.0/24', '46.0.0.0/23']);
    expect(await entry(64502)).toMatchObject({ status: 'ok', last_error: null });
  });

  test('takes its prefixes from a routing registry after the operator chose one', async () => {
    const irr = irrTalk();
    irr.routes.set('!gAS64501', '45.0.0.0/24 45.0.4.0/24');
    irr.routes.set('!6AS64502', '2600:90::/32');
    const server = await startTcpServer(irr.talk);
    closers.push(() => server.close());
    await ready({ APP_ASN_SOURCE: 'irr', APP_IRR_HOST: `127.0.0.1:${server.port}` });
    expect(await refresh(casting, moduleId)).toMatchObject({ status: 'ok' });
    await bird.waitRoutes(3);
    expect((await routes()).map((route) => route.split(' ')[0])).toEqual([
      '2600:90::/32',
      '45.0.0.0/24',
      '45.0.4.0/24',
    ]);
  });
});
