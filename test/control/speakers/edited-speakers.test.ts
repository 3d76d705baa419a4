/** Which speakers look when something is edited: those that it concerns, and no others, of however many tenants. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { SpeakerHolder } from '../../../src/control/holding/hold-speakers.ts';
import { createPeer, removePeer } from '../../../src/control/speakers/peers.ts';
import { createSpeaker } from '../../../src/control/speakers/speakers.ts';
import { BuiltinEngine } from '../../../src/speakers/builtin/engine.ts';
import { feedSpeakerId, fedSpeakerId } from '../../../src/speakers/feed-session.ts';
import type { SpeakerDriver, SpeakerModel } from '../../../src/speakers/speaker.ts';
import type { TenantTx } from '../../../src/store/database/database.ts';
import { editedOf } from '../../../src/store/speakers/speakers.ts';
import { PEER_REACH } from '../../peer-allow.ts';
import { startPlane, type Plane } from '../plane.ts';

/** How often a speaker looks at its daemon without a hint. */
const LOOK_MS = 1_000;

let plane: Plane;
let engine: BuiltinEngine;
let holder: SpeakerHolder;
/** What was asked of each speaker's driver, by its id. */
const looks = new Map<string, number>();
const models = new Map<string, SpeakerModel>();

beforeAll(async () => {
  plane = await startPlane();
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
  engine = new BuiltinEngine({ listen: { host: '127.0.0.1', port: 0 }, version: 'test', log: silent });
  await engine.start();
  holder = new SpeakerHolder({
    ...{ db: plane.database.db, secrets: plane.context.secrets, daemons: ['builtin'] },
    ...{ driverOf: (_daemon, id) => watched(id), peerReach: PEER_REACH, onFault: () => undefined },
  });
  holder.start();
});
afterEach(() => looks.clear());
afterAll(async () => {
  await holder?.close();
  await engine?.close(true);
  await plane?.close();
});

/** The speaker's own driver, of which is noted how often it was looked at and what it was given. */
function watched(id: string): SpeakerDriver {
  const driver = engine.driver(id);
  const own = { configure: driver.configure.bind(driver), status: driver.status.bind(driver) };
  driver.configure = (model) => {
    models.set(id, model);
    return own.configure(model);
  };
  driver.status = () => {
    looks.set(id, (looks.get(id) ?? 0) + 1);
    return own.status();
  };
  return driver;
}

const inside = <T>(tenantId: string, work: (tx: TenantTx) => Promise<T>): Promise<T> =>
  plane.database.db.inTenant(tenantId, work);

let named = 0;

async function addSpeaker(tenantId: string): Promise<string> {
  const made = await inside(tenantId, (tx) =>
    createSpeaker(tx, plane.context, { name: `speaker ${++named}`, local_asn: 64512 }),
  );
  const { id } = made.resource;
  await expect.poll(() => models.has(id)).toBe(true);
  return id;
}

const addPeer = async (tenantId: string, address: string, port = 179): Promise<string> => {
  const body = { name: `peer ${++named}`, remote_asn: 64500, address, port, passive: true };
  return (await inside(tenantId, (tx) => createPeer(tx, plane.context, body))).resource.id;
};
const drop = (tenantId: string, id: string): Promise<unknown> =>
  inside(tenantId, (tx) => removePeer(tx, plane.context, id, null));

test("other tenants' claims come and go, and a speaker looks by the clock alone", async () => {
  const other = await plane.database.createTenant();
  const id = await addSpeaker(plane.tenantId);
  await addPeer(plane.tenantId, '198.51.100.40');
  await plane.idle();
  looks.clear();
  const began = performance.now();
  for (let n = 0; n < 300; n++)
    await plane.database.admin(
      "INSERT INTO peer_endpoint (tenant_id, address, port) VALUES ($1, '198.51.101.1', $2)",
      [other, n + 1],
    );
  const byClock = (performance.now() - began) / LOOK_MS;
  // One look may have been under way, and one due.
  expect(looks.get(id) ?? 0).toBeLessThanOrEqual(byClock + 2);
});

test('a router that another tenant gives up is followed at once', async () => {
  const other = await plane.database.createTenant();
  const address = '198.51.100.41';
  const takesCalls = (id: string): boolean | undefined =>
    models.get(id)!.peers.find((peer) => peer.address === address)?.takesCalls;
  for (let round = 0; round < 2; round++) {
    const first = await addPeer(other, address);
    const id = await addSpeaker(plane.tenantId);
    const second = await addPeer(plane.tenantId, address, 1179);
    await expect.poll(() => takesCalls(id)).toBe(false);
    await drop(other, first);
    // By the clock it looks after half a minute.
    await expect.poll(() => takesCalls(id) ?? true).toBe(true);
    await drop(plane.tenantId, second);
  }
});

test('a session that changes is looked at where it is', async () => {
  const [one, two] = [await addSpeaker(plane.tenantId), await addSpeaker(plane.tenantId)];
  looks.clear();
  const began = performance.now();
  for (let n = 0; n < 30; n++) {
    const seen = looks.get(one) ?? 0;
    holder.hintSpeaker(fedSpeakerId(n % 2 === 0 ? one : feedSpeakerId(one)));
    await expect.poll(() => looks.get(one) ?? 0, { timeout: 20_000, interval: 1 }).toBeGreaterThan(seen);
  }
  const byClock = (performance.now() - began) / LOOK_MS;
  expect(looks.get(two) ?? 0).toBeLessThanOrEqual(byClock + 5);
  expect(looks.get(one)).toBeGreaterThanOrEqual(30);
});

test('hints name a tenant, an address, or nobody', () => {
  expect(editedOf(null)).toBe('all');
  expect(editedOf('')).toBe('all');
  expect(editedOf('address 2001:db8::1')).toEqual({ address: '2001:db8::1' });
  expect(editedOf(plane.tenantId)).toEqual({ tenantId: plane.tenantId });
});
