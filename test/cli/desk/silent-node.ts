/** A node that reports once that it announces two routes to a router, and is never heard of again. */
import { v7 as uuidv7 } from 'uuid';
import { expect } from 'vitest';

const NODE = { hostname: 'edge-1.example.net', version: '1.0.0' };

/** Sends as a key may. @returns the answer, which has to be good */
export async function send<Answer>(url: string, key: string, sent: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(sent) });
  expect(answer.ok, await answer.clone().text()).toBe(true);
  return (await answer.json()) as Answer;
}

interface Enrolled {
  readonly speakerId: string;
  readonly peerId: string;
  readonly nodeKey: string;
}

/** Makes the speaker `edge` with the peer `router`, whose node enrolls and has yet to report. @param key of an operator of the tenant */
export async function enrollNode(url: string, key: string): Promise<Enrolled> {
  const { id } = await send<{ id: string }>(`${url}/v1/speakers`, key, {
    ...{ name: 'edge', mode: 'agent', daemon: 'builtin', local_asn: 64512 },
  });
  const peer = await send<{ id: string }>(`${url}/v1/peers`, key, {
    ...{ name: 'router', address: '192.0.2.19', remote_asn: 64500, speaker_ids: [id] },
  });
  const tokens = `${url}/v1/speakers/${id}/enrollment-tokens`;
  const { token } = await send<{ token: string }>(tokens, key, {});
  const enrolled = await send<{ api_key: { secret: string } }>(`${url}/v1/nodes/enroll`, token, {
    ...{ ...NODE, daemon: 'builtin' },
  });
  return { speakerId: id, peerId: peer.id, nodeKey: enrolled.api_key.secret };
}

/** Makes the speaker `edge` of such a node, with the peer `router`. @param key of an operator of the tenant */
export async function addSilentNode(url: string, key: string): Promise<void> {
  const { speakerId, peerId, nodeKey } = await enrollNode(url, key);
  const session = { peer_id: peerId, state: 'established', since: new Date().toISOString() };
  const counts = { routes_exported: 2, routes_received: 0, updates_sent: 3, last_error: null };
  await send(`${url}/v1/speakers/${speakerId}/apply-status`, nodeKey, {
    ...{ sequence: null, revision_id: null, status: 'unchanged', announced: 0, withdrawn: 0, changed: 0 },
    error: null,
    daemon: {
      ...{ reachable: true, version: '1', router_id: '192.0.2.1', uptime_seconds: 1 },
      ...{ last_reconfigured_at: null, error: null, sessions: [{ ...session, ...counts }] },
    },
    agent: { ...NODE, run_id: uuidv7() },
  });
}
