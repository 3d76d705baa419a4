import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PeerCreate, PeerPatch } from '../../../src/api/speakers/peers.ts';
import { CLOSED_POLICY } from '../../../src/api/access/tenant-policy.ts';
import { limitByPolicy, limitSessions } from '../../../src/control/policy/limit-sessions.ts';
import { changePeer, createPeer, removePeer } from '../../../src/control/speakers/peers.ts';
import { createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { deleteTenant } from '../../../src/control/tenants/tenants.ts';
import { notify } from '../../../src/store/database/database.ts';
import { takingBack } from '../../../src/store/database/taking-back.ts';
import { SPEAKER_EDITS_CHANNEL } from '../../../src/store/speakers/speakers.ts';
import { readOwnTenant } from '../../../src/store/tenants/tenants.ts';
import { PEER_REACH } from '../../peer-allow.ts';
import { peerModel, speakerModel } from '../../speakers/builtin/models.ts';
import { startPlane, type Plane, type Run } from '../plane.ts';

const NOTHING = { allow: [], own: [] };

let plane: Plane;
let first: string;
let second: string;
beforeAll(async () => {
  plane = await startPlane();
  first = plane.tenantId;
});
afterAll(() => plane?.close());
beforeEach(async () => {
  second = await plane.database.createTenant();
});

const inside =
  (tenantId: string): Run =>
  (work) =>
    plane.database.db.inTenant(tenantId, work);

let named = 0;
const add = async (tenantId: string, body: Omit<PeerCreate, 'name' | 'remote_asn'>): Promise<string> =>
  (
    await inside(tenantId)((tx) =>
      createPeer(tx, plane.context, { name: `peer ${++named}`, remote_asn: 64500, ...body }),
    )
  ).resource.id;
const change = (tenantId: string, id: string, patch: PeerPatch) =>
  inside(tenantId)((tx) => changePeer(tx, plane.context, id, patch, null));
const remove = (tenantId: string, id: string) =>
  inside(tenantId)((tx) => removePeer(tx, plane.context, id, null));

const TAKEN = { code: 'conflict', errors: [{ pointer: '/address' }] };

describe('a router of one tenant', () => {
  test("is no other tenant's, until its peer is moved or deleted", async () => {
    const address = '198.51.100.10';
    const one = await add(first, { address });
    await expect(add(second, { address })).rejects.toMatchObject(TAKEN);
    const waiting = await add(second, { address, enabled: false });
    await expect(change(second, waiting, { enabled: true })).rejects.toMatchObject(TAKEN);
    await change(first, one, { enabled: false });
    await expect(change(second, waiting, { enabled: true })).rejects.toMatchObject(TAKEN);
    await change(first, one, { enabled: true });
    await change(first, one, { address: '198.51.100.11' });
    await change(second, waiting, { enabled: true });
    await expect(change(first, one, { address })).rejects.toMatchObject(TAKEN);
    await remove(second, waiting);
    await change(first, one, { address });
    await remove(first, one);
  });

  test('stays its own at the ports that its peer has left, while it has a peer at the address', async () => {
    const address = '198.51.100.18';
    const one = await add(first, { address });
    await change(first, one, { port: 1790 });
    await expect(add(second, { address })).rejects.toMatchObject(TAKEN);
    await change(first, one, { port: 179 });
    await expect(add(second, { address, port: 1790 })).rejects.toMatchObject(TAKEN);
    await remove(first, one);
    for (const port of [179, 1790]) await remove(second, await add(second, { address, port }));
  });

  test('is claimed at 16 ports by one peer that moves on and on, of which its first stays', async () => {
    const address = '198.51.100.19';
    const one = await add(first, { address });
    for (let port = 1000; port < 1020; port++) await change(first, one, { port });
    for (const port of [179, 1014, 1019])
      await expect(add(second, { address, port }), String(port)).rejects.toMatchObject(TAKEN);
    await remove(second, await add(second, { address, port: 1015 }));
    await remove(first, one);
  });

  test('is claimed by no peer that was never enabled', async () => {
    const address = '198.51.100.16';
    const waiting = await add(first, { address, enabled: false });
    const one = await add(second, { address });
    await remove(first, waiting);
    await remove(second, one);
  });

  test("stays the first tenant's through a pause, another port, and speakers of nodes and back", async () => {
    const address = '198.51.100.17';
    const one = await add(first, { address, port: 1179, passive: true });
    const other = await add(second, { address, port: 5 });
    const node = { name: 'a node for a while', mode: 'agent', local_asn: 64512 } as const;
    const { id } = (await inside(first)((tx) => createSpeaker(tx, plane.context, node))).resource;
    const hasCalls = async (tenantId: string, port: number): Promise<boolean> => {
      const model = speakerModel([peerModel({ address, port, passive: true })]);
      const limited = await inside(tenantId)(async (tx) =>
        limitSessions(tx, await readOwnTenant(tx), model, 'builtin', NOTHING),
      );
      return limited.peers.every(({ refusal, takesCalls = true }) => refusal === undefined && takesCalls);
    };
    const away = [{ enabled: false }, { port: 2179 }, { speaker_ids: [id] }];
    const back = [{ enabled: true }, { port: 1179 }, { speaker_ids: [] }];
    for (const [at, patch] of away.entries()) {
      await change(first, one, patch);
      expect(await hasCalls(second, 5), JSON.stringify(patch)).toBe(false);
      await change(first, one, back[at]!);
      expect(await hasCalls(first, 1179), JSON.stringify(patch)).toBe(true);
      expect(await hasCalls(second, 5)).toBe(false);
    }
    await remove(first, one);
    expect(await hasCalls(second, 5)).toBe(true);
    await remove(second, other);
  });

  test("stays a tenant's as long as any of its peers is there", async () => {
    const address = '198.51.100.12';
    const speaker = async (name: string): Promise<string> =>
      (await plane.run((tx) => createSpeaker(tx, plane.context, { name, local_asn: 64512 }))).resource.id;
    const [left, right] = [await speaker('left'), await speaker('right')];
    const one = await add(first, { address, speaker_ids: [left] });
    const two = await add(first, { address, speaker_ids: [right] });
    await remove(first, one);
    await expect(add(second, { address })).rejects.toMatchObject(TAKEN);
    await remove(first, two);
    await remove(second, await add(second, { address }));
  });

  test('of two that ask at once, one is refused', async () => {
    const address = '198.51.100.13';
    const outcomes = await Promise.allSettled([add(first, { address }), add(second, { address })]);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const refused = outcomes.find((outcome) => outcome.status === 'rejected')!;
    expect(refused.reason).toMatchObject(TAKEN);
    expect(String((refused.reason as Error).message)).not.toMatch(/tenant/);
  });

  test('is kept from nobody by what is taken back, nor by a transaction that is not at its end', async () => {
    const address = '198.51.100.22';
    const begun = Promise.withResolvers<undefined>();
    const held = Promise.withResolvers<undefined>();
    const holding = inside(second)(async (tx) => {
      const body = { name: 'held', address, remote_asn: 64500 };
      await takingBack(tx, () => createPeer(tx, plane.context, body));
      await createPeer(tx, plane.context, body);
      begun.resolve(undefined);
      await held.promise;
    });
    const refused = expect(holding).rejects.toMatchObject(TAKEN);
    await begun.promise;
    const adding = add(first, { address });
    // A lock that it waits for is given up after three seconds by a request.
    const outcome = await Promise.race([adding, sleep(3_000, 'it waits')]);
    held.resolve(undefined);
    await refused;
    expect(outcome).toBe(await adding);
    await remove(first, await adding);
  });

  test('is not revealed to a tenant that asks for another port', async () => {
    const address = '198.51.100.14';
    const one = await add(first, { address });
    const bird = (
      await inside(second)((tx) =>
        createSpeaker(tx, plane.context, { name: 'bird', local_asn: 64512, daemon: 'bird' }),
      )
    ).resource.id;
    for (const more of [{}, { passive: true }, { speaker_ids: [bird] }])
      await remove(second, await add(second, { address, port: 1179, ...more }));
    await remove(first, one);
  });

  test('is in the network of its node, where a node connects to it', async () => {
    const node = { name: 'node', mode: 'agent', local_asn: 64512 } as const;
    const ids = await Promise.all(
      [first, second].map(
        async (tenantId) =>
          (await inside(tenantId)((tx) => createSpeaker(tx, plane.context, node))).resource.id,
      ),
    );
    const address = '10.0.0.1';
    await add(first, { address, speaker_ids: [ids[0]!] });
    await add(second, { address, speaker_ids: [ids[1]!] });
    await add(second, { address: '169.254.1.1', speaker_ids: [ids[1]!] });
    await expect(add(second, { address: '169.254.1.1' })).rejects.toMatchObject({
      code: 'peer_refused_address',
    });
  });

  test('is free again when its tenant is gone', async () => {
    const address = '198.51.100.15';
    await add(second, { address });
    const [tenant] = await plane.database.admin<{ slug: string }>(
      "UPDATE tenant SET status = 'suspended' WHERE id = $1 RETURNING slug",
      [second],
    );
    const confirm = { confirm: tenant!.slug };
    await inside(first)((tx) => deleteTenant(tx, plane.context, second, confirm, null));
    await add(first, { address });
  });
});

describe('whoever opens the connections', () => {
  const refusals = async (
    daemon: 'builtin' | 'bird',
    allow: typeof PEER_REACH,
    ...peers: ReturnType<typeof peerModel>[]
  ) => {
    const limited = await inside(second)(async (tx) =>
      limitSessions(tx, await readOwnTenant(tx), speakerModel(peers), daemon, allow),
    );
    return limited.peers.map(({ refusal, takesCalls = true }) => refusal ?? takesCalls);
  };

  test('asks again where a peer is', async () => {
    const peer = peerModel({ address: '127.0.0.1' });
    expect(await refusals('builtin', NOTHING, peer)).toEqual([expect.stringContaining('APP_PEER_ALLOW')]);
    expect(await refusals('builtin', PEER_REACH, peer)).toEqual([true]);
  });

  test('asks again whose router it is, and whose calls', async () => {
    const address = '198.51.100.20';
    await add(first, { address });
    const same = peerModel({ address, port: 179 });
    expect(await refusals('builtin', NOTHING, same)).toEqual([expect.stringContaining('in use already')]);
    const other = peerModel({ address, port: 1179 });
    expect(await refusals('builtin', NOTHING, other)).toEqual([false]);
    expect(await refusals('bird', NOTHING, other)).toEqual([
      expect.stringContaining(`${address} is in use already`),
    ]);
    expect(await refusals('builtin', NOTHING, { ...other, passive: true })).toEqual([false]);
  });

  test('has nobody else call a router that calls, at any port, and those who were there before go on', async () => {
    const address = '198.51.100.21';
    const third = await plane.database.createTenant();
    const zeroth = await plane.database.createTenant();
    await add(zeroth, { address, port: 4 });
    await add(second, { address, port: 5 });
    await add(first, { address, port: 1790, passive: true });
    const refusalsOf = async (tenantId: string, ...peers: ReturnType<typeof peerModel>[]) =>
      (
        await inside(tenantId)(async (tx) =>
          limitSessions(tx, await readOwnTenant(tx), speakerModel(peers), 'builtin', NOTHING),
        )
      ).peers.map(({ refusal = null }) => refusal);
    const calling = peerModel({ address, port: 179 });
    const waiting = peerModel({ address, port: 179, passive: true });
    expect(await refusalsOf(third, calling, waiting)).toEqual([
      expect.stringContaining(`${address} is in use already, whatever the port`),
      null,
    ]);
    expect(await refusalsOf(second, calling)).toEqual([null]);
  });
});

test("a peer's edit wakes the speakers of its tenant; a claim that comes or goes those at its address", async () => {
  const hints: (string | null)[] = [];
  const subscription = plane.database.db.listen(SPEAKER_EDITS_CHANNEL, (tenant) => hints.push(tenant));
  await expect.poll(() => hints).toEqual([null]);
  /** What one transaction wakes: PostgreSQL sends hints of a commit together, and those of commits in their order. */
  const wakes = async (work: () => Promise<unknown>): Promise<unknown[]> => {
    hints.length = 0;
    await work();
    await plane.run((tx) => notify(tx, SPEAKER_EDITS_CHANNEL, 'end'));
    await expect.poll(() => hints.at(-1)).toBe('end');
    return hints.slice(0, -1).sort();
  };
  const address = '198.51.100.30';
  let id = '';
  expect(await wakes(async () => (id = await add(first, { address })))).toEqual([
    first,
    `address ${address}`,
  ]);
  expect(await wakes(() => change(first, id, { description: 'edge' }))).toEqual([first]);
  expect(await wakes(() => change(first, id, { enabled: false }))).toEqual([first]);
  expect(await wakes(() => change(first, id, { port: 1179, enabled: true }))).toEqual([
    first,
    `address ${address}`,
  ]);
  expect(await wakes(() => change(first, id, { passive: true }))).toEqual([first, `address ${address}`]);
  expect(await wakes(() => remove(first, id))).toEqual([first, `address ${address}`]);
  subscription.close();
});

test('a policy that was tightened refuses sessions by AS number, router, source and next hop', () => {
  const policy = {
    ...CLOSED_POLICY,
    allowed_local_asns: [64512],
    allowed_peer_networks: ['192.0.2.0/24'],
    allowed_source_addresses: ['198.51.100.1/32'],
  };
  const base = { address: '192.0.2.1', localAsn: 64512, localAddress: null };
  const peers = [
    peerModel(base),
    peerModel({ ...base, localAsn: 64513 }),
    peerModel({ ...base, address: '203.0.113.1' }),
    peerModel({ ...base, localAddress: '198.51.100.2' }),
    peerModel({ ...base, nextHopIpv4: '203.0.113.9' }),
  ];
  const own = { localAsn: 64512, localIpv4: null, localIpv6: null };
  const reported = limitByPolicy(speakerModel(peers, own), policy).peers.map(({ refusal }) => refusal ?? '');
  expect(reported.map((text) => /\((.*)\)/.exec(text)?.[1] ?? null)).toEqual([
    null,
    'allowed_local_asns',
    'allowed_peer_networks',
    'allowed_source_addresses',
    'allowed_source_addresses, allowed_peer_networks',
  ]);
  // The speaker's own AS number and addresses are in all of its sessions.
  for (const wrong of [{ localAsn: 64513 }, { localIpv6: '2001:db8::1' }])
    expect(
      limitByPolicy(speakerModel(peers.slice(0, 1), { ...own, ...wrong }), policy).peers[0]!.refusal,
    ).toBeDefined();
});
