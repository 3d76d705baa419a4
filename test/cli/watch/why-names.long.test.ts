/** `why` of domain names that share an address, as an alias does with what it stands for. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { a, cname, replyTo, startDohServer, type DohServer } from '../../sources/doh/server.ts';
import { typist, type Typed } from '../desk/typing.ts';

let resolver: DohServer;
let casting: Casting;
let type: (...words: string[]) => Promise<Typed>;

async function mustType(line: string): Promise<string> {
  const { code, out, err } = await type(...line.split(' '));
  expect(code, `${line}\n${out}${err}`).toBe(0);
  return out;
}

beforeAll(async () => {
  resolver = await startDohServer();
  resolver.answer = (asked) => {
    if (asked.type !== 'A') return replyTo(asked);
    const target = asked.name === 'alias.example.net' ? 'www.example.net' : asked.name;
    const address = a(target, target === 'www.example.net' ? '6.6.6.6' : '6.6.7.7');
    return replyTo(asked, target === asked.name ? [address] : [cname(asked.name, target), address]);
  };
  const NODE_EXTRA_CA_CERTS = resolver.certificates.caFile;
  casting = await startCasting({ NODE_EXTRA_CA_CERTS, APP_FETCH_ALLOW: '127.0.0.0/8' });
  type = typist({ PREFIXCAST_URL: casting.service.url, PREFIXCAST_KEY: casting.service.key });
  await mustType(`doh create ours --url ${resolver.url}`);
  await mustType('community create 64500:666 --title Drop');
  await mustType('module create names --type DOMAINS --community Drop --doh ours');
  await mustType('entry add names www.example.net other.example.net --wait');
  // It brings no route that is not there.
  await mustType('entry add names alias.example.net --wait');
});
afterAll(async () => {
  await casting?.close();
  await resolver?.close();
});

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
