import { v7 as uuidv7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeRoutes } from '../../../src/http/routes/nodes/nodes.ts';
import { insertSpeaker } from '../../../src/store/speakers/speakers.ts';
import { startService, type Answered, type Body, type TestService } from '../service.ts';

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

const WITHIN = { interval: 50 };
const machine = { hostname: 'edge-1', version: '1.0.0', daemon: 'builtin' };
let named = 0;

async function addSpeaker(tenantId = service.tenant.id): Promise<string> {
  const body = { name: `node ${named++}`, mode: 'agent', local_asn: 64512 } as const;
  return (await service.database.db.inTenant(tenantId, (tx) => insertSpeaker(tx, body))).resource.id;
}

const askToken = (speakerId: string, body?: Body): Promise<Answered> =>
  service.call('POST', `/v1/speakers/${speakerId}/enrollment-tokens`, body === undefined ? {} : { body });

const enroll = (token: unknown, body: Body = machine): Promise<Answered> =>
  service.call('POST', '/v1/nodes/enroll', { key: String(token), body });

interface Node {
  readonly speakerId: string;
  readonly keyId: string;
  readonly secret: string;
}

async function enrolled(speakerId?: string): Promise<Node> {
  const id = speakerId ?? (await addSpeaker());
  const { status, body, text } = await enroll((await askToken(id)).body.token);
  expect(status, text).toBe(201);
  const key = body.api_key as { id: string; secret: string };
  return { speakerId: id, keyId: key.id, secret: key.secret };
}

const example = nodeRoutes.find(({ operation }) => operation === 'reportApplyStatus')!.example as Body & {
  readonly daemon: Body;
  readonly agent: Body;
};

const report = ({ speakerId, secret }: Node, more: Body = {}): Promise<Answered> =>
  service.call('POST', `/v1/speakers/${speakerId}/apply-status`, {
    key: secret,
    body: { ...example, ...more },
  });

const read = async (speakerId: string): Promise<Body & { live: Body; agent: Body | null }> =>
  (await service.call('GET', `/v1/speakers/${speakerId}?live=true`)).body as never;

const sessionStatus = async (key: string): Promise<number> =>
  (await service.call('GET', '/v1/auth/session', { key })).status;

describe('an enrollment token', () => {
  test('201: works for an hour where nothing is said, and at most for a week', async () => {
    const speakerId = await addSpeaker();
    const { status, body } = await askToken(speakerId);
    expect(status).toBe(201);
    const hour = Date.now() + 3_600_000;
    expect(Math.abs(Date.parse(String(body.expires_at)) - hour)).toBeLessThan(60_000);
    expect((await askToken(speakerId, { valid_seconds: 7 * 86_400 })).status).toBe(201);
    for (const valid_seconds of [7 * 86_400 + 1, 59, 0, -1, 1.5])
      expect((await askToken(speakerId, { valid_seconds })).status).toBe(422);
  });

  test('is kept as a hash only, also in the audit log', async () => {
    const { body } = await askToken(await addSpeaker());
    const token = String(body.token);
    const rows = await service.database.admin<{ text: string }>(
      'SELECT to_jsonb(e)::text AS text FROM enrollment_token e UNION ALL SELECT to_jsonb(r)::text FROM audit_record r',
    );
    expect(rows.length).toBeGreaterThan(1);
    expect(rows.filter(({ text }) => text.includes(token))).toEqual([]);
    expect(service.log.filter((line) => line.includes(token))).toEqual([]);
  });

  test('409 conflict: a speaker that the service holds has no node', async () => {
    const speaker = await service.make('/v1/speakers', { name: 'local', local_asn: 64512 });
    const { status, body } = await askToken(speaker.id);
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'conflict' });
    expect(body.detail).toContain('agent');
  });

  test('401: works once, also for many who come at the same time', async () => {
    const { body } = await askToken(await addSpeaker());
    const answers = await Promise.all(Array.from({ length: 8 }, () => enroll(body.token)));
    expect(answers.filter(({ status }) => status === 201).length).toBe(1);
    expect(answers.filter(({ status }) => status === 401).length).toBe(7);
    const late = await enroll(body.token);
    expect({ status: late.status, detail: late.body.detail }).toMatchObject({ status: 401 });
    expect(late.body.detail).toContain('used');
  });

  test('401: an expired one says so', async () => {
    const speakerId = await addSpeaker();
    const { body } = await askToken(speakerId);
    const past = "UPDATE enrollment_token SET expires_at = now() - interval '1 s' WHERE speaker_id = $1";
    await service.database.admin(past, [speakerId]);
    const answer = await enroll(body.token);
    expect(answer.status).toBe(401);
    expect(answer.body.detail).toContain('expired');
  });

  test('403: opens nothing else, and nothing else enrolls', async () => {
    const { body } = await askToken(await addSpeaker());
    for (const path of ['/v1/auth/session', '/v1/modules', '/v1/speakers'])
      expect((await service.call('GET', path, { key: String(body.token) })).status).toBe(403);
    const byKey = await enroll(service.tenant.keys.super_admin);
    expect(byKey.status).toBe(403);
    expect(byKey.body.detail).toContain('enrollment token');
    expect((await enroll(body.token)).status).toBe(201);
  });

  test('409 conflict: a node that drives another daemon is reported, and the token is good still', async () => {
    const { body } = await askToken(await addSpeaker());
    const wrong = await enroll(body.token, { ...machine, daemon: 'bird' });
    expect({ status: wrong.status, code: wrong.body.code }).toEqual({ status: 409, code: 'conflict' });
    expect((await enroll(body.token)).status).toBe(201);
  });

  test('404: a speaker of another tenant is one that does not exist', async () => {
    expect((await askToken(await addSpeaker(service.other.id))).status).toBe(404);
  });

  test('201: however many wrong ones its address has sent', async () => {
    const guarded = await startService({ rateLimits: { reads: 0, writes: 0, nodes: 0, failures: 3 } });
    try {
      const wrong = String((await askToken(await addSpeaker())).body.token); // of another service
      for (let i = 0; i < 5; i++)
        expect((await guarded.call('POST', '/v1/nodes/enroll', { key: wrong, body: machine })).status).toBe(
          401,
        );
      const speaker = await guarded.make('/v1/speakers', {
        name: 'node',
        mode: 'agent',
        local_asn: 64512,
      });
      const { token } = await guarded.make(`/v1/speakers/${speaker.id}/enrollment-tokens`, {});
      const good = await guarded.call('POST', '/v1/nodes/enroll', { key: String(token), body: machine });
      expect(good.status).toBe(201);
    } finally {
      await guarded.close();
    }
  });
});

describe('a node', () => {
  test('has a key for its own speaker and no other', async () => {
    const [node, other] = [await enrolled(), await enrolled()];
    expect(await report(node)).toMatchObject({ status: 200, body: { accepted: true } });
    const foreign = await report({ ...node, speakerId: other.speakerId });
    const unknown = await report({ ...node, speakerId: uuidv7() });
    expect([foreign.status, unknown.status]).toEqual([404, 404]);
    expect((await service.call('GET', '/v1/speakers', { key: node.secret })).status).toBe(403);
    const { body } = await service.call('GET', `/v1/api-keys/${node.keyId}`);
    expect(body).toMatchObject({ role: 'node', speaker_id: node.speakerId, name: 'node edge-1' });
  });

  test('that enrolls again takes the place of the one before', async () => {
    const first = await enrolled();
    expect(await sessionStatus(first.secret)).toBe(200);
    const second = await enrolled(first.speakerId);
    await expect.poll(() => sessionStatus(first.secret), WITHIN).toBe(401);
    expect(await sessionStatus(second.secret)).toBe(200);
    const { body } = await service.call('GET', `/v1/api-keys/${first.keyId}`);
    expect(body.revoked_at).not.toBeNull();
  });

  test('loses its key with its speaker', async () => {
    const node = await enrolled();
    expect((await service.call('DELETE', `/v1/speakers/${node.speakerId}`)).status).toBe(204);
    await expect.poll(() => sessionStatus(node.secret), WITHIN).toBe(401);
  });

  test('enrolls under its name in the audit log', async () => {
    const { speakerId } = await enrolled();
    const { body } = await service.call('GET', '/v1/audit?action=node.enroll&limit=1');
    expect(body.items).toMatchObject([
      {
        actor: expect.stringMatching(/^node:node \d+$/) as unknown,
        changes: { after: { speaker_id: speakerId } },
      },
    ]);
  });
});

describe('what a node reports', () => {
  test('is its live status, its sessions and when it was seen', async () => {
    const node = await enrolled();
    expect(await read(node.speakerId)).toMatchObject({
      agent: { version: '1.0.0', hostname: 'edge-1' },
      live: { reachable: false, error: expect.stringContaining('has not reported') as unknown },
    });
    const peer = await service.make('/v1/peers', {
      ...{ name: 'core', address: '192.0.2.9', remote_asn: 64500, speaker_ids: [node.speakerId] },
    });
    const since = '2026-11-21T10:00:00.000Z';
    const session = {
      ...{ peer_id: peer.id, state: 'established', since, routes_exported: 7, routes_received: 0 },
      ...{ updates_sent: 3, last_error: null, next_attempt_at: '2026-11-21T10:00:30.000Z' },
    };
    const gone = { ...session, peer_id: uuidv7() }; // deleted since the node looked
    const daemon = { ...example.daemon, uptime_seconds: 100, sessions: [session, gone] };
    expect((await report(node, { daemon })).body).toEqual({
      ...{ accepted: true, session_members: ['next_attempt_at'] },
    });
    const speaker = await read(node.speakerId);
    expect(speaker.live).toMatchObject({
      ...{ reachable: true, version: '1.0.0', router_id: '192.0.2.1', error: null },
      sessions: [
        {
          ...{ peer_id: peer.id, state: 'established', since, routes_exported: 7 },
          next_attempt_at: '2026-11-21T10:00:30.000Z',
        },
      ],
    });
    expect(Date.now() - Date.parse(String(speaker.agent?.last_seen_at))).toBeLessThan(60_000);
    const { body } = await service.call('GET', `/v1/peers/${peer.id}`);
    expect(body).toMatchObject({
      ...{ connected_speaker_id: node.speakerId, established_on_speakers: [node.speakerId] },
      session_mismatch: false,
    });
    expect(body.session_on_speakers).toMatchObject([{ next_attempt_at: '2026-11-21T10:00:30.000Z' }]);
    // An agent of before says nothing of it.
    const { next_attempt_at: _, ...before } = session;
    await report(node, { daemon: { ...daemon, sessions: [before] } });
    expect((await read(node.speakerId)).live?.sessions).toMatchObject([{ next_attempt_at: null }]);
  });

  test('is refused or taken, and no fault of the service, whatever its numbers and words are', async () => {
    const node = await enrolled();
    const peer = await service.make('/v1/peers', {
      ...{ name: 'odd', address: '192.0.2.77', remote_asn: 64500, speaker_ids: [node.speakerId] },
    });
    const session = {
      ...{ peer_id: peer.id, state: 'established', since: '2026-11-21T10:00:00.000Z', routes_exported: 7 },
      ...{ routes_received: 0, updates_sent: 3, last_error: null },
    };
    const { daemon } = example;
    const bodies = {
      sequence: { sequence: 1e300 },
      updates: { daemon: { ...daemon, sessions: [{ ...session, updates_sent: 1e300 }] } },
      twice: { daemon: { ...daemon, sessions: [session, session] } },
      upper: { daemon: { ...daemon, sessions: [session, { ...session, peer_id: peer.id.toUpperCase() }] } },
      words: { daemon: { ...daemon, sessions: [{ ...session, last_error: 'Cease: \0' }] } },
      error: { daemon: { ...daemon, error: 'a\0b' } },
    };
    for (const [name, body] of Object.entries(bodies)) {
      const { status, text } = await report(node, body);
      expect(status, `${name}: ${text}`).toBeLessThan(500);
    }
  });

  test('counts for half a minute: after that the speaker is not reachable, with the reason', async () => {
    const node = await enrolled();
    await report(node);
    await service.database.admin(
      "UPDATE speaker_lease SET expires_at = expires_at - interval '30 s' WHERE speaker_id = $1",
      [node.speakerId],
    );
    expect((await read(node.speakerId)).live).toMatchObject({
      reachable: false,
      sessions: [],
      error: expect.stringMatching(
        /^The agent on edge-1\.example\.net has not reported since 20\S+Z\. /,
      ) as unknown,
    });
  });

  test('of a node whose key was revoked says that it takes nothing more, until it is enrolled again', async () => {
    const node = await enrolled();
    await report(node);
    const { body: keys } = await service.call('GET', '/v1/api-keys?limit=500');
    const [own] = (keys.items as { id: string; speaker_id: string }[]).filter(
      (key) => key.speaker_id === node.speakerId,
    );
    await service.call('DELETE', `/v1/api-keys/${own!.id}`);
    await service.database.admin(
      "UPDATE speaker_lease SET expires_at = expires_at - interval '30 s' WHERE speaker_id = $1",
      [node.speakerId],
    );
    const error = /takes nothing more: no key of the node works any more\. Enroll it again/;
    expect((await read(node.speakerId)).live).toMatchObject({
      ...{ reachable: false, is_locked_out: true },
      error: expect.stringMatching(error) as unknown,
    });
  });

  test('of what a stopped agent left to its daemon, what it said then holds until it is back', async () => {
    const node = await enrolled();
    const peer = await service.make('/v1/peers', {
      ...{ name: 'left', address: '192.0.2.78', remote_asn: 64500, speaker_ids: [node.speakerId] },
    });
    const session = {
      ...{ peer_id: peer.id, state: 'established', since: '2026-11-21T10:00:00.000Z', routes_exported: 7 },
      ...{ routes_received: 0, updates_sent: 3, last_error: null },
    };
    const left = { reachable: false, error: 'The agent was stopped.', sessions: [session] };
    await report(node, { daemon: { ...example.daemon, ...left } });
    const known = [{ peer_name: 'left', was_established: true, routes_exported: 7 }];
    expect((await read(node.speakerId)).live).toMatchObject({
      ...{ reachable: false, sessions: [], error: 'The agent was stopped.', last_known_sessions: known },
    });
    const { body } = await service.call('GET', `/v1/peers/${peer.id}`);
    expect(body.session_on_speakers).toMatchObject([
      { state: 'idle', routes_exported: 0, last_error: 'The agent was stopped.' },
    ]);
    await service.database.admin(
      "UPDATE speaker_lease SET expires_at = expires_at - interval '30 s' WHERE speaker_id = $1",
      [node.speakerId],
    );
    expect((await read(node.speakerId)).live).toMatchObject({
      error: expect.stringMatching(
        /^The agent on edge-1\.example\.net has not reported since \S+Z\. It said then: The agent was stopped\.$/,
      ) as unknown,
      last_known_sessions: known,
    });
  });

  test('of two agents with one identity the one started later is believed, and the speaker says so', async () => {
    const node = await enrolled();
    const [first, second] = [uuidv7({ msecs: 1_000 }), uuidv7({ msecs: 2_000 })];
    const as = (run_id: string, hostname: string) => ({ agent: { ...example.agent, run_id, hostname } });
    expect((await report(node, as(first, 'one'))).body).toMatchObject({ accepted: true });
    expect((await report(node, as(second, 'two'))).body).toMatchObject({ accepted: true });
    expect((await report(node, as(first, 'one'))).body).toMatchObject({ accepted: false });
    const speaker = await read(node.speakerId);
    expect(speaker.agent).toMatchObject({ hostname: 'two' });
    expect(speaker.live.error).toContain('the one on one was started earlier');
    // The later one is gone: whoever is left is believed.
    await service.database.admin(
      "UPDATE speaker_lease SET expires_at = now() - interval '1 s', rival_seen_at = NULL WHERE speaker_id = $1",
      [node.speakerId],
    );
    expect((await report(node, as(first, 'one'))).body).toMatchObject({ accepted: true });
    expect((await read(node.speakerId)).live.error).toBeNull();
  });
});
