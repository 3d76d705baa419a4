/** Resolvers that modules ask, as the doctor sees them. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Finding } from '../../src/doctor/finding.ts';
import { freePort } from '../daemons/machine/ports.ts';
import { startCasting, type Casting } from '../e2e/casting.ts';
import { a, replyTo, startDohServer } from '../sources/doh/server.ts';
import { examine } from './examine.ts';

let casting: Casting;
let env: Record<string, string>;

beforeAll(async () => {
  const APP_BGP_LISTEN = `127.0.0.1:${await freePort()}`;
  casting = await startCasting({ APP_BGP_LISTEN });
  env = { APP_BGP_LISTEN, APP_DATA_DIR: casting.dataDir, APP_PORT: new URL(casting.service.url).port };
});
afterAll(() => casting?.close());

async function resolvers(more: Record<string, string> = {}): Promise<Finding[]> {
  return (await examine({ ...env, ...more })).findings.filter(({ check }) => check === 'doh');
}

test('a resolver that does not answer', async () => {
  const profile = await casting.service.post<{ id: string }>('/v1/doh-profiles', {
    ...{ name: 'gone', url: `https://127.0.0.1:${await freePort()}/dns-query`, timeout_ms: 1_000 },
  });
  expect(await resolvers()).toMatchObject([
    {
      verdict: 'fault',
      found: expect.stringMatching(/^gone \(tenant default\) does not answer: /) as string,
      remedy: expect.stringContaining('port 443') as string,
    },
  ]);
  await casting.service.call('DELETE', `/v1/doh-profiles/${profile.id}`);
});

test('a resolver that answers for its own zones alone is asked for what lists ask it', async () => {
  const REFUSED = 5;
  const { service } = casting;
  const resolver = await startDohServer();
  onTestFinished(() => resolver.close());
  resolver.answer = (asked) =>
    asked.name.endsWith('.corp.example')
      ? replyTo(asked, [a(asked.name, '6.0.0.1')])
      : replyTo(asked, [], { rcode: REFUSED });
  const { id } = await service.post<{ id: string }>('/v1/doh-profiles', { name: 'corp', url: resolver.url });
  const module = await service.post<{ id: string }>('/v1/modules', {
    ...{ name: 'corp', type: 'DOMAINS', doh_profile_ids: [id] },
  });
  await service.post(`/v1/modules/${module.id}/domain-entries`, { items: [{ domain: 'www.corp.example' }] });
  const more = { APP_FETCH_ALLOW: '127.0.0.0/8', NODE_EXTRA_CA_CERTS: resolver.certificates.caFile };
  expect(await resolvers(more)).toMatchObject([
    { verdict: 'ok', found: expect.stringMatching(/^corp \(tenant default\) answers in \d+ ms$/) as string },
  ]);
  await service.call('DELETE', `/v1/modules/${module.id}`);
  await service.call('DELETE', `/v1/doh-profiles/${id}`);
});
