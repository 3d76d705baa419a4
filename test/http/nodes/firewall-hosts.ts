import { expect } from 'vitest';
import type { FirewallEnrolled } from '../../../src/api/firewall/firewall-clients.ts';
import type { TestService, TestTenant } from '../service.ts';

export interface Host extends FirewallEnrolled {
  readonly path: string;
  readonly key: string;
}

/** A host that has enrolled. */
export async function enrollHost(
  service: TestService,
  tenant: TestTenant,
  body: object = {},
  machine: object = {},
): Promise<Host> {
  const { token } = (await postAs(service, tenant, '/v1/firewall/enrollment-tokens', body)) as {
    token: string;
  };
  const answer = await service.call('POST', '/v1/firewall/clients/enroll', {
    key: token,
    body: { hostname: 'web-1', version: '1.0.0', ...machine },
  });
  expect(answer.status, answer.text).toBe(201);
  const enrolled = answer.body as unknown as FirewallEnrolled;
  return { ...enrolled, path: `/v1/firewall/clients/${enrolled.client_id}`, key: enrolled.api_key.secret };
}

/** What an operator of the tenant creates. */
export async function postAs(
  service: TestService,
  tenant: TestTenant,
  path: string,
  body: unknown,
): Promise<Record<string, unknown>> {
  const { status, body: made, text } = await service.call('POST', path, { key: tenant.keys.operator, body });
  expect(status, text).toBe(201);
  return made;
}

/** The ruleset, as the host asks for it. */
export function askRuleset(service: TestService, host: Host, query = '', headers = {}) {
  return service.call('GET', `${host.path}/ruleset${query}`, { key: host.key, headers });
}
