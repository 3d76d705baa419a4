/** A node that nobody has heard of for a while: commands wait for the others, and its sessions are shown as they were known last. */
import { v7 as uuidv7 } from 'uuid';
import { beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;
const SINCE = String.raw`2\d\d\d-\S+Z`;

beforeAll(async () => {
  const { service } = desk.casting;
  for (const line of [
    'community create 64500:666 --title Drop',
    'module create hosts --type IP_RANGES --community Drop',
    'entry add hosts 6.0.0.1/32 6.0.0.2/32 --wait',
  ])
    await mustType(line);
  const body = { name: 'edge', mode: 'agent', daemon: 'builtin', local_asn: 64512 };
  const { id } = await service.post<{ id: string }>('/v1/speakers', body);
  const peer = await service.post<{ id: string }>('/v1/peers', {
    ...{ name: 'router', address: '192.0.2.9', remote_asn: 64500, speaker_ids: [id] },
  });
  const { token } = await service.post<{ token: string }>(`/v1/speakers/${id}/enrollment-tokens`);
  const send = async (path: string, key: string, sent: object): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(service.url + path, { method: 'POST', headers, body: JSON.stringify(sent) });
    expect(answer.ok, await answer.clone().text()).toBe(true);
    return (await answer.json()) as Record<string, unknown>;
  };
  const node = { hostname: 'edge-1.example.net', version: '1.0.0' };
  const enrolled = await send('/v1/nodes/enroll', token, { ...node, daemon: 'builtin' });
  const { secret } = enrolled.api_key as { secret: string };
  // It reports once, and is never heard of again.
  const session = { peer_id: peer.id, state: 'established', since: new Date().toISOString() };
  const counts = { routes_exported: 2, routes_received: 0, updates_sent: 3, last_error: null };
  await send(`/v1/speakers/${id}/apply-status`, secret, {
    ...{ sequence: null, revision_id: null, status: 'unchanged', announced: 0, withdrawn: 0, changed: 0 },
    error: null,
    daemon: {
      ...{ reachable: true, version: '1', router_id: '192.0.2.1', uptime_seconds: 1 },
      ...{ last_reconfigured_at: null, error: null, sessions: [{ ...session, ...counts }] },
    },
    agent: { ...node, run_id: uuidv7() },
  });
});

test('its peers stay in the list of sessions, with what they were', async () => {
  expect(await mustType('session list')).toMatch(/^router +edge +established +2 /m);
  const unknown = new RegExp(
    `^router +edge +unknown, was established +2 .* node not heard of since ${SINCE}; the state is that of then`,
    'm',
  );
  await waitFor(async () => unknown.test(await mustType('session list -o wide')), {
    ...{ what: 'a node that is silent', timeoutMs: 120_000 },
  });
  const { items } = JSON.parse(await mustType('session list -o json')) as { items: object[] };
  expect(items).toMatchObject([{ peer_name: 'router', state: 'unknown', was_established: true }]);
});

test('a command waits for the others alone, and says what becomes of it', async () => {
  const { id } = JSON.parse(await mustType('speaker get edge -o json')) as { id: string };
  const seen = async (): Promise<number> => {
    const { service } = desk.casting;
    const { agent } = await service.call<{ agent: { last_seen_at: string } }>('GET', `/v1/speakers/${id}`);
    return Date.now() - Date.parse(agent.last_seen_at);
  };
  await waitFor(async () => (await seen()) > 61_000, { what: 'a minute of silence', timeoutMs: 120_000 });
  const line = new RegExp(
    `^edge does not have it yet: The agent on edge-1\\.example\\.net, last seen at ${SINCE}, is out of reach\\. It goes on announcing what it ran, if it runs, and applies the revision when it is back\\.$`,
    'm',
  );
  const edit = await type('entry add hosts 6.0.0.3/32 --wait --timeout 60s');
  expect(edit.code, edit.err).toBe(0);
  expect(edit.err).toMatch(line);
  const status = await type('apply status');
  expect(status.code, status.err).toBe(9);
  expect(status.out).toMatch(/^edge +unreachable /m);
  const asked = await type('revision apply latest --wait --timeout 60s');
  expect(asked.code, asked.err).toBe(9);
  expect(asked.err).toMatch(line);
  const alone = await type('revision apply latest --speaker edge --wait --timeout 60s');
  expect(alone.code, alone.err).toBe(1);
  expect(alone.err).toContain('No speaker has taken the revision: their nodes are out of reach');
});
