import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { v7 as uuidv7 } from 'uuid';
import { mintApiKey } from '../../../src/store/keys/api-key-secret.ts';
import { bootstrap } from '../../../src/store/tenants/bootstrap.ts';
import { nodeRoutes } from '../../../src/http/routes/nodes/nodes.ts';
import { startNodeService, type NodeService } from './node-service.ts';
import { makeRevision } from '../fixtures.ts';
import type { Answered, Body, TestTenant } from '../service.ts';

let service: NodeService;
let revisionId: string;
beforeAll(async () => {
  service = await startNodeService();
  revisionId = await service.revisionOf(['192.0.2.0/24']);
});
afterAll(() => service.close());

const example = nodeRoutes.find(({ operation }) => operation === 'reportApplyStatus')!.example as Body;

describe('a speaker of a node', () => {
  let path: string;
  let key: string;
  let named = 0;
  beforeEach(async () => {
    ({ path, key } = await enroll(service.tenant));
  });

  const enroll = async ({ keys }: TestTenant): Promise<{ path: string; key: string }> => {
    const body = { name: `edge ${named++}`, mode: 'agent', local_asn: 64512 };
    const { id } = await service.make('/v1/speakers', body, keys.operator);
    const tokens = `/v1/speakers/${id}/enrollment-tokens`;
    const { token } = (await service.call('POST', tokens, { key: keys.operator })).body;
    const machine = { hostname: 'edge-1', version: '1.0.0', daemon: 'builtin' };
    const enrolled = await service.call('POST', '/v1/nodes/enroll', { key: String(token), body: machine });
    return { path: `/v1/speakers/${id}`, key: (enrolled.body.api_key as { secret: string }).secret };
  };

  const remove = (query = ''): Promise<Answered> => service.call('DELETE', path + query);
  const assigned = async (): Promise<Body> =>
    (await service.call('GET', `${path}/revisions/latest`, { key })).body;
  const report = async (sequence: unknown): Promise<void> => {
    const body = { ...example, sequence, revision_id: revisionId, status: 'applied' };
    expect((await service.call('POST', `${path}/apply-status`, { key, body })).status).toBe(200);
  };
  const disable = (): Promise<Answered> => service.call('PATCH', path, { body: { enabled: false } });
  /** Assigns the revision to the node. */
  const announce = async ({ id } = service.tenant, revision = revisionId): Promise<void> => {
    const speakerId = path.split('/').at(-1)!;
    await service.database.admin(
      `INSERT INTO speaker_apply (tenant_id, id, speaker_id, revision_id, sequence)
       VALUES ($1, $2, $3, $4, 1)`,
      [id, uuidv7(), speakerId, revision],
    );
    const { sequence } = await assigned();
    expect(sequence).toEqual(expect.any(Number));
  };
  const refusal = async (): Promise<string> => {
    const { status, body } = await remove();
    expect({ status, code: body.code }).toEqual({ status: 409, code: 'in_use' });
    return String(body.detail);
  };

  test('204: to which nothing was ever assigned', async () => {
    expect((await remove()).status).toBe(204);
  });

  test('409 in_use: that was instructed, whether or not it has reported that it does', async () => {
    await announce();
    expect(await refusal()).toMatch(
      /^The node of edge \d+, edge-1, last seen at .*Disable the speaker first/,
    );
    await report((await assigned()).sequence);
    expect(await refusal()).toContain('?abandon_node=true');
    expect((await service.call('GET', path)).status).toBe(200);
    expect((await service.call('GET', '/v1/auth/session', { key })).status).toBe(200);
  });

  test('409 in_use: that is disabled, until its node has said that its sessions have ended', async () => {
    await announce();
    const { sequence: before } = await assigned();
    await report(before);
    await disable();
    expect(await refusal()).toContain('has not reported yet');
    const { sequence } = await assigned();
    expect(await refusal()).toContain('has not reported yet');
    // A word that comes late.
    await report(before);
    expect(await refusal()).toContain('has not reported yet');
    await report(sequence);
    expect((await remove()).status).toBe(204);
    await expect.poll(async () => (await service.call('GET', '/v1/auth/session', { key })).status).toBe(401);
  });

  test('409 in_use: that was enabled again since', async () => {
    await announce();
    await disable();
    await report((await assigned()).sequence);
    await service.call('PATCH', path, { body: { enabled: true } });
    expect(await refusal()).toContain('Disable the speaker first');
  });

  test('204: that is given up', async () => {
    await announce();
    await report((await assigned()).sequence);
    expect((await remove('?abandon_node=false')).status).toBe(409);
    expect((await remove('?abandon_node=true')).status).toBe(204);
    expect((await service.call('GET', path)).status).toBe(404);
  });

  test('404 and 412 come before', async () => {
    await announce();
    const unknown = await service.call('DELETE', `/v1/speakers/${uuidv7()}`);
    expect(unknown.status).toBe(404);
    const stale = await service.call('DELETE', path, { headers: { 'if-match': '"99"' } });
    expect(stale.status).toBe(412);
  });

  describe('of a tenant that is to be deleted', () => {
    let tenant: TestTenant;
    const { secret } = mintApiKey('super_admin');
    beforeAll(() => service.database.db.inSystem((tx) => bootstrap(tx, secret, true)));
    const admin = (method: string, query = '', body?: Body): Promise<Answered> =>
      service.call(method, `/v1/tenants/${tenant.id}${query}`, {
        key: secret,
        ...(body === undefined ? {} : { body }),
      });
    const removal = async (query = ''): Promise<Answered> => {
      const { slug } = (await admin('GET')).body;
      return admin('DELETE', `?confirm=${String(slug)}${query}`);
    };
    const become = async (status: string): Promise<void> => {
      expect((await admin('PATCH', '', { status })).status).toBe(200);
      await expect
        .poll(async () => (await service.call('GET', path, { key: tenant.keys.operator })).status, {
          timeout: 20_000,
        })
        .toBe(status === 'active' ? 200 : 403);
    };

    test('204: that is given up with it', async () => {
      tenant = service.other;
      const community = { community: '64512:1', title: 'one' };
      const { id } = await service.make('/v1/communities', community, tenant.keys.operator);
      const revision = await makeRevision(service, tenant, id, ['192.0.2.0/24']);
      ({ path, key } = await enroll(tenant));
      await announce(tenant, revision);
      await become('suspended');
      expect((await removal()).status).toBe(409);
      expect((await removal('&abandon_nodes=true')).status).toBe(204);
    });

    test('409 in_use until it is disabled and its node has said so; then 204', async () => {
      tenant = service.tenant;
      const { items } = (await service.call('GET', '/v1/speakers?limit=500')).body as { items: Body[] };
      for (const { id } of items)
        if (path !== `/v1/speakers/${String(id)}`)
          await service.call('DELETE', `/v1/speakers/${String(id)}?abandon_node=true`);
      await announce();
      await report((await assigned()).sequence);
      await become('suspended');
      for (const refused of [await removal(), await removal('&abandon_nodes=false')]) {
        expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 409, code: 'in_use' });
        expect(refused.body.detail).toMatch(/^The nodes of edge \d+ would go on announcing/);
        expect(refused.body.detail).toContain('&abandon_nodes=true');
      }
      await become('active');
      await disable();
      await report((await assigned()).sequence);
      await become('suspended');
      expect((await removal()).status).toBe(204);
      expect((await admin('GET')).status).toBe(404);
    });
  });
});
