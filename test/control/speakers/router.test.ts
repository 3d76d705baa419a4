import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RouterDaemon } from '../../../src/api/speakers/router.ts';
import { createIpRangeEntries } from '../../../src/control/entries/ip-range-entries.ts';
import { createModule } from '../../../src/control/lists/modules.ts';
import { SpeakerHolder } from '../../../src/control/holding/hold-speakers.ts';
import { createPeer } from '../../../src/control/speakers/peers.ts';
import { requestRouterReload, routerStatus } from '../../../src/control/speakers/router.ts';
import { createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { DEFAULT_TENANT } from '../../../src/store/tenants/bootstrap.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { startWorld, type World } from '../../speakers/bird/world.ts';
import { startPlane, type Plane } from '../plane.ts';
import { PEER_REACH } from '../../peer-allow.ts';

let plane: Plane;
beforeAll(async () => {
  plane = await startPlane();
});
afterAll(() => plane?.close());

const status = async (): Promise<readonly RouterDaemon[]> => (await plane.run(routerStatus)).items;
const reload = () => plane.run((tx) => requestRouterReload(tx, { ...plane.context, role: 'super_admin' }));

test('only the home tenant and super roles have daemons read what else waits in their configuration', async () => {
  await expect(plane.run((tx) => requestRouterReload(tx, plane.context))).rejects.toMatchObject({
    code: 'forbidden',
  });
  const home = await plane.database.createTenant(DEFAULT_TENANT);
  const job = await plane.database.db.inTenant(home, (tx) => requestRouterReload(tx, plane.context));
  expect(job).toMatchObject({ type: 'router_reload', state: 'queued' });
});

test('a service without speakers has no daemon to show, and none to reload', async () => {
  expect(await status()).toEqual([]);
  const job = await plane.ended(await reload());
  expect(job).toMatchObject({ state: 'failed', error: { code: 'reload_failed' } });
  expect(job.error?.detail).toMatch(/APP_SERVICE=app-all/);
});

describe.skipIf(requireDaemon('bird') === null)('the daemons of a machine', () => {
  let world: World;
  let holder: SpeakerHolder;
  const faults: string[] = [];
  beforeAll(async () => {
    world = await startWorld();
    const speaker = { local_asn: 64512, local_ipv4: world.address };
    await plane.run((tx) => createSpeaker(tx, plane.context, { name: 'ours', ...speaker }));
    await plane.run((tx) => createSpeaker(tx, plane.context, { name: 'one', daemon: 'bird', ...speaker }));
    await plane.run((tx) =>
      createSpeaker(tx, plane.context, { name: 'two', daemon: 'bird', ...speaker, local_asn: 64513 }),
    );
    holder = new SpeakerHolder({
      peerReach: PEER_REACH,
      ...{ db: plane.database.db, secrets: plane.context.secrets, daemons: ['builtin', 'bird'] },
      driverOf: (of, id) => (of === 'builtin' ? world.engine.driver(id) : world.driver(id)),
      onFault: (_speakerId, error) => void faults.push(String(error)),
    });
  });
  afterAll(async () => {
    await holder?.close();
    await world?.stop();
  });

  test('are reported as driven by nobody before a process holds them', async () => {
    const nobody = {
      host: null,
      reachable: false,
      version: null,
      error: expect.stringMatching(/No process/) as string,
    };
    expect(await status()).toMatchObject([
      { daemon: 'bird', speakers: 2, ...nobody },
      { daemon: 'builtin', speakers: 1, ...nobody },
    ]);
  });

  test('are reported with versions, times and counts once one does', async () => {
    holder.start();
    const peer = await world.peer();
    const body = { name: 'peer', address: peer.address, port: peer.port, remote_asn: peer.localAsn };
    const settings = { multihop: 2, password: null, families: ['ipv4' as const] };
    await plane.run((tx) => createPeer(tx, plane.context, { ...body, ...settings }));
    const shown = await waitFor(
      async () => {
        const items = await status();
        return (
          items.every(({ reachable }) => reachable) && (items[0]?.sessions.established ?? 0) > 0 && items
        );
      },
      { what: 'the daemons to be reported' },
    );
    expect(shown).toMatchObject([
      { daemon: 'bird', speakers: 2, router_id: '192.0.2.2', error: null, sessions: { total: 2 } },
      { daemon: 'builtin', speakers: 1, error: null, protocols: null, sessions: { total: 1 } },
    ]);
    expect(shown[0]!.version).toMatch(/^BIRD \d/);
    expect(shown[0]!.host).toBe(shown[1]!.host);
    // Of each speaker a mark and a session.
    await waitFor(async () => (await status())[0]!.protocols?.total === 4, { what: 'the protocols' });
    expect(Date.parse(shown[0]!.last_reconfigured_at!)).toBeLessThan(Date.now() + 1_000);
  });

  test('read their configurations again when asked, what others wrote too', async () => {
    appendFileSync(world.options.mainConfig, 'protocol static from_an_operator { ipv4; }\n');
    const job = await plane.ended(await reload());
    expect(job.error).toBeNull();
    expect(job.result).toMatchObject({
      daemons: [
        { daemon: 'bird', status: 'ok', error: null },
        { daemon: 'builtin', status: 'ok', error: null },
      ],
    });
    const protocols = await world.bird.command('show protocols');
    expect(protocols.some(({ text }) => text.startsWith('from_an_operator '))).toBe(true);
  });

  test('answer each of several who ask at once', async () => {
    const jobs = await Promise.all([reload(), reload(), reload()]);
    for (const job of jobs) {
      const { error, result } = await plane.ended(job);
      expect(error).toBeNull();
      expect(result).toMatchObject({
        daemons: [
          { daemon: 'bird', status: 'ok' },
          { daemon: 'builtin', status: 'ok' },
        ],
      });
    }
  });

  test('that refuse a configuration go on with what they have, and their words are shown', async () => {
    const before = readFileSync(world.options.mainConfig);
    appendFileSync(world.options.mainConfig, 'protocol nonsense {}\n');
    const job = await plane.ended(await reload());
    writeFileSync(world.options.mainConfig, before);
    expect(job).toMatchObject({ state: 'failed', error: { code: 'reload_failed' } });
    expect(job.error?.detail).toMatch(/^bird on .*syntax error/);
    expect(job.result).toMatchObject({
      daemons: [{ status: 'failed' }, { daemon: 'builtin', status: 'ok' }],
    });
    expect((await status())[0]).toMatchObject({ daemon: 'bird', reachable: true });
  });

  test('do not quote files of the machine where an apply of another tenant than the home tenant fails', async () => {
    const { resource: module } = await plane.run((tx) =>
      createModule(tx, { name: 'ranges', type: 'IP_RANGES' }),
    );
    await plane.run((tx) => createIpRangeEntries(tx, module.id, [{ cidr: '45.0.0.0/24' }], () => ''));
    const before = readFileSync(world.options.mainConfig);
    appendFileSync(world.options.mainConfig, 'protocol nonsense {}\n');
    faults.length = 0;
    const refreshed = await plane.ended(await plane.refresh(module.id));
    const apply = await plane.ended({ id: String(refreshed.result!.apply_job_id) });
    writeFileSync(world.options.mainConfig, before);
    expect(apply.error?.detail).toContain('The routing daemon refuses what it is to run.');
    expect(JSON.stringify(apply)).not.toContain(world.options.mainConfig);
    // Whoever runs the service reads all of it.
    expect(faults.join()).toMatch(/syntax error/);
  });
});
