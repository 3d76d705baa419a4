import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { addCdnModule, type Casting, refresh, serve, startCasting } from '../casting.ts';

const lacks = requireDaemon('bird') === null;

/** `count` /24s beside each other in steps of two, so that none merges with the next. */
const list = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, i) => `45.${(from + i) >> 7}.${((from + i) & 127) * 2}.0/24`).join('\n');

const listed = async (bird: Bird): Promise<string[]> => (await bird.routes()).map((route) => route.prefix);

/** The service dies by SIGKILL and starts again; nothing is lost, nothing half done, and nobody has to lift a hand. */
describe.skipIf(lacks)('kill -9 of the service', () => {
  let casting: Casting;
  let bird: Bird;
  let moduleId: string;

  beforeAll(async () => {
    casting = await startCasting();
    casting.sources.set('/list', serve(list(2_000)));
    bird = await casting.addBird();
    ({ moduleId } = await addCdnModule(casting, '64500:1', { path: '/list' }));
    await refresh(casting, moduleId);
    await bird.waitRoutes(2_000);
  });
  afterAll(() => casting?.close());

  test('the peer keeps every route, and the restarted service announces them again by itself', async () => {
    const before = await listed(bird);
    const received = bird.updates().length;
    await casting.service.stop('SIGKILL');
    await waitFor(async () => (await bird.session()).state !== 'established', { what: 'BIRD to notice' });
    expect(await listed(bird)).toEqual(before);
    await casting.restart();
    await bird.waitEstablished();
    await waitFor(() => bird.updates().filter((update) => update.endOfRib).length >= 4, {
      what: 'both End-of-RIBs',
    });
    expect(await listed(bird)).toEqual(before);
    expect((await bird.routes()).filter((route) => route.stale === true)).toEqual([]);
    expect(bird.withdrawnSince(received)).toEqual([]);
  });

  test('in the middle of a refresh: the job is taken up again and builds its revision once', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let asked = 0;
    casting.sources.set('/list', (_request, response) => {
      asked++;
      response.writeHead(200, { 'content-type': 'text/plain' }).write(list(1_000));
      void released.then(() => response.end(`\n${list(1_500, 1_000)}`));
    });
    const revisions = await count(casting, '/v1/revisions');
    const job = await casting.service.post<{ id: string }>(`/v1/modules/${moduleId}/refresh`);
    await waitFor(() => asked === 1, { what: 'the refresh to fetch' });
    await casting.service.stop('SIGKILL');
    release();
    await casting.restart();

    const ended = await casting.service.ended(job);
    expect(ended).toMatchObject({ state: 'succeeded', attempt: 2 });
    expect(await count(casting, '/v1/revisions')).toBe(revisions + 1);
    await casting.service.succeeded({ id: String(ended.result?.apply_job_id) });
    await bird.waitRoutes(2_500);
  });

  test('in the middle of an apply: it is finished after the start, and the peer sees no withdrawal', async () => {
    await casting.service.call('PATCH', '/v1/settings', { guard_max_change_percent: 2_000 });
    casting.sources.set('/list', serve(list(30_000)));
    const received = bird.updates().length;
    bird.pause(); // the apply cannot end while the peer reads nothing
    const result = await casting.service.succeeded(
      await casting.service.post(`/v1/modules/${moduleId}/refresh`),
    );
    const apply = { id: String(result.apply_job_id) };
    await waitFor(
      async () => (await casting.service.get<{ state: string }>(`/v1/jobs/${apply.id}`)).state === 'running',
      {
        what: 'the apply to run',
      },
    );
    await casting.service.stop('SIGKILL');
    bird.resume();
    await casting.restart();
    await casting.service.succeeded(apply);
    await bird.waitRoutes(30_000);
    expect(bird.withdrawnSince(received)).toEqual([]);
    const { items } = await casting.service.get<{
      items: { applied_revision_id: string; last_apply: object }[];
    }>('/v1/speakers');
    expect(items).toMatchObject([
      { applied_revision_id: result.revision_id, last_apply: { status: 'ok', error: null } },
    ]);
  });

  test('an orderly restart keeps the routes at the peer as well', async () => {
    const before = await listed(bird);
    const received = bird.updates().length;
    await casting.service.stop('SIGTERM');
    expect(await listed(bird)).toEqual(before);
    await casting.restart();
    await bird.waitEstablished();
    expect(await listed(bird)).toEqual(before);
    expect(bird.withdrawnSince(received)).toEqual([]);
  });
});

async function count({ service }: Casting, path: string): Promise<number> {
  return (await service.get<{ items: unknown[] }>(`${path}?limit=500`)).items.length;
}
