import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPEN_POLICY } from '../../../src/api/access/tenant-policy.ts';
import type { Service } from '../../../demo/service.ts';
import { requireDaemon } from '../../daemons/programs.ts';
import { waitFor } from '../../daemons/wait.ts';
import { type Cluster, listOf, startCluster } from '../cluster.ts';

const lacks = requireDaemon('bird') === null;

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown> & { readonly id: string };
}

/** A request with the key of somebody else. */
async function ask(
  service: Service,
  key: string,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const response = await service.request(method, path, body, { authorization: `Bearer ${key}` });
  const text = await response.text();
  return { status: response.status, body: (text === '' ? {} : JSON.parse(text)) as Answer['body'] };
}

const statusOf = async (service: Service, key: string) =>
  (await ask(service, key, 'GET', '/v1/modules')).status;

describe.skipIf(lacks)('two processes that serve the API', () => {
  let cluster: Cluster;
  let first: Service;
  let second: Service;
  beforeAll(async () => {
    cluster = await startCluster();
    first = await cluster.serve('app-all');
    second = await cluster.serve('app-api');
  });
  afterAll(() => cluster?.close());

  test('what is done to a key at one of them holds at the other', async () => {
    const make = () =>
      first.post<{ id: string; secret: string }>('/v1/api-keys', { name: 'shared', role: 'viewer' });
    const [revoked, rotated] = [await make(), await make()];
    for (const { secret } of [revoked, rotated])
      for (const service of [first, second]) expect(await statusOf(service, secret)).toBe(200);
    await first.call('DELETE', `/v1/api-keys/${revoked.id}`);
    const { secret } = await first.post<{ secret: string }>(`/v1/api-keys/${rotated.id}/rotate`);
    for (const service of [second, first]) {
      await waitFor(async () => (await statusOf(service, revoked.secret)) === 401, {
        what: 'the revocation',
      });
      await waitFor(async () => (await statusOf(service, rotated.secret)) === 401, { what: 'the rotation' });
      expect(await statusOf(service, secret)).toBe(200);
    }
  });

  test('a suspended tenant is refused at both while its routes stay, and go when it is deleted', async () => {
    const tenant = await second.post<{ id: string; api_key: { secret: string } }>('/v1/tenants', {
      name: 'Acme',
      slug: 'acme',
      policy: OPEN_POLICY,
    });
    const key = tenant.api_key.secret;
    const make = async (path: string, body: object): Promise<string> => {
      const answer = await ask(second, key, 'POST', path, body);
      expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
      return answer.body.id;
    };
    await make('/v1/speakers', { name: 'edge', local_asn: 64512 });
    const { address, port } = cluster.bird;
    await make('/v1/peers', { name: 'bird', address, port, remote_asn: 64496 });
    const moduleId = await make('/v1/modules', { name: 'list', type: 'IP_RANGES' });
    const items = listOf(50)
      .split('\n')
      .map((cidr) => ({ cidr }));
    await ask(second, key, 'POST', `/v1/modules/${moduleId}/ip-range-entries`, { items });
    await make(`/v1/modules/${moduleId}/refresh`, {});
    await cluster.bird.waitRoutes(50);

    const path = `/v1/tenants/${tenant.id}`;
    await second.call('PATCH', path, { status: 'suspended' });
    for (const service of [first, second])
      await waitFor(async () => (await statusOf(service, key)) === 403, { what: 'the suspension' });

    // Another holder takes the speaker over as if nothing had been.
    const third = await cluster.serve('app-all');
    const ended = cluster.bird.endedSessions();
    await first.stop('SIGKILL');
    // It may be established again by now.
    await waitFor(() => cluster.bird.endedSessions() > ended, {
      what: 'BIRD to notice',
    });
    await cluster.bird.waitEstablished();
    await waitFor(async () => (await cluster.bird.routes()).every((route) => route.stale !== true), {
      what: 'every route to be fresh',
    });
    expect((await cluster.bird.routes()).length).toBe(50);

    await third.call('DELETE', `${path}?confirm=acme`);
    await cluster.bird.waitRoutes(0);
    expect(await statusOf(third, key)).toBe(401);
  });
});
