import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { freePort } from '../../daemons/machine/ports.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import {
  addCdnModule,
  refresh,
  serve,
  SPEAKER_ASN,
  startCasting,
  type Casting,
  type LoggedEvent,
} from '../casting.ts';

const WARN = 40;
const INFO = 30;

describe.skipIf(requireDaemon('bird') === null)('operators read in the log, once each', () => {
  let casting: Casting;
  let bird: Bird;
  let moduleId: string;
  let metrics: string;
  beforeAll(async () => {
    metrics = `127.0.0.1:${await freePort()}`;
    casting = await startCasting({ APP_METRICS_LISTEN: metrics });
    bird = await casting.addBird();
    casting.sources.set('/list', serve('198.51.101.0/24\n198.51.102.0/24\n'));
    ({ moduleId } = await addCdnModule(casting, '64500:100', { path: '/list' }));
  });
  afterAll(() => casting?.close());

  const of = (event: string): readonly LoggedEvent[] =>
    casting.reported.filter((line) => line.event === event);
  /** The one line of the event since there were `before`, once it is there. */
  async function next(event: string, before: number): Promise<LoggedEvent> {
    await waitFor(() => of(event).length > before, { what: `the line of ${event}` });
    expect(of(event).slice(before)).toHaveLength(1);
    const line = of(event)[before]!;
    expect(line).toMatchObject({ tenant: 'default', tenant_id: expect.any(String) as string });
    return line;
  }
  async function scrape(): Promise<string> {
    return (await fetch(`http://${metrics}/metrics`)).text();
  }

  test('a revision that is ready, its apply, and the session that came up', async () => {
    await refresh(casting, moduleId);
    await bird.waitRoutes(2);
    expect(await next('revision_ready', 0)).toMatchObject({
      ...{ level: INFO, revision: 1, routes: 2, trigger: 'refresh' },
      msg: 'Revision 1 of 2 routes is ready, built by a refresh',
    });
    const speaker = { speaker: 'builtin', speaker_id: expect.any(String) as string };
    expect(await next('apply_begun', 0)).toMatchObject({
      ...speaker,
      ...{ level: INFO, revision: 1, msg: 'The speaker builtin begins with revision 1' },
    });
    expect(await next('apply_ended', 0)).toMatchObject({
      ...speaker,
      ...{ level: INFO, revision: 1, announced: 2, withdrawn: 0, changed: 0, outcome: 'applied' },
      msg: expect.stringMatching(
        /^The speaker builtin runs revision 1 after [\d.]+ s: 2 routes announced, 0 withdrawn, 0 changed$/,
      ) as string,
    });
    const up = await next('session_up', 0);
    expect(up).toMatchObject({
      ...speaker,
      level: INFO,
      peer: 'bird1',
      peer_id: expect.any(String) as string,
    });
    expect(up.msg).toMatch(/^The session with bird1 \(127\.[\d.]+\) is up on the speaker builtin$/);
  });

  test('what runs already is applied without a word', async () => {
    const begun = of('apply_begun').length;
    await casting.service.succeeded(await casting.service.post('/v1/apply'));
    await refresh(casting, moduleId);
    expect(of('apply_begun')).toHaveLength(begun);
    expect(of('apply_ended')).toHaveLength(begun);
  });

  test('a session that went down, with the words of the NOTIFICATION, and that it is up again', async () => {
    await bird.command('disable n1');
    const down = await next('session_down', 0);
    expect(down).toMatchObject({ level: WARN, speaker: 'builtin', peer: 'bird1' });
    expect(down.msg).toMatch(
      /^The session with bird1 \(.*\) went down on the speaker builtin after .+: .*Cease/,
    );
    await bird.command('enable n1');
    await next('session_up', 1);
  });

  test('a source that is stale, once however often it fails, and good again', async () => {
    casting.sources.set('/list', (_request, response) => response.writeHead(500).end());
    for (let time = 0; time < 2; time++)
      await casting.service.ended(await casting.service.post(`/v1/modules/${moduleId}/refresh`));
    expect(await next('source_stale', 0)).toMatchObject({
      ...{ level: WARN, module: 'module 64500:100', source: 'list', status: 'stale' },
      msg: expect.stringMatching(
        /^The source list of the module module 64500:100 is stale: .*500.* Its last good prefixes stay\.$/,
      ) as string,
    });
    casting.sources.set('/list', serve('198.51.101.0/24\n198.51.102.0/24\n'));
    for (let time = 0; time < 2; time++) await refresh(casting, moduleId);
    expect(await next('source_good', 0)).toMatchObject({
      level: INFO,
      msg: 'The source list of the module module 64500:100 is good again',
    });
  });

  test('a source with lines that cannot be read, once until their number is another', async () => {
    casting.sources.set('/list', serve('198.51.101.0/24\n198.51.102.0/24\n198.51.104.0/33\n'));
    for (let time = 0; time < 2; time++) await refresh(casting, moduleId);
    expect(await next('source_unreadable_lines', 0)).toMatchObject({
      ...{ level: WARN, source: 'list', rejected: 1 },
      msg: expect.stringMatching(
        /^The source list of the module module 64500:100 has lines that cannot be read: 1\. The first, line 3: .*198\.51\.104\.0\/33/,
      ) as string,
    });
  });

  test('a job that failed', async () => {
    await casting.service.call('PATCH', '/v1/settings', { deploy_freeze: true });
    casting.sources.set('/list', serve('198.51.101.0/24\n198.51.102.0/24\n198.51.104.0/24\n'));
    const before = of('job_failed').length;
    const { apply_job_id: id } = await casting.service.succeeded(
      await casting.service.post(`/v1/modules/${moduleId}/refresh`),
    );
    await casting.service.ended({ id: String(id) });
    expect(await next('job_failed', before)).toMatchObject({
      ...{ level: WARN, job_id: id, job_type: 'apply', code: 'deploy_frozen' },
      msg: expect.stringMatching(/^The job apply failed \(deploy_frozen\): /) as string,
    });
    await casting.service.call('PATCH', '/v1/settings', { deploy_freeze: false });
    await casting.service.succeeded(await casting.service.post('/v1/apply'));
  });

  const GOOD = ['198.51.101.0/24', '198.51.102.0/24', '198.51.104.0/24'];
  const ONE_MORE = [...GOOD, '198.51.106.0/24'].join('\n');

  test('a revision that is held, and why', async () => {
    await casting.service.call('PATCH', '/v1/settings', { guard_max_prefixes: 3 });
    casting.sources.set('/list', serve(ONE_MORE));
    const before = of('revision_held').length;
    await casting.service.succeeded(await casting.service.post(`/v1/modules/${moduleId}/refresh`));
    expect(await next('revision_held', before)).toMatchObject({
      ...{ level: WARN, revision: expect.any(Number) as number, routes: 4 },
      msg: expect.stringMatching(/^Revision \d+ of 4 routes is held .*max_prefixes_exceeded/) as string,
    });
    await casting.service.call('PATCH', '/v1/settings', { guard_max_prefixes: null });
    casting.sources.set('/list', serve(GOOD.join('\n')));
    await refresh(casting, moduleId);
  });

  test('an apply that failed, and in whose words', async () => {
    const limit = (more: { importLimit?: number }): Promise<void> =>
      bird.configure({
        neighbors: [
          {
            ...{ address: '127.0.0.1', port: 1, asn: SPEAKER_ASN, passive: true, gracefulRestart: true },
            ...{ families: ['ipv4', 'ipv6'], extendedMessages: true, ...more },
          },
        ],
      });
    // Nobody else waits for this apply, so it ends when the peer has shown that it bears the routes.
    const three = [...GOOD.slice(0, 2), '198.51.108.0/24'].join('\n');
    casting.sources.set('/list', serve(three));
    await refresh(casting, moduleId);
    await limit({ importLimit: 3 });
    await bird.waitRoutes(3);
    casting.sources.set('/list', serve(ONE_MORE));
    const before = of('apply_failed').length;
    const { apply_job_id: id } = await casting.service.succeeded(
      await casting.service.post(`/v1/modules/${moduleId}/refresh`),
    );
    expect(await casting.service.ended({ id: String(id) })).toMatchObject({ state: 'failed' });
    const failed = await next('apply_failed', before);
    expect(failed).toMatchObject({
      level: WARN,
      speaker: 'builtin',
      revision: expect.any(Number) as number,
    });
    expect(failed.msg).toMatch(/^The speaker builtin did not take revision \d+, after .*: .*bird1/);
    await limit({});
    casting.sources.set('/list', serve(three));
    await refresh(casting, moduleId);
    await bird.waitRoutes(3);
  });

  test('a peer that was deleted took its session along', async () => {
    const { items } = await casting.service.get<{ items: { id: string }[] }>('/v1/peers');
    const before = of('session_down').length;
    await casting.service.call('DELETE', `/v1/peers/${items[0]!.id}`);
    expect((await next('session_down', before)).msg).toMatch(/: the peer was disabled or deleted/);
  });

  test('and the metrics count the same, with names only where APP_METRICS_LISTEN says', async () => {
    const text = await scrape();
    for (const event of ['session_up', 'session_down', 'source_stale', 'job_failed', 'apply_ended'])
      expect(text).toContain(`prefixcast_events_total{event="${event}"} ${of(event).length}\n`);
    expect(text).toContain(
      `prefixcast_apply_duration_seconds_count{outcome="applied"} ${of('apply_ended').length}\n`,
    );
    expect(text).toContain('prefixcast_speaker_routes{tenant="default",speaker="builtin",family="ipv4"} 3\n');
    expect(text).toContain('prefixcast_speaker_applied_revision{tenant="default",speaker="builtin"} ');
    expect(text).toContain('prefixcast_speakers_held 1\n');
    const open = await (await fetch(`${casting.service.url}/metrics`)).text();
    expect(open).toContain('prefixcast_events_total{event="session_up"}');
    expect(open).not.toContain('tenant="default"');
  });
});
