/** Whoever misses an address at a router asks why: each reason as it comes about by itself, beside a real router that does not have the route. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Bird } from '../../daemons/bird/bird.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { addCdnModule, type Casting, refresh, serve, startCasting } from '../casting.ts';

interface Reason {
  readonly reason: string;
  readonly detail: string;
  readonly module: { readonly id: string; readonly name: string } | null;
  readonly entry: { readonly id: string; readonly value: string } | null;
}

const scattered = (count: number): string =>
  Array.from({ length: count }, (_, i) => `45.${i >> 7}.${(i & 127) * 2}.0/24`).join('\n');

describe.skipIf(requireDaemon('bird') === null)('why an address is not announced', () => {
  let casting: Casting;
  let bird: Bird;
  let ranges: string;
  let entry: string;

  beforeAll(async () => {
    casting = await startCasting();
    bird = await casting.addBird();
    ranges = await makeModule('ranges');
    entry = await addRange(ranges, '46.0.1.0/24');
  });
  afterAll(() => casting?.close());
  beforeEach(async () => {
    await patch('/v1/settings', { auto_apply: true });
    await refresh(casting, ranges);
    await announced('46.0.1.1');
  });

  const patch = (path: string, body: object): Promise<unknown> => casting.service.call('PATCH', path, body);
  const makeModule = async (name: string, more: object = {}): Promise<string> =>
    (await casting.service.post<{ id: string }>('/v1/modules', { name, type: 'IP_RANGES', ...more })).id;
  const addRange = async (moduleId: string, cidr: string): Promise<string> =>
    (await casting.service.post<{ id: string }>(`/v1/modules/${moduleId}/ip-range-entries`, { cidr })).id;

  const routeOf = async (address: string): Promise<string | undefined> =>
    (await bird.routes()).find(({ prefix }) => prefix.startsWith(address.replace(/\d+$/, '0/')))?.prefix;
  const reasons = async (address: string): Promise<Reason[]> =>
    (await casting.service.get<{ not_announced: Reason[] }>(`/v1/lookup?q=${address}`)).not_announced;
  const announced = (address: string): Promise<unknown> =>
    waitFor(async () => (await routeOf(address)) !== undefined && (await reasons(address)).length === 0, {
      what: `${address} to be announced, without a reason why not`,
    });
  /** The only reason, once the router does not have the address, and its apply has ended. */
  const why = async (address: string): Promise<Reason> => {
    const [reason] = await waitFor(
      async () => {
        const all = (await routeOf(address)) === undefined ? await reasons(address) : [];
        return all.length === 1 && all;
      },
      { what: `${address} to be withdrawn for one reason` },
    );
    return reason!;
  };

  test('no revision holds it yet; then its apply waits for somebody; then it is there', async () => {
    await addRange(ranges, '46.0.3.0/24');
    expect(await why('46.0.3.1')).toMatchObject({ reason: 'not_built' });
    await patch('/v1/settings', { auto_apply: false });
    await refresh(casting, ranges);
    expect(await why('46.0.3.1')).toMatchObject({ reason: 'not_applied' });
    await casting.service.succeeded(await casting.service.post('/v1/apply'));
    await announced('46.0.3.1');
  });

  test('it is being tried, and may be taken back', async () => {
    await patch('/v1/settings', { deploy_calm_milliseconds: 10_000 });
    await addRange(ranges, '46.0.5.0/24');
    const job = await casting.service.post<{ id: string }>(`/v1/modules/${ranges}/refresh`);
    const [first] = await waitFor(
      async () => {
        const all = await reasons('46.0.5.1');
        return all.some(({ reason }) => reason === 'provisional') && all;
      },
      { what: 'the address to be announced provisionally' },
    );
    expect(first).toMatchObject({ reason: 'provisional' });
    await patch('/v1/settings', { deploy_calm_milliseconds: null });
    await casting.service.succeeded(job);
    await announced('46.0.5.1');
  });

  test('another module excludes it, named with its entry', async () => {
    const excluding = await makeModule('ours', { purpose: 'exclude' });
    await addRange(excluding, '46.0.1.0/24');
    await refresh(casting, excluding);
    expect(await why('46.0.1.1')).toMatchObject({
      ...{ reason: 'excluded', module: { id: excluding, name: 'ours' }, entry: { value: '46.0.1.0/24' } },
    });
    await casting.service.call('DELETE', `/v1/modules/${excluding}`);
  });

  test('its module is disabled, or its entry', async () => {
    await patch(`/v1/modules/${ranges}`, { enabled: false });
    await casting.service.succeeded(await casting.service.post('/v1/revisions'));
    expect(await why('46.0.1.1')).toMatchObject({ reason: 'module_disabled', module: { id: ranges } });
    await patch(`/v1/modules/${ranges}`, { enabled: true });
    await patch(`/v1/modules/${ranges}/ip-range-entries/${entry}`, { enabled: false });
    await refresh(casting, ranges);
    expect(await why('46.0.1.1')).toMatchObject({ reason: 'entry_disabled', entry: { id: entry } });
    await patch(`/v1/modules/${ranges}/ip-range-entries/${entry}`, { enabled: true });
  });

  test('a guardrail holds its module', async () => {
    casting.sources.set('/list', serve(scattered(200)));
    const { moduleId } = await addCdnModule(casting, '64500:1', { path: '/list' });
    await refresh(casting, moduleId);
    await announced('45.0.2.1');
    casting.sources.set('/list', serve(`${scattered(20)}\n47.0.0.0/24`));
    await refresh(casting, moduleId);
    expect(await why('47.0.0.1')).toMatchObject({ reason: 'held', module: { id: moduleId } });
    await announced('45.0.2.1');
  });

  test('it is a bogon, which a source has brought', async () => {
    casting.sources.set('/bogons', serve('44.0.0.0/24\n10.1.0.0/16\n'));
    const { moduleId } = await addCdnModule(casting, '64500:2', { path: '/bogons' });
    await refresh(casting, moduleId);
    await announced('44.0.0.1');
    const reason = await why('10.1.2.3');
    expect(reason).toMatchObject({ reason: 'bogon' });
    expect(reason.detail).toContain('guard_bogons');
  });
});
