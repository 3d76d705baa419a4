/**
 * The description against the service: requests that follow it, with right and wrong values, for whatever it describes. No answer
 * may be a fault of the service, and each must be one that the description announces. `SEED` repeats a run,
 * `FUZZ` multiplies how many there are, `GENERATED_REQUESTS=200000` sends that many, `GENERATED_PATHS` keeps to paths that hold that text.
 */
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Role } from '../../src/api/access/permissions.ts';
import { SEED, times } from '../fuzz.ts';
import { seededRandom } from '../oracle/arbitraries.ts';
import { answerCheck, ENDLESS, type Answer } from './description/answers.ts';
import {
  answeredNoun,
  generate,
  operationsOf,
  type GeneratedRequest,
  type Operation,
} from './description/requests.ts';
import { KnownIds, pick } from './description/values.ts';
import { makeFixtures } from './fixtures.ts';
import { startService, type TestService } from './service.ts';

const COUNT = Number(process.env.GENERATED_REQUESTS ?? times(1_500, 600));
const PATHS = process.env.GENERATED_PATHS ?? '';
const AT_ONCE = 16;
const ROLES: readonly Role[] = [
  ...Array.from({ length: 12 }, (): Role => 'operator'),
  ...(['super_admin', 'super_admin', 'super_viewer', 'viewer', 'node', 'firewall'] as const),
];
const ID = /"id":"([0-9a-f-]{36})"/g;

let service: TestService;
const agent = new Agent({ connections: AT_ONCE });

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await agent.close();
  await service.close();
});

test(`${COUNT} requests made from the description get answers that it describes`, async () => {
  const fixtures = await makeFixtures(service, service.tenant);
  const document = (await service.call('GET', '/v1/openapi.json', { key: null })).body;
  const operations = operationsOf(document).filter(({ path }) => path.includes(PATHS));
  const check = answerCheck(document);
  const chance = seededRandom(SEED);
  const fraction = (): number => chance() / 2 ** 32;
  const ids = new KnownIds(100);
  for (const [noun, id] of Object.entries(fixtures))
    ids.add(fraction, noun.replace(/^module of .*/, 'module'), id);
  const own = await idsInUse();
  const seen = new Map<string, number>();
  const faults: string[] = [];
  let left = COUNT;
  const send = async (): Promise<void> => {
    while (left-- > 0 && faults.length < 10) {
      const generated = generate({ document, chance: fraction, ids }, pick(fraction, operations));
      const answer = await ask(generated, service.tenant.keys[pick(fraction, ROLES)]);
      const fault = check(generated.operation, answer);
      if (fault !== null) faults.push(`${described(generated, answer, fault)}\n  ${logged(answer)}`);
      seen.set(`${answer.status}`, (seen.get(`${answer.status}`) ?? 0) + 1);
      const noun = answer.status < 300 ? answeredNoun(operations, generated.operation) : null;
      for (const [, id] of noun === null ? [] : answer.text.slice(0, 5_000).matchAll(ID))
        if (!own.has(id!)) ids.add(fraction, noun!, id!);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  expect(faults, `SEED=${SEED}`).toEqual([]);
  console.log(`seed ${SEED}: ${JSON.stringify(Object.fromEntries([...seen].sort()))}`);
  const good = [...seen]
    .filter(([status]) => status.startsWith('2'))
    .reduce((sum, [, count]) => sum + count, 0);
  expect(good, 'requests that were right').toBeGreaterThan(COUNT / 10);
  expect(seen.get('503') ?? 0, 'requests that met others').toBeLessThanOrEqual(COUNT / 100);
}, 3_600_000);

test('a path is sent as it was made: no part of it is resolved on the way', async () => {
  const operation = { method: 'GET', path: '/v1/speakers/{speaker_id}/modules' } as Operation;
  const path = '/v1/speakers/../modules';
  const answer = await ask({ operation, path, headers: {}, body: undefined }, service.tenant.keys.operator);
  expect(answer.status).toBe(404);
});

/** The keys that send the requests, and their tenant: to take these away would end the test. */
async function idsInUse(): Promise<Set<string>> {
  const { body } = await service.call('GET', '/v1/api-keys?limit=500');
  const keys = (body.items as { id: string; name: string }[]).filter(({ name }) => name.startsWith('the '));
  return new Set([service.tenant.id, ...keys.map(({ id }) => id)]);
}

/** What the log tells of a request that failed. */
function logged({ text }: Answer): string {
  const id = /"request_id":"([^"]+)"/.exec(text)?.[1];
  return service.log.filter((line) => id !== undefined && line.includes(id)).join('\n  ');
}

async function ask({ operation, path, headers, body }: GeneratedRequest, key: string): Promise<Answer> {
  const {
    statusCode,
    headers: answered,
    body: answer,
  } = await agent.request({
    // A URL would have its dots resolved.
    ...{ origin: service.url, path },
    method: operation.method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const mediaType = String(answered['content-type'] ?? '').split(';')[0]!;
  if (mediaType !== ENDLESS) return { status: statusCode, mediaType, text: await answer.text() };
  answer.destroy();
  return { status: statusCode, mediaType, text: '' };
}

function described(
  { operation, path, headers, body }: GeneratedRequest,
  answer: Answer,
  fault: string,
): string {
  const sent = `${operation.method} ${path} ${JSON.stringify(headers)} ${body?.slice(0, 500) ?? ''}`;
  return `${fault}\n  ${sent}\n  ${answer.status} ${answer.mediaType} ${answer.text.slice(0, 600)}`;
}
