/** What the operator of the service reads before a customer's routers lose routes: of another tenant than the one that asks. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPEN_POLICY } from '../../../src/api/access/tenant-policy.ts';
import { PEER_ASN, startCasting, type Casting } from '../../e2e/casting.ts';
import { terminal, type Screen } from '../desk/terminal.ts';
import { typist, type Typed } from '../desk/typing.ts';

let casting: Casting;
let type: (...words: string[]) => Promise<Typed>;
let customer: (...words: string[]) => Promise<Typed>;
let atTerminal: (answer: string, ...words: string[]) => Promise<Screen>;
let bird: Awaited<ReturnType<Casting['startBird']>>['bird'];

async function must(typed: Promise<Typed>): Promise<Typed> {
  const answer = await typed;
  expect(answer.code, `${answer.out}${answer.err}`).toBe(0);
  return answer;
}

beforeAll(async () => {
  casting = await startCasting({ APP_PEER_ALLOW: '127.0.0.0/8' });
  const { url, key } = casting.service;
  const env = { PREFIXCAST_URL: url, PREFIXCAST_KEY: key };
  type = typist(env);
  atTerminal = terminal(env);
  const body = { slug: 'acme', name: 'Acme', policy: OPEN_POLICY };
  const { api_key: own } = await casting.service.call<{ api_key: { secret: string } }>(
    ...(['POST', '/v1/tenants', body] as const),
  );
  customer = typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: own.secret });
  const started = await casting.startBird();
  ({ bird } = started);
  const { address } = started;
  for (const line of [
    'speaker create theirs --daemon builtin --asn 64512',
    `peer create edge --address ${address} --port ${bird.port} --asn ${PEER_ASN}`,
    'community create 64500:666 --title Drop',
    'module create ours --type IP_RANGES --community Drop',
    'entry add ours 8.8.8.0/23 8.9.8.66/32 --wait',
  ])
    await must(customer(...line.split(' ')));
  await bird.waitRoutes(2);
});
afterAll(() => casting?.close());

const policy = (value: object): string[] => ['tenant', 'edit', 'acme', '--policy', JSON.stringify(value)];
const NARROW = { allowed_prefixes: ['8.8.9.0/24'] };
const LESS = '1 session of the tenant: 2 routes now, 1 then, 1 of them new or changed';
const ENDS = '1 session of the tenant ends, and 2 routes with it';

test('a dry run of a policy counts what the routers of the tenant lose', async () => {
  expect((await must(type(...policy(NARROW), '--dry-run'))).out).toBe(
    `${LESS}\nNothing has changed: dry run\n`,
  );
  for (const ended of [{ allowed_peer_networks: [] }, { allowed_local_asns: [65000] }])
    expect((await must(type(...policy(ended), '--dry-run'))).out).toContain(ENDS);
  expect((await must(type(...policy({ may_loosen_guards: false }), '--dry-run'))).out).toContain(
    'No session of the tenant ends or is sent other routes',
  );
  await bird.waitRoutes(2);
});

test('a stop says so before its question, and so do dry runs of a stop, of a suspension and of a deletion', async () => {
  expect((await must(type('tenant', 'stop', 'acme', '--dry-run'))).out).toContain(ENDS);
  expect((await must(type('tenant', 'suspend', 'acme', '--dry-run'))).out).toContain(
    'No session of the tenant',
  );
  const { code, text } = await atTerminal('n', 'tenant', 'stop', 'acme');
  expect({ code, text }).toMatchObject({ code: 1 });
  expect(text).toContain(ENDS);
  await must(type('tenant', 'suspend', 'acme'));
  const deletion = ['tenant', 'delete', 'acme', '--confirm', 'acme', '--dry-run'];
  expect((await must(type(...deletion))).out).toContain(ENDS);
  await must(type('tenant', 'activate', 'acme'));
  await bird.waitRoutes(2);
});

test('the edit says it before its question, and in a script', async () => {
  const { text } = await atTerminal('n', ...policy(NARROW));
  expect(text).toContain(LESS);
  await bird.waitRoutes(2);
  const { out, err } = await must(type(...policy(NARROW)));
  expect({ out, err }).toEqual({ out: 'tenant acme changed\n', err: `${LESS}\n` });
  await bird.waitRoutes(1);
});
