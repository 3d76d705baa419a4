/** Requests with the key of each role, to a service that has one of everything. */
import { expect } from 'vitest';
import type { Role } from '../../src/api/access/permissions.ts';
import { makeFixtures, type Fixtures } from '../http/fixtures.ts';
import { startService, type Answered, type TestService } from '../http/service.ts';

export interface FilledService extends TestService {
  /** Of what its tenant has. */
  readonly ids: Fixtures;
  /** @param role null: without a key */
  callAs(role: Role | null, method: string, path: string, body?: unknown): Promise<Answered>;
  /** 401 without a key, 403 with those of lesser roles. */
  expectRefused(lesser: readonly Role[], method: string, path: string, body?: unknown): Promise<void>;
}

/** @param prepare comes before its tenant is filled */
export async function startFilledService(
  prepare: (service: TestService) => Promise<unknown> = () => Promise.resolve(),
): Promise<FilledService> {
  const service = await startService();
  await prepare(service);
  const ids = await makeFixtures(service, service.tenant);
  const callAs: FilledService['callAs'] = (role, method, path, body) => {
    const key = role === null ? null : service.tenant.keys[role];
    return service.call(method, path, { key, ...(body === undefined ? {} : { body }) });
  };
  return {
    ...service,
    ...{ ids, callAs },
    async expectRefused(lesser, ...request) {
      expect((await callAs(null, ...request)).status).toBe(401);
      for (const role of lesser) expect((await callAs(role, ...request)).status, role).toBe(403);
    },
  };
}
