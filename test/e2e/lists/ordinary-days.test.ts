/** Days on which nothing is wrong but a source, a speaker that is not there yet, or a slip of the pen; a BIRD and an FRR have what they should. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Lookup } from '../../../src/api/lookup/lookup.ts';
import type { SpeakerApplyResult } from '../../../src/api/revisions/apply.ts';
import type { Revision } from '../../../src/api/revisions/revisions.ts';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import { loopbackAddress } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  addCdnModule,
  type Casting,
  refresh,
  refreshInVain,
  type Routers,
  serve,
  SPEAKER_ASN,
  startCasting,
} from '../casting.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('frr-bgpd') === null;

interface Made {
  readonly id: string;
}

/** Where the entries of a list, its feed and the rules of its host are. */
interface Divided {
  readonly path: string;
  readonly url: string;
  readonly ruleset: string;
}

const POLLING = { interval: 200 };

const scattered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `45.${i >> 7}.${(i & 127) * 2}.0/24`);

describe.skipIf(lacks)('an ordinary day', () => {
  let casting: Casting;
  let routers: Routers;
  let moduleId: string;
  let sourceId: string;
  let rangesId: string;

  beforeAll(async () => {
    casting = await startCasting();
    // The routers here have no limits, which they may be late to tell of.
    await casting.service.call('PATCH', '/v1/settings', { deploy_calm_milliseconds: 100 });
    routers = await casting.addRouters();
    casting.sources.set('/list', serve(scattered(16).join('\n')));
    ({ moduleId, sourceId } = await addCdnModule(casting, '64500:1', { path: '/list' }));
    await refresh(casting, moduleId);
    await routers.waitRoutes(16);
    ({ id: rangesId } = await casting.service.post<Made>('/v1/modules', {
      ...{ name: 'ranges', type: 'IP_RANGES' },
    }));
  });
  afterAll(() => casting?.close());

  const source = (): string => `/v1/modules/${moduleId}/cdn-sources/${sourceId}`;
  const addRange = (cidr: string): Promise<Made> =>
    casting.service.post(`/v1/modules/${rangesId}/ip-range-entries`, { cidr });
  const latest = (): Promise<Revision> => casting.service.get<Revision>('/v1/revisions/latest');
  const enrollHost = async (hostname: string): Promise<string> => {
    const { token } = await casting.service.post<{ token: string }>('/v1/firewall/enrollment-tokens', {});
    const headers = { authorization: `Bearer ${token}` };
    const body = { hostname, version: '1.0.0' };
    const answer = await casting.service.request('POST', '/v1/firewall/clients/enroll', body, headers);
    return ((await answer.json()) as { client_id: string }).client_id;
  };
  const received = async (): Promise<string[]> => (await routers.lines()).map((line) => line.split(' ')[0]!);

  test('poison, its source disabled, another module refreshed: nothing is held for what no revision has', async () => {
    casting.sources.set('/list', serve(scattered(900).join('\n')));
    expect(await refresh(casting, moduleId)).toMatchObject({ quarantined: [moduleId] });
    await casting.service.call('PATCH', source(), { enabled: false });
    await addRange('46.0.0.0/24');
    expect(await refresh(casting, rangesId)).toMatchObject({ quarantined: [] });
    await waitFor(async () => String(await received()) === '46.0.0.0/24', {
      what: 'both routers to have the range alone',
    });
    expect(await latest()).toMatchObject({ state: 'ready', findings: [] });
    casting.sources.set('/list', serve(scattered(16).join('\n')));
    await casting.service.call('PATCH', source(), { enabled: true });
    await refresh(casting, moduleId);
    await routers.waitRoutes(17);
  });

  describe('nobody waits for', () => {
    test('a node that never enrolled: it is skipped, with what to do, and both routers have the route', async () => {
      const agent = { name: 'far', local_asn: SPEAKER_ASN, mode: 'agent', daemon: 'bird' };
      const { id: farId } = await casting.service.post<Made>('/v1/speakers', agent);
      await addRange('46.0.2.0/24');
      const { apply_job_id: id } = await casting.service.succeeded(
        await casting.service.post(`/v1/modules/${rangesId}/refresh`),
      );
      const result = await casting.service.succeeded({ id: id as string });
      const speakers = result.speakers as SpeakerApplyResult[];
      expect(speakers.map(({ status }) => status).sort()).toEqual(['applied', 'skipped']);
      expect(speakers.find(({ speaker_id: one }) => one === farId)!.error).toContain('enrollment-tokens');
      await routers.waitRoutes(18);
      await casting.service.call('DELETE', `/v1/speakers/${farId}`);
    });

    test('a source that is down: its refresh fails, makes no revision, and is a warning of the audit log', async () => {
      const before = await latest();
      casting.sources.set('/list', (_request, response) => response.writeHead(503).end());
      await refreshInVain(casting, moduleId);
      expect((await latest()).id).toBe(before.id);
      const { items } = await casting.service.get<{ items: { severity: string; resource: object }[] }>(
        '/v1/audit?action=job.fail',
      );
      expect(items[0]).toMatchObject({ severity: 'warning' });
      casting.sources.set('/list', serve(scattered(16).join('\n')));
      expect(await received()).toHaveLength(18);
    });

    test('a slow source twice: refreshes that are asked for while one waits are that one', async () => {
      const open: (() => void)[] = [];
      casting.sources.set('/list', (request, response) => {
        open.push(() => serve(scattered(16).join('\n'))(request, response));
      });
      const ask = (): Promise<Made> => casting.service.post(`/v1/modules/${moduleId}/refresh`);
      const first = await ask();
      await waitFor(() => open.length > 0, { what: 'the source to be asked' });
      const others = await Promise.all([1, 2, 3, 4, 5].map(ask));
      expect(new Set(others.map(({ id }) => id)).size).toBe(1);
      casting.sources.set('/list', serve(scattered(16).join('\n')));
      for (const answer of open) answer();
      for (const job of [first, others[0]!]) await casting.service.succeeded(job);
    });
  });

  test('a speaker that is new gets what the others run by itself, and so do its routers', async () => {
    const caller = loopbackAddress();
    const speaker = { name: 'second', local_asn: SPEAKER_ASN, local_ipv4: caller };
    const { id: speakerId } = await casting.service.post<Made>('/v1/speakers', speaker);
    const others = await casting.addRouters({ speakerId, caller });
    await others.waitRoutes(18);
    expect(await others.lines()).toEqual(await routers.lines());
    const running = async (): Promise<(string | null)[]> => {
      const { items } = await casting.service.get<{ items: Speaker[] }>('/v1/speakers');
      return items.map(({ applied_revision_id: revision }) => revision);
    };
    await waitFor(async () => new Set(await running()).size === 1, {
      what: 'both speakers to run one revision',
    });
    expect(await running()).toHaveLength(2);
    for (const id of others.peerIds) await casting.service.call('DELETE', `/v1/peers/${id}`);
    await casting.service.call('DELETE', `/v1/speakers/${speakerId}`);
  });

  test('jobs that ended well show all of it as done', async () => {
    const { items } = await casting.service.get<{ items: Job[] }>('/v1/jobs?state=succeeded&limit=500');
    expect(items.length).toBeGreaterThan(5);
    for (const { type, progress } of items)
      if (typeof progress?.total === 'number') expect(progress.done, type).toBe(progress.total);
  });

  test('a list is divided in two: no router loses a route, and the feed and the rule of each list have what is in it', async () => {
    const community = await casting.service.post<Made>('/v1/communities', {
      community: '64500:9',
      title: 'Divided',
    });
    const build = async (): Promise<unknown> =>
      casting.service.succeeded(await casting.service.post<Made>('/v1/revisions'));
    const lists: Divided[] = [];
    for (const [name, cidrs] of [
      ['one', ['46.1.0.0/24', '46.1.2.0/24']],
      ['two', []],
    ] as const) {
      const more = { type: 'IP_RANGES', community_id: community.id };
      const { id } = await casting.service.post<Made>('/v1/modules', { name, ...more });
      const path = `/v1/modules/${id}/ip-range-entries`;
      for (const cidr of cidrs) await casting.service.post(path, { cidr });
      const { token } = await casting.service.post<{ token: string }>('/v1/feeds', {
        name,
        module_ids: [id],
      });
      const client = await enrollHost(name);
      await casting.service.post('/v1/firewall/rules', {
        ...{ name, client_ids: [client], action: 'block', direction: 'in', module_ids: [id] },
      });
      const url = `${casting.service.url}/feeds/${name}?token=${token}`;
      lists.push({ path, url, ruleset: `/v1/firewall/clients/${client}/ruleset?format=nft` });
    }
    await build();
    await waitFor(async () => (await received()).includes('46.1.2.0/24'), {
      what: 'both routers to have both',
    });
    await casting.service.post(lists[1]!.path, { cidr: '46.1.2.0/24' });
    const { items } = await casting.service.get<{ items: (Made & { cidr: string })[] }>(lists[0]!.path);
    const moved = items.find(({ cidr }) => cidr === '46.1.2.0/24')!;
    await casting.service.call('DELETE', `${lists[0]!.path}/${moved.id}`);
    await build();
    for (const [place, wanted] of ['46.1.0.0/24', '46.1.2.0/24'].entries()) {
      const { url, ruleset } = lists[place]!;
      await expect.poll(async () => (await fetch(url)).text(), POLLING).toBe(`${wanted}\n`);
      const blocked = async (): Promise<string[]> =>
        (await (await casting.service.request('GET', ruleset)).text()).match(/46\.1\.\d\.0\/24/g) ?? [];
      await expect.poll(blocked, POLLING).toEqual([wanted]);
    }
    expect((await latest()).applied_on).not.toEqual([]);
    const { matches } = await casting.service.get<Lookup>('/v1/lookup?q=46.1.2.1&at=applied');
    expect(matches.map(({ module }) => module.name)).toEqual(['two']);
    for (const one of ['46.1.0.0/24', '46.1.2.0/24']) expect(await received()).toContain(one);
  });

  describe('a slip of the pen', () => {
    test('one header of a source is changed and one removed: the source is asked with the rest of them', async () => {
      const asked: Record<string, unknown>[] = [];
      casting.sources.set('/list', (request, response) => {
        asked.push(request.headers);
        serve(scattered(17).join('\n'))(request, response);
      });
      const headers = { Authorization: 'Bearer old', 'X-Account': '7', 'X-Old': 'yes' };
      await casting.service.call('PATCH', source(), { headers });
      const patch = { headers: { authorization: 'Bearer new', 'x-old': null } };
      await casting.service.call('PATCH', source(), patch);
      await refresh(casting, moduleId);
      expect(asked.at(-1)).toMatchObject({ authorization: 'Bearer new', 'x-account': '7' });
      expect(asked.at(-1)).not.toHaveProperty('x-old');
      await routers.waitRoutes(21);
    });

    test('settings that somebody else has changed meanwhile are not overwritten', async () => {
      const etag = (await casting.service.request('GET', '/v1/settings')).headers.get('etag')!;
      const change = (value: number): Promise<Response> =>
        casting.service.request(
          ...(['PATCH', '/v1/settings'] as const),
          { guard_max_change_percent: value },
          { 'if-match': etag },
        );
      expect((await change(20)).status).toBe(200);
      expect((await change(40)).status).toBe(412);
    });

    test('a name that differs only in case is the same, blanks around it do not count, and none turns text round', async () => {
      const name = (text: string): Promise<Response> =>
        casting.service.request('POST', '/v1/modules', { name: text, type: 'IP_RANGES' });
      expect(await (await name('  Edge ')).json()).toMatchObject({ name: 'Edge' });
      expect((await name('EDGE')).status).toBe(409);
      expect((await name('edge\u202e7')).status).toBe(422);
      expect((await name('edge\u00007')).status).toBe(422);
    });

    test('a member twice is refused, and a correction goes under the same Idempotency-Key', async () => {
      const send = (body: string): Promise<Response> =>
        fetch(`${casting.service.url}/v1/modules`, {
          method: 'POST',
          headers: {
            ...{ authorization: `Bearer ${casting.service.key}`, 'content-type': 'application/json' },
            'idempotency-key': 'ordinary-days',
          },
          body,
        });
      expect(await (await send('{"name":"a","name":"b","type":"IP_RANGES"}')).json()).toMatchObject({
        ...{ status: 400, code: 'malformed_request' },
      });
      expect((await send('{"name":"c","type":"RANGES"}')).status).toBe(422);
      expect((await send('{"name":"c","type":"IP_RANGES"}')).status).toBe(201);
    });
  });
});
