/** Names of a list, and the resolvers that they are asked of: which of them count, and what somebody reads once one has lost its zones, or is off. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { a, replyTo, startDohServer, type DohServer } from '../../sources/doh/server.ts';
import { useDesk } from '../desk/desk.ts';

const NXDOMAIN = 3;

let resolver: DohServer;
let hasZones = true;

const { type, mustType } = useDesk(async () => {
  resolver = await startDohServer();
  resolver.answer = (asked) => {
    if (!hasZones || asked.name.startsWith('nope')) return replyTo(asked, [], { rcode: NXDOMAIN });
    return asked.type === 'A' ? replyTo(asked, [a(asked.name, '6.6.6.6')]) : replyTo(asked);
  };
  return { NODE_EXTRA_CA_CERTS: resolver.certificates.caFile, APP_FETCH_ALLOW: '127.0.0.0/8' };
});

beforeAll(async () => {
  await mustType(`doh create ours --url ${resolver.url}`);
  await mustType(`doh create theirs --url ${resolver.url}`);
  await mustType('community create 64500:666 --title Drop');
});
afterAll(() => resolver?.close());

async function policy(): Promise<unknown> {
  const module = JSON.parse(await mustType('module get names -o json')) as { doh_resolver_policy: unknown };
  return module.doh_resolver_policy;
}

test('how answers are chosen and kept is said with the list, and one of it changes alone', async () => {
  await mustType(
    'module create names --type DOMAINS --community Drop --doh ours --doh theirs --doh-strategy quorum --doh-retain 6h',
  );
  expect(await policy()).toEqual({ strategy: 'quorum', retain_seconds: 21_600 });
  await mustType('module edit names --doh-strategy union');
  expect(await policy()).toEqual({ strategy: 'union', retain_seconds: 21_600 });
  expect(await mustType('module get names')).toMatch(
    /^doh.resolver.policy +strategy union, retain seconds 21600$/m,
  );
  await mustType('module edit names --doh-retain none');
  expect(await policy()).toEqual({ strategy: 'union' });
  const refused = await type('module', 'edit', 'names', '--doh-strategy', 'quorum', '--doh-quorum', '3');
  expect(refused).toMatchObject({ code: 2, out: '' });
  expect(refused.err).toMatch(/--doh-quorum: 3 resolvers must agree, and the module has 2/);
  expect(refused.err).not.toMatch(/doh_|quorum of/);
  await mustType('module edit names --doh ours --doh-strategy first_success --doh-retain 1h');
});

test('a resolver that says that there is no such name has answered', async () => {
  expect(await mustType('doh test ours nope.example.net')).toMatch(
    /^nope\.example\.net +ipv4 +NXDOMAIN: there is no such name +\d+ +-$/m,
  );
  const out = await mustType('doh test ours www.example.net');
  expect(out).toMatch(/^www\.example\.net +ipv4 +6\.6\.6\.6 +\d+ +-$/m);
  expect(out).toMatch(/^www\.example\.net +ipv6 +none +\d+ +-$/m);
});

test('one that has lost its zones is a list that fails, while the routes are there', async () => {
  await mustType('entry add names www.example.net mail.example.net nope.example.net --wait');
  expect(await type('status')).toMatchObject({ code: 0 });
  hasZones = false;
  const refresh = await type('module', 'refresh', 'names', '--wait');
  const words =
    /The resolvers say of all 3 names of the list: NXDOMAIN, there is no such name\. Check them \(prefixcast doh test NAME\): what is announced by earlier answers leaves from 20\S+Z on, when the time of --doh-retain is over\./;
  expect(refresh.code, refresh.err).toBe(9);
  expect(refresh.err).toMatch(words);
  const status = await type('status');
  expect(status.code).toBe(1);
  expect(status.out.replaceAll(/\s+/g, ' ')).toMatch(words);
  expect(status.out).toMatch(/^ +failing +module names: /m);
  expect(await mustType('why 6.6.6.6')).toContain('6.6.6.6 is announced');
  hasZones = true;
  await mustType('module refresh names --wait');
  expect(await type('status')).toMatchObject({ code: 0 });
});

test('whoever turns the last resolver of a list off reads of which, and how the list comes to have one', async () => {
  const off = await type('doh', 'edit', 'ours', '--enabled', 'no');
  expect(off.code, off.err).toBe(0);
  expect(off.err).toContain(
    'This takes the last resolver from 1 list: names. The domains keep the addresses',
  );
  const refresh = await type('module', 'refresh', 'names', '--wait');
  expect(refresh.err).toContain(
    'Enable one that it names with doh edit NAME --enabled yes, or create one with doh create and name it with --doh of module edit',
  );
  await mustType('doh edit ours --enabled yes');
  await mustType('module edit names --doh ours --doh theirs');
  expect((await type('doh', 'edit', 'ours', '--enabled', 'no')).err).not.toContain('last resolver');
});
