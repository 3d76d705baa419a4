/** One directory for two tenants of a service: each with its own key, and files that both include. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OPEN_POLICY } from '../../../src/api/access/tenant-policy.ts';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { typist, type Typed } from '../desk/typing.ts';

let casting: Casting;
let type: (...words: string[]) => Promise<Typed>;
let keys: Readonly<Record<'acme' | 'globex', string>>;
const root = mkdtempSync(join(tmpdir(), 'prefixcast-tenants-'));
const lists = join(root, 'lists');
const config = join(root, 'config.yaml');
/** What a command of the files leaves behind. */
const ran = join(root, 'ran');

beforeAll(async () => {
  casting = await startCasting();
  keys = { acme: await newKey('acme'), globex: await newKey('globex') };
  const { url } = casting.service;
  writeFileSync(config, JSON.stringify({ current: null, contexts: { acme: { url, key: keys.acme } } }));
  type = typist({ PREFIXCAST_CONFIG: config, PREFIXCAST_URL: url, GLOBEX_KEY: keys.globex, RAN: ran });
});
afterAll(async () => {
  await casting?.close();
  rmSync(root, { recursive: true });
});

async function newKey(slug: string): Promise<string> {
  const body = { slug, name: slug, policy: OPEN_POLICY };
  const made = await casting.service.call<{ api_key: { secret: string } }>('POST', '/v1/tenants', body);
  return made.api_key.secret;
}

function write(files: Readonly<Record<string, string | null>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(lists, name);
    mkdirSync(dirname(path), { recursive: true });
    if (text === null) rmSync(path);
    else writeFileSync(path, text);
  }
}

async function must(code: number, typed: Promise<Typed>): Promise<Typed> {
  const answer = await typed;
  expect(answer.code, `${answer.out}${answer.err}`).toBe(code);
  return answer;
}

const namesOf = async (key: string, path: string): Promise<unknown[]> => {
  const answer = await fetch(`${casting.service.url}${path}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const { items } = (await answer.json()) as { items: { name?: string; community?: string }[] };
  return items.map(({ name, community }) => name ?? community);
};

const TENANTS = `kind: tenants
tenants:
  - tenant: acme
  - tenant: globex
    directory: customers/globex
    key: \${GLOBEX_KEY}
`;
const MODULE = (name: string): string => `kind: module
name: ${name}
type: IP_RANGES
community: 64500:666
entries: list.csv
`;

test('one plan and one apply do all of them, with what each includes and its own key', async () => {
  write({
    'prefixcast.yaml': TENANTS,
    'shared/drop.yaml': 'kind: community\ncommunity: 64500:666\ntitle: Drop\n',
    'acme/prefixcast.yaml': 'kind: set\nname: acme\ninclude: [../shared]\n',
    'acme/list.yaml': MODULE('ours'),
    'acme/list.csv': 'cidr\n9.9.9.0/24\n',
    'customers/globex/prefixcast.yaml': 'kind: set\nname: globex\ninclude: [../../shared/drop.yaml]\n',
    'customers/globex/list.yaml': MODULE('theirs'),
    'customers/globex/list.csv': 'cidr\n8.8.8.0/24\n8.8.4.0/24\n',
    'customers/globex/peer.yaml':
      "kind: peer\nname: edge\naddress: 192.0.2.1\nremote_asn: 64496\npassword: { command: 'echo of-a-vault; touch $RAN' }\n",
  });
  const { out } = await must(3, type('plan', '-f', lists));
  expect(out).toMatch(/^Tenant acme\n\+ module ours .*\n[^]*\n\nTenant globex\n\+ module theirs /);
  expect(out).toContain('64500:666: 1 announced, 0 withdrawn');
  expect(out).toContain('64500:666: 2 announced, 0 withdrawn');
  expect(existsSync(ran)).toBe(false);
  const data = JSON.parse((await must(3, type('plan', '-f', lists, '-o', 'json'))).out) as object;
  expect(data).toMatchObject({
    tenants: [
      { tenant: 'acme', set: 'acme' },
      { tenant: 'globex', set: 'globex' },
    ],
  });
  const applied = await must(0, type('apply', '-f', lists, '--wait=built', '--timeout', '120'));
  expect(applied.out).toContain(
    'acme: 2 created, 0 changed, 0 deleted\nglobex: 3 created, 0 changed, 0 deleted\n',
  );
  expect(applied.err).toContain('succeeded');
  expect(applied.out + applied.err).not.toContain('of-a-vault');
  expect(existsSync(ran)).toBe(true);
  expect(await namesOf(keys.acme, '/v1/modules')).toEqual(['ours']);
  expect(await namesOf(keys.globex, '/v1/modules')).toEqual(['theirs']);
  expect((await must(0, type('plan', '-f', lists))).out).toBe(
    'Tenant acme\nNothing to change\n\nTenant globex\nNothing to change\n',
  );
});

test('one of them by itself, and a kept plan of both', async () => {
  write({
    'shared/web.yaml': 'kind: community\ncommunity: 64500:80\ntitle: Web\n',
    'acme/list.csv': 'cidr\n9.9.9.9\n',
  });
  const file = join(root, 'plan.json');
  await must(3, type('plan', '-f', lists, '--out', file));
  const one = await must(0, type('apply', '-f', lists, '--tenant', 'globex'));
  expect(one.out).toBe('globex: Nothing to change\n');
  await must(0, type('apply', '-f', lists, '--plan', file));
  expect(await namesOf(keys.acme, '/v1/communities')).toEqual(['64500:666', '64500:80']);
  const moved = await must(8, type('apply', '-f', lists, '--plan', file));
  expect(moved.err).toContain('tenant acme: ');
  expect(moved.err).toContain('The base has moved');
  expect((await must(2, type('plan', '-f', lists, '--tenant', 'initech'))).err).toContain(
    'it has acme, globex',
  );
});

test('what one of them refuses leaves all of them as they are', async () => {
  write({ 'acme/list.csv': 'cidr\n9.9.9.0/24\n', 'customers/globex/list.csv': 'cidr\nnonsense\n' });
  const { err } = await must(2, type('apply', '-f', lists));
  expect(err).toMatch(/tenant globex: .*list\.csv:2: /);
  expect((await must(3, type('plan', '-f', lists, '--tenant', 'acme'))).out).toContain('      + 9.9.9.0/24');
  write({ 'customers/globex/list.csv': 'cidr\n8.8.8.0/24\n8.8.4.0/24\n' });
});

test.each([
  [
    'a key of another tenant',
    TENANTS.replace('- tenant: acme', '- tenant: acme\n    key: ${GLOBEX_KEY}'),
    8,
    ':3: the key is of the tenant globex, and the files are of acme',
  ],
  ['a key that is not set', TENANTS.replace('GLOBEX_KEY', 'NO_KEY'), 2, 'NO_KEY is not set'],
  [
    'a context that there is not',
    TENANTS.replace('    key: ${GLOBEX_KEY}', '    context: nobody'),
    78,
    'no context nobody',
  ],
  ['a key in the file', TENANTS.replace('${GLOBEX_KEY}', 'pc_secret'), 2, ':6: tenants/1/key must'],
  ['a folder twice', TENANTS.replace('customers/globex', 'acme'), 2, ':4: globex stands at'],
  ['a folder elsewhere', TENANTS.replace('customers/globex', '../..'), 2, 'lies outside of the directory'],
  [
    'what is of no tenant',
    `${TENANTS}---\nkind: community\ncommunity: 64500:1\ntitle: One\n`,
    2,
    ': belongs to no tenant',
  ],
])('%s is refused', async (_what, text, code, fault) => {
  write({ 'prefixcast.yaml': text });
  const { err } = await must(code, type('apply', '-f', lists));
  write({ 'prefixcast.yaml': TENANTS });
  expect(err).toContain(fault);
  expect(err).not.toContain('pc_secret');
});

test('an export of several contexts is such a directory, and an empty plan', async () => {
  const { url } = casting.service;
  const contexts = { acme: { url, key: keys.acme }, customer: { url, key: keys.globex } };
  writeFileSync(config, JSON.stringify({ current: null, contexts }));
  const out = join(root, 'out');
  const exported = await must(0, type('export', '-f', out, '--tenant', 'acme', '--tenant', 'customer'));
  expect(exported.err).toContain('PEER_EDGE_PASSWORD');
  expect(readFileSync(join(out, 'prefixcast.yaml'), 'utf8')).toContain(
    'tenants:\n  - tenant: acme\n  - tenant: globex\n    context: customer\n',
  );
  const plan = await must(0, type('plan', '-f', out, '--take-over'));
  expect(plan.out.match(/Nothing to change/g)).toHaveLength(2);
});
