/** Tenants that are written as files, and files that become tenants: nothing is lost, and nothing is made up. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { OPEN_POLICY } from '../../../src/api/access/tenant-policy.ts';
import { KIND_NAMES } from '../../../src/cli/declared/kinds.ts';
import { jsonSchema } from '../../../src/cli/declared/schema.ts';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { times } from '../../fuzz.ts';
import { typist, type Typed } from '../desk/typing.ts';
import { generatedTenant, SECRET_VARIABLE } from './generated-tenant.ts';

let casting: Casting;
const root = mkdtempSync(join(tmpdir(), 'prefixcast-round-'));
beforeAll(async () => {
  casting = await startCasting();
});
afterAll(async () => {
  await casting?.close();
  rmSync(root, { recursive: true });
});

let tenants = 0;
/** Commands of a tenant of its own. @param secrets by the variables that its files name */
async function newTenant(
  secrets: Readonly<Record<string, string>> = { [SECRET_VARIABLE]: SECRET },
): Promise<((...words: string[]) => Promise<Typed>) & { end(): Promise<void> }> {
  const made = await casting.service.call<{ id: string; slug: string; api_key: { secret: string } }>(
    'POST',
    '/v1/tenants',
    {
      ...{ slug: `t${++tenants}`, name: `T${tenants}`, policy: OPEN_POLICY },
    },
  );
  const own = { PREFIXCAST_URL: casting.service.url, PREFIXCAST_KEY: made.api_key.secret };
  const type = typist({ ...own, ...secrets });
  // Two tenants of a service cannot have peers at the same address.
  const end = async (): Promise<void> => {
    await casting.service.call('PATCH', `/v1/tenants/${made.id}`, { status: 'stopped' });
    await casting.service.call('DELETE', `/v1/tenants/${made.id}?confirm=${made.slug}`);
  };
  return Object.assign(type, { end });
}

async function must(typed: Promise<Typed>): Promise<string> {
  const { out, err, code } = await typed;
  expect(code, `${out}${err}`).toBe(0);
  return out;
}

function directory(files: Readonly<Record<string, string>> = {}): string {
  const path = mkdtempSync(join(root, 'set-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

/** Every file by its path. */
function contents(path: string, under = ''): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(path, under), { withFileTypes: true }).flatMap((entry): [string, string][] => {
      const name = join(under, entry.name);
      return entry.isDirectory()
        ? Object.entries(contents(path, name))
        : [[name, readFileSync(join(path, name), 'utf8')]];
    }),
  );
}

const SECRET = 'hunter2-of-nobody';

/** What the variables of the files are to be set to. */
function secretsOf(files: Readonly<Record<string, string>>): Record<string, string> {
  const named = Object.values(files).flatMap((file) => [...file.matchAll(/\$\{(\w+)\}/g)]);
  return Object.fromEntries(named.map(([, variable]) => [variable!, SECRET]));
}

const ajv = new Ajv({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addFormat('name', true);
const isGood = ajv.compile(jsonSchema());

function requireSchema(files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files))
    if (name.endsWith('.yaml'))
      for (const document of parseAllDocuments(text))
        expect(isGood(document.toJS()), `${name}: ${JSON.stringify(isGood.errors)}`).toBe(true);
}

/** Of each kind the least that it takes. */
const LEAST = `kind: set
name: least
---
kind: community
community: 64500:1
title: One
---
kind: doh
name: quad9
url: https://dns.quad9.net/dns-query
---
kind: speaker
name: far
daemon: bird
mode: agent
local_asn: 64500
---
${['CDN_SOURCES', 'AS_PREFIXES', 'DOMAINS', 'IP_RANGES', 'GEOFEED'].map((type) => `kind: module\nname: of ${type}\ntype: ${type}\n---\n`).join('')}kind: peer
name: edge
address: 192.0.2.1
remote_asn: 64496
---
kind: feed
name: all
---
kind: rule
name: none
cidrs: [192.0.2.0/24]
---
kind: webhook
name: chat
url: https://example.net/in
events: [revision]
---
kind: policy
name: old
maintenance: audit_prune
`;

test('what a file does not name is what the service makes of it', async () => {
  const type = await newTenant();
  const least = directory({ 'least.yaml': LEAST });
  requireSchema({ 'least.yaml': LEAST });
  for (const kind of KIND_NAMES) expect(LEAST).toContain(`kind: ${kind}\n`);
  await must(type('apply', '-f', least));
  expect(await must(type('plan', '-f', least))).toBe('Nothing to change\n');
  // Members that have their defaults are not written.
  const out = join(root, 'least-out');
  await must(type('export', '-f', out, '--set', 'least'));
  expect(contents(out)['peer/edge.yaml']).toBe(
    '# yaml-language-server: $schema=../prefixcast.schema.json\nkind: peer\nname: edge\naddress: 192.0.2.1\nremote_asn: 64496\n',
  );
  await type.end();
});

test(
  'import(export(tenant)) is an empty plan, and another tenant made of it is exported alike',
  { timeout: 600_000 },
  async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(generatedTenant, async ({ documents, entries }) => {
        const type = await newTenant();
        // JSON is YAML.
        const all = documents.map((one) => JSON.stringify(one)).join('\n---\n');
        const first = directory({ 'all.yaml': all, ...entries });
        await must(type('import', '-f', first));
        expect(await must(type('plan', '-f', first))).toBe('Nothing to change\n');
        const exported = join(root, `export-${++number}`, 'same');
        await must(type('export', '-f', exported));
        expect(await must(type('plan', '-f', exported))).toBe('Nothing to change\n');
        const files = contents(exported);
        requireSchema(files);
        expect(Object.values(files).join('')).not.toContain(SECRET);
        await type.end();
        const other = await newTenant(secretsOf(files));
        await must(other('import', '-f', exported));
        const again = join(root, `again-${number}`, 'same');
        await must(other('export', '-f', again));
        expect(contents(again)).toEqual(files);
        await other.end();
      }),
      { numRuns: times(2), endOnFailure: true },
    );
  },
);
