/** `why` of domain names that share an address, as an alias does with what it stands for. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { a, cname, replyTo, startDohServer, type DohServer } from '../../sources/doh/server.ts';
import { useDesk } from '../desk/desk.ts';

const NXDOMAIN = 3;
/** A source of AS numbers that nobody has. */
const UNREACHABLE = { APP_ASN_SOURCE: 'ripestat', APP_ASN_SOURCE_URL: 'http://127.0.0.1:1' };

let resolver: DohServer;

const desk = useDesk(async () => {
  resolver = await startDohServer();
  resolver.answer = (asked) => {
    if (asked.name.startsWith('nope')) return replyTo(asked, [], { rcode: NXDOMAIN });
    if (asked.type !== 'A' || asked.name.startsWith('bare')) return replyTo(asked);
    const target = asked.name === 'alias.example.net' ? 'www.example.net' : asked.name;
    const address = a(target, target === 'www.example.net' ? '6.6.6.6' : '6.6.7.7');
    return replyTo(asked, target === asked.name ? [address] : [cname(asked.name, target), address]);
  };
  const NODE_EXTRA_CA_CERTS = resolver.certificates.caFile;
  return { NODE_EXTRA_CA_CERTS, APP_FETCH_ALLOW: '127.0.0.0/8', ...UNREACHABLE };
});
const { type, mustType } = desk;

beforeAll(async () => {
  await mustType(`doh create ours --url ${resolver.url}`);
  await mustType('community create 64500:666 --title Drop');
  await mustType('module create names --type DOMAINS --community Drop --doh ours');
  await mustType('entry add names www.example.net other.example.net --wait');
  // It brings no route that is not there.
  await mustType('entry add names alias.example.net --wait');
});
afterAll(() => resolver?.close());

test.each(['www', 'alias'])('%s', async (label) => {
  const name = `${label}.example.net`;
  const out = await mustType(`why ${name}`);
  expect(out).toMatch(
    new RegExp(
      `^${name} is announced\\n  6\\.6\\.6\\.6/32 by builtin, with 64500:666 \\(Drop\\)\\n    since 2\\S+, revision \\d+\\n\\nLists that have it:\\n  names: ${name}, which has 6\\.6\\.6\\.6/32\\n$`,
    ),
  );
});

test('the address has both', async () => {
  const out = await mustType('why 6.6.6.6');
  expect(out).toContain('  names: alias.example.net, which has 6.6.6.6/32\n');
  expect(out).toContain('  names: www.example.net, which has 6.6.6.6/32\n');
  expect(out).not.toContain('which is not announced');
});

test('a name that is removed is announced by the other one alone', async () => {
  await mustType('entry remove names www.example.net --wait');
  expect(await mustType('why alias.example.net')).toContain('alias.example.net is announced\n');
  expect((await type('why', 'www.example.net')).out).toContain(
    'www.example.net is not announced: no list has it',
  );
});

test('a name that does not exist is named where it is added, listed and looked at', async () => {
  const added = await type('entry', 'add', 'names', 'nope.example.net', 'bare.example.net', '--wait');
  // The list is well: what resolvers said was read.
  expect(added.code, added.err).toBe(0);
  expect(added.err).toMatch(
    /^nope\.example\.net has no addresses: NXDOMAIN: there is no such name\. Check how it is written\.$/m,
  );
  expect(added.err).toMatch(/^bare\.example\.net has no addresses: The name exists, and has no address of /m);
  expect(added.err).not.toContain('other.example.net');

  const listed = await mustType('entry list names');
  expect(listed).toMatch(/^nope\.example\.net +ok, NXDOMAIN +0 +0 /m);
  expect(listed).toMatch(/^bare\.example\.net +ok, empty +0 +0 /m);
  expect(listed).toMatch(/^other\.example\.net +ok +1 +0 /m);

  const status = await mustType('status');
  expect(status).toMatch(
    /\nNothing is wrong, and no router has these lists: .*\n\nRead, and without anything to announce:\n[^]*^ {2}empty {2}nope\.example\.net has no addresses, in the module names: NXDOMAIN: [^\n]*\n +→ prefixcast why nope\.example\.net$/m,
  );
  const why = await type('why', 'nope.example.net');
  expect(why.out).toContain(
    'nope.example.net has no address that could be used: NXDOMAIN: there is no such name.',
  );

  const { items } = await desk.casting.service.get<{ items: object[] }>(
    '/v1/sources?status=ok&has_prefixes=false',
  );
  expect(items.map((one) => (one as { name: string }).name).sort()).toEqual([
    'bare.example.net',
    'nope.example.net',
  ]);
  await mustType('entry remove names nope.example.net bare.example.net --wait');
  expect(await mustType('status')).not.toContain('without anything to announce');
});

test('one name among others that has ended says so while its addresses stay, and fails nothing', async () => {
  await mustType('entry add names again.example.net --wait');
  const before = resolver.answer;
  resolver.answer = (asked) =>
    asked.name.startsWith('again') ? replyTo(asked, [], { rcode: NXDOMAIN }) : before(asked);
  await mustType('module refresh names --wait');
  resolver.answer = before;
  expect(await mustType('entry list names')).toMatch(/^again\.example\.net +ok, NXDOMAIN +1 +0 /m);
  expect(await mustType('status')).not.toContain('again.example.net');
});

test('a source that fails is no wrong usage', async () => {
  const { code, err } = await type('holders', '45.97.0.0/24');
  expect(err).toContain('127.0.0.1:1');
  expect(code).toBe(1);
});
