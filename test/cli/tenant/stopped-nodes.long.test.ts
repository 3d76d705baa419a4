/** A tenant is stopped whose node does not hear of it: its routers have the routes still. */
import { v7 as uuidv7 } from 'uuid';
import { expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { type, mustType } = desk;

test('tenant stop says how many nodes go on announcing, and nothing where there is none', async () => {
  const quiet = await type('tenant create quiet');
  expect(quiet.code, quiet.err).toBe(0);
  expect(await type('tenant stop quiet --yes')).toMatchObject({ code: 0, err: '' });

  const { url } = desk.casting.service;
  const send = async <Answer>(path: string, key: string, sent: object): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(sent) });
    expect(answer.ok, await answer.clone().text()).toBe(true);
    return (await answer.json()) as Answer;
  };
  const made = await send<{ api_key: { secret: string } }>('/v1/tenants', desk.casting.service.key, {
    ...{ name: 'acme', slug: 'acme', policy: { allowed_local_asns: null, allowed_peer_networks: null } },
  });
  const key = made.api_key.secret;
  const { id } = await send<{ id: string }>('/v1/speakers', key, {
    ...{ name: 'edge', mode: 'agent', local_asn: 64512 },
  });
  const peer = await send<{ id: string }>('/v1/peers', key, {
    ...{ name: 'router', address: '192.0.2.9', remote_asn: 64500, speaker_ids: [id] },
  });
  const { token } = await send<{ token: string }>(`/v1/speakers/${id}/enrollment-tokens`, key, {});
  const node = { hostname: 'edge-1.example.net', version: '1.0.0' };
  const enrolled = await send<{ api_key: { secret: string } }>('/v1/nodes/enroll', token, {
    ...{ ...node, daemon: 'builtin' },
  });
  // It reports once, and is never heard of again.
  const session = { peer_id: peer.id, state: 'established', since: new Date().toISOString() };
  const counts = { routes_exported: 2, routes_received: 0, updates_sent: 3, last_error: null };
  await send(`/v1/speakers/${id}/apply-status`, enrolled.api_key.secret, {
    ...{ sequence: null, revision_id: null, status: 'unchanged', announced: 0, withdrawn: 0, changed: 0 },
    error: null,
    daemon: {
      ...{ reachable: true, version: '1', router_id: '192.0.2.1', uptime_seconds: 1 },
      ...{ last_reconfigured_at: null, error: null, sessions: [{ ...session, ...counts }] },
    },
    agent: { ...node, run_id: uuidv7() },
  });
  const stopped = await type('tenant stop acme --yes');
  expect(stopped).toMatchObject({ code: 0, out: 'tenant acme is stopped: its sessions end\n' });
  expect(stopped.err).toBe(
    '1 node of acme has not said yet that the sessions have ended: one that is out of reach goes on announcing until it is back. prefixcast tenant get acme shows when (announcing_nodes)\n',
  );
  expect(JSON.parse(await mustType('tenant get acme -o json'))).toMatchObject({ announcing_nodes: 1 });
});
