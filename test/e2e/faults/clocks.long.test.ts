import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Job } from '../../../src/api/activity/jobs.ts';
import type { Speaker } from '../../../src/api/speakers/speakers.ts';
import type { Bird } from '../../daemons/bird/bird.ts';
import { MachineClock, removeClockTraces } from '../../daemons/machine/clock.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { addCdnModule, refresh, serve, startCasting, type Casting } from '../casting.ts';

/** Clocks are compared on a machine that is busy. */
const SLACK = 30_000;
/** Until a program has seen that its clock was set, and what it holds was reported again. */
const SEEN = 8_000;

const lacks = requireDaemon('bird') === null || requireDaemon('libfaketimeMT.so.1') === null;

describe.skipIf(lacks)('a service whose clock is not that of its database', () => {
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-clock-'));
  let clock: MachineClock;
  let casting: Casting;
  let bird: Bird;
  let moduleId: string;
  const begun = Date.now();
  beforeAll(async () => {
    clock = new MachineClock(join(directory, 'clock'));
    clock.set(6);
    casting = await startCasting(clock.env);
    bird = await casting.addBird();
    casting.sources.set('/list', serve('192.0.2.0/24\n'));
    ({ moduleId } = await addCdnModule(casting, '64512:1', { path: '/list' }));
    await casting.service.call('PATCH', '/v1/settings', { guard_bogons: 'allow' });
    await refresh(casting, moduleId);
    await bird.waitRoutes(1);
  });
  afterAll(async () => {
    const { pid } = casting.service;
    await casting.close();
    removeClockTraces(pid);
    rmSync(directory, { recursive: true });
  });

  const speaker = async (): Promise<Speaker> => {
    const { items } = await casting.service.get<{ items: Speaker[] }>('/v1/speakers?live=true');
    return items[0]!;
  };
  const session = async () => (await speaker()).live!.sessions[0]!;

  test('reports since when a session is up by that of the database', async () => {
    await waitFor(async () => (await session()).state === 'established', {
      what: 'the session to be reported',
    });
    const since = Date.parse((await session()).since);
    expect(since).toBeGreaterThan(begun - SLACK);
    expect(since).toBeLessThan(Date.now() + SLACK);
  });

  test('reports the same of that session when its clock is set, hours behind and right', async () => {
    const before = await session();
    for (const hours of [-6, 0]) {
      clock.set(hours);
      await sleep(SEEN); // until the service has seen it
      expect(await session()).toMatchObject({ state: 'established', since: before.since });
    }
  });

  const HOUR = 3_600_000;
  const key = (hours: number) =>
    casting.service.post<{ secret: string }>('/v1/api-keys', {
      ...{ name: `for ${hours} h`, role: 'viewer' },
      expires_at: new Date(Date.now() + hours * HOUR).toISOString(),
    });
  const statusOf = async (secret: string, method = 'GET', path = '/v1/modules', body?: object) => {
    const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' };
    const { url } = casting.service;
    return (await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })).status;
  };

  test('takes keys and enrollment tokens for as long as they are good by that of the database', async () => {
    clock.set(6);
    await sleep(SEEN); // until the service has seen it
    expect(await statusOf((await key(1)).secret)).toBe(200);
    const node = { name: 'node', mode: 'agent', local_asn: 64512 };
    const { id } = await casting.service.post<Speaker>('/v1/speakers', node);
    const tokens = `/v1/speakers/${id}/enrollment-tokens`;
    const { token } = await casting.service.post<{ token: string }>(tokens);
    const machine = { hostname: 'edge-1', version: '1.0.0', daemon: 'builtin' };
    expect(await statusOf(token, 'POST', '/v1/nodes/enroll', machine)).toBe(201);
    await casting.service.call('DELETE', `/v1/speakers/${id}`);
    clock.set(-6);
    await sleep(SEEN); // until the service has seen it
    await expect(key(-1)).rejects.toThrow('is over. Give a time to come');
    const { secret } = await key(10 / 3_600);
    expect(await statusOf(secret)).toBe(200);
    await waitFor(async () => (await statusOf(secret)) === 401, { what: 'the key to expire' });
    clock.set(0);
  });

  test('finds a canary well whose session stays up while the clock is set', async () => {
    const { id } = await speaker();
    const { since } = await session();
    const soak = 2 * (SEEN / 1_000);
    const settings = { deploy_canary_speaker_ids: [id], deploy_canary_soak_seconds: soak };
    await casting.service.call('PATCH', '/v1/settings', { auto_apply: false, ...settings });
    casting.sources.set('/list', serve('192.0.2.0/24\n198.51.100.0/24\n'));
    await refresh(casting, moduleId);
    const apply = await casting.service.post<Job>('/v1/apply');
    await bird.waitRoutes(2);
    clock.set(12);
    expect(await casting.service.succeeded(apply)).toMatchObject({
      speakers: [{ speaker_id: id, status: 'applied' }],
    });
    expect(await session()).toMatchObject({ state: 'established', since });
  });
});
