/** Addresses that no route may have: who is named those of the service and its database, and which are around speakers. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPEN_POLICY as OPEN_TO_ALL } from '../../../src/api/access/tenant-policy.ts';
import {
  hashOfRouteGuardrails,
  type ProtectedPrefix,
  readGuardrails,
} from '../../../src/control/guards/guardrails.ts';
import type { GuardrailFacts } from '../../../src/store/revisions/guardrail-facts.ts';
import { createTestDatabase, type TestDatabase } from '../../database.ts';
import { guardrailsOf } from './guardrails.ts';

const DATABASE = { prefix: '45.45.45.45', of: 'the database' };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.close());

const guardrailsOfTenant = (tenantId: string) =>
  database.db.inTenant(tenantId, (tx) =>
    readGuardrails(Object.assign(Object.create(tx) as typeof tx, { ownAddresses: [DATABASE] })),
  );

test('the home tenant; no route of any tenant may have them', async () => {
  const [home, other] = [await database.createTenant('default'), await database.createTenant()];
  const guardrails = [await guardrailsOfTenant(home), await guardrailsOfTenant(other)];
  expect(guardrails.map(({ namesService }) => namesService)).toEqual([true, false]);
  for (const { protected: some } of guardrails)
    expect(some).toContainEqual({ ...DATABASE, isOfService: true });
});

test('where speakers, peers and resolvers are: a route there would carry sessions and questions away', async () => {
  const facts: GuardrailFacts = {
    ...{ slug: 'other', policy: OPEN_TO_ALL, communities: [] },
    speakers: [
      {
        ...{ name: 'edge', local_ipv4: '45.1.0.1', local_ipv6: '2a00::1' },
        policies_json: { local_ip: '45.1.0.2', peers: { one: { local_ip: '45.1.0.3' }, two: {} } },
      },
      { name: 'bare', local_ipv4: null, local_ipv6: null, policies_json: {} },
    ],
    peers: [{ name: 'router', address: '45.2.0.1' }],
    resolvers: [
      { name: 'dns', url: 'https://[2a00::53]/dns-query{?dns}', bootstrap_addresses: ['45.3.0.1'] },
      { name: 'named', url: 'https://dns.example/dns-query', bootstrap_addresses: ['45.3.0.2'] },
    ],
  };
  const tenantId = await database.createTenant();
  const { protected: some } = await database.db.inTenant(tenantId, (tx) =>
    readGuardrails(tx, undefined, facts),
  );
  const around = (one: ProtectedPrefix): boolean => !one.of.startsWith('the setting') && !one.isOfService;
  expect(some.filter(around).map(({ prefix, of }) => `${prefix} ${of}`)).toEqual([
    '45.1.0.1 the speaker edge',
    '2a00::1 the speaker edge',
    '45.1.0.2 the speaker edge',
    '45.1.0.3 the speaker edge',
    '45.2.0.1 the peer router',
    '2a00::53 the DoH profile dns',
    '45.3.0.1 the DoH profile dns',
    '45.3.0.2 the DoH profile named',
  ]);
});

test('what was measured of routes holds while guardrails about routes are the same', () => {
  const hashOf = (other: Parameters<typeof guardrailsOf>[0]) => hashOfRouteGuardrails(guardrailsOf(other));
  const hash = hashOf({});
  for (const other of [{ maxChangePercent: 1 }, { maxWithdrawPercent: 1 }, { scope: 'revision' as const }])
    expect(hashOf(other), JSON.stringify(other)).toBe(hash);
  for (const other of [{ maxPrefixes: 1 }, { maxCoveragePercent: 1 }, { bogons: 'allow' as const }])
    expect(hashOf(other), JSON.stringify(other)).not.toBe(hash);
});
