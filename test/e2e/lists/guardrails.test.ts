import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requireDaemon } from '../../daemons/programs.ts';
import { addCdnModule, type Casting, refresh, type Routers, serve, startCasting } from '../casting.ts';

const lacks = requireDaemon('bird') === null || requireDaemon('frr-bgpd') === null;

/** `count` scattered /24s from the `from`th on: no two of them halves of one. */
const scattered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `45.${(from + i) >> 7}.${((from + i) & 127) * 2}.0/24`);

interface Revision {
  readonly id: string;
  readonly state: string;
  readonly findings: readonly { readonly code: string }[];
}

describe.skipIf(lacks)('a revision that breaks a guardrail, where guard_scope is revision', () => {
  let casting: Casting;
  let routers: Routers;
  let moduleId: string;

  beforeAll(async () => {
    casting = await startCasting();
    await casting.service.call('PATCH', '/v1/settings', { guard_scope: 'revision' });
    casting.sources.set('/list', serve(scattered(200).join('\n')));
    routers = await casting.addRouters();
    ({ moduleId } = await addCdnModule(casting, '64500:1', { path: '/list' }));
    await refresh(casting, moduleId);
    await routers.waitRoutes(200);
  });
  afterAll(() => casting?.close());

  const received = async () => (await routers.lines()).map((line) => line.split(' ')[0]!).sort();

  const build = async (...prefixes: string[]): Promise<Revision> => {
    casting.sources.set('/list', serve(prefixes.join('\n')));
    const { revision_id: id } = await refresh(casting, moduleId);
    return casting.service.get<Revision>(`/v1/revisions/${String(id)}`);
  };

  test.each([
    ['most of it has vanished', scattered(20), 'max_change_exceeded'],
    ['it holds a default route', [...scattered(200), '0.0.0.0/0'], 'default_route_forbidden'],
    ['it holds a short prefix', [...scattered(200), '44.0.0.0/7'], 'prefix_too_short'],
  ])('%s: is held, and the peer keeps the good routes', async (_what, prefixes, code) => {
    const sentBefore = routers.bird.updates().length;
    const held = await build(...prefixes);
    expect(held.state).toBe('held');
    expect(held.findings.map((finding) => finding.code)).toContain(code);
    expect(await received()).toEqual(scattered(200).sort());
    expect(routers.bird.updates().length).toBe(sentBefore);
  });

  test('the next good one reaches the peer', async () => {
    expect(await build(...scattered(205))).toMatchObject({ state: 'ready', findings: [] });
    await routers.waitRoutes(205);
    expect(await received()).toEqual(scattered(205).sort());
  });

  test('an override lets it through, and the preview had said what the peer receives then', async () => {
    const { id } = await build(...scattered(30));
    const preview = await casting.service.get<{
      speakers: { peers: { prefix_count: { ipv4: number } }[]; difference: object }[];
    }>(`/v1/revisions/${id}/preview`);
    expect(preview).toMatchObject({
      findings: [{ code: 'max_change_exceeded' }],
      speakers: [{ difference: { announced: 0, withdrawn: 175, changed: 0 } }],
    });
    const override = { override: ['max_change_exceeded'], reason: 'the provider gave its network up' };
    await casting.service.succeeded(
      await casting.service.post('/v1/apply', { revision_id: id, ...override }),
    );
    await routers.waitRoutes(preview.speakers[0]!.peers[0]!.prefix_count.ipv4);
    expect(await received()).toEqual(scattered(30).sort());
    const audited = await casting.service.get('/v1/audit?action=revision.override');
    expect(audited).toMatchObject({ items: [{ severity: 'critical', resource: { id } }] });
  });
});
