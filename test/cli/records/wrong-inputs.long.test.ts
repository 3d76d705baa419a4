/** What somebody types wrong, for every noun and every option of the table: the answer says what, where, and what to write instead. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Field, Noun } from '../../../src/cli/nouns/noun.ts';
import { NOUNS } from '../../../src/cli/nouns/nouns.ts';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { STORY } from '../desk/golden-lines.ts';
import { wordsOf } from '../desk/golden-desk.ts';
import { quickTypist, type QuickTypist } from '../desk/quick-typist.ts';
import type { Typed } from '../desk/typing.ts';

/** One of each noun, as the story made it. */
const THERE = {
  module: 'scanners',
  community: '64500:666',
  speaker: 'frankfurt',
  peer: 'edge1',
  doh: 'quad9',
  key: 'ci',
  tenant: 'customer-a',
  rule: 'no-scanners',
  client: 'web1',
  policy: 'old-audit',
  feed: 'drop',
  webhook: 'chat',
} as const satisfies Record<Noun['name'], string>;

let casting: Casting;
let typist: QuickTypist;

beforeAll(async () => {
  casting = await startCasting();
  const { service } = casting;
  typist = quickTypist({ PREFIXCAST_URL: service.url, PREFIXCAST_KEY: service.key });
  const { token } = await service.post<{ token: string }>('/v1/firewall/enrollment-tokens', {});
  await fetch(`${service.url}/v1/firewall/clients/enroll`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hostname: 'web1', version: '1.0.0' }),
  });
  for (const line of STORY) expect(await typist.type(wordsOf(line)), line).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await typist?.close();
  await casting?.close();
});

async function refused(code: number, ...words: readonly string[]): Promise<string> {
  const typed: Typed = await typist.type(words);
  expect(typed, words.join(' ').slice(0, 200)).toMatchObject({ code, out: '' });
  return typed.err;
}

/** Arguments and options with which the command would change something. */
const anEdit = ({ fields, exampleEdit }: Noun): string[] =>
  exampleEdit === undefined
    ? ['enabled' in fields ? '--enabled' : '--description', 'no']
    : wordsOf(exampleEdit);

describe.each(Object.values(NOUNS))('$words', (noun) => {
  const words = noun.words.split(' ');
  const there = THERE[noun.name];

  test.each(['get', 'edit', 'delete'])('%s of a name that nothing has', async (verb) => {
    const isTenant = noun.name === 'tenant';
    const more = { get: [], edit: anEdit(noun), delete: isTenant ? ['--confirm', 'qqqq-wwww'] : [] }[verb]!;
    expect(await refused(7, ...words, verb, 'qqqq-wwww', ...more)).toContain(
      `There is no ${noun.words} called qqqq-wwww; see prefixcast ${noun.words} list`,
    );
  });

  test('the name of something else', async () => {
    const [other, called] = noun.name === 'webhook' ? ['a doh', 'quad9'] : ['a webhook', 'chat'];
    expect(await refused(7, ...words, 'get', called)).toContain(
      `There is no ${noun.words} called ${called}; ${other} is called so; see prefixcast ${noun.words} list`,
    );
  });

  test('a name with a slip', async () => {
    const slip = `${there}x`;
    expect(await refused(7, ...words, 'get', slip)).toContain(`did you mean "${there}"?`);
  });

  test.each(Object.entries(noun.fields))('--%s with what it cannot have', async (option, field) => {
    for (const [value, code] of badValues(field)) {
      const isNew = field.isFixed === true;
      const line = isNew
        ? [...words, 'create', 'made', ...required(noun, option)]
        : [...words, 'edit', there];
      const said = await refused(code, ...line, `--${option}=${value}`);
      expect(said).toContain(code === 7 ? value : `--${option}`);
      expect(said).toMatch(REMEDY);
    }
  });
});

/** Options without which nothing is created, beside the one that is wrong. */
function required({ fields, example }: Noun, wrong: string): string[] {
  const [, ...given] = wordsOf(example);
  return given.filter((word, at) => {
    const option = word.startsWith('--') ? word : given[at - 1]!;
    return option !== `--${wrong}` && fields[option.slice(2)]?.isRequired === true;
  });
}

/** What to write instead, or where to look. */
const REMEDY =
  /must (?:be|have|match)|[Ww]rite |see |did you mean|such as|[Uu]se |[Gg]ive |[Ll]ist |[Nn]ame |Correct |is not JSON: |is not an IPv[46] address \(RFC/;

const LONG = 'x'.repeat(70_000);

/** Values that the option cannot have, with the exit codes. */
function badValues({ kind, choices, member }: Field): [string, number][] {
  if (choices !== undefined || kind === 'flag') return [['perhaps', 2]];
  switch (kind) {
    case 'reference':
    case 'references':
      return [['qqqq-wwww', 7]];
    case 'duration':
      return [
        ['soon', 2],
        ['99999w', 2],
      ];
    case 'asn':
    case 'number':
      return [
        ['many', 2],
        ['999999999999', 2],
      ];
    case 'json':
      return [
        ['{', 2],
        ['7', 2],
      ];
    // It is not repeated: it may be the secret itself.
    case 'secret':
      return [['::nothing of this', 2]];
    case 'list':
      return [['::nothing of this', 2]];
    case 'text':
      return FREE.has(member) ? [[LONG, 2]] : [['::nothing of this', 2]];
  }
}

/** Members that are for people. */
const FREE: ReadonlySet<string> = new Set(['description', 'title', 'label', 'name']);

describe('two that are as near as each other, and two that are called so', () => {
  test('are both named', async () => {
    for (const number of [1, 2])
      await casting.service.post('/v1/modules', { name: `clouds${number}`, type: 'IP_RANGES' });
    expect(await refused(7, 'module', 'get', 'clouds3')).toContain('did you mean "clouds1" or "clouds2"?');
  });

  test('are not chosen between', async () => {
    for (const community of ['64500:1', '64500:2'])
      await casting.service.post('/v1/communities', { community, title: 'Twice' });
    expect(await refused(8, 'community', 'get', 'twice')).toContain(
      '2 communities are called twice: use another name of it, or its id',
    );
    expect(await refused(8, 'module', 'edit', 'scanners', '--community', 'twice')).toContain('2 communities');
  });
});

test('an option that there is not, before the command as behind it', async () => {
  for (const words of [
    ['--contxt', 'lab', 'status'],
    ['status', '--contxt', 'lab'],
  ])
    expect(await refused(2, ...words)).toContain(`unknown option '--contxt'; did you mean "--context"?`);
});

describe('lines of a file of entries that are refused are named as the file has them', () => {
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-lines-'));
  afterAll(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'list.txt');

  test.each([
    ['a plain list', '# ours\n6.1.0.0/24\n\nnonsense\n', 4, 'cidr: "nonsense" is not'],
    ['one line', 'vm', 1, 'cidr: "vm" is not'],
    ['an entry twice', '6.1.0.0/24\n6.2.0.0/24\n6.1.0.0/24\n', 3, 'stands in line 1 already'],
    ['a list with a header', 'cidr,note\n6.1.0.0/24,a\n6.1.0.300/24,b\n', 3, 'cidr: "6.1.0.300" is not'],
    [
      'a community that there is not',
      'cidr,community\n6.1.0.0/24,64500:7\n',
      2,
      'there is no community 64500:7. Create it with prefixcast community create, or correct the cell',
    ],
  ])('%s', async (_, text, line, reason) => {
    writeFileSync(file, text);
    for (const more of [[], ['--dry-run'], ['--replace']]) {
      const said = await refused(2, 'entry', 'import', 'scanners', file, ...more);
      expect(said).toContain(`prefixcast: ${file}:${line}: ${reason.startsWith('cidr') ? reason : ''}`);
      expect(said).toContain(reason);
      expect(said).not.toMatch(/\/v1\/|POST|\/changes/);
    }
  });
});

test('a text that is too long, with how long it may be', async () => {
  expect(await refused(2, 'module', 'edit', 'scanners', '--description', LONG)).toContain(
    '--description must have at most 2000 characters, or none; it has 70000',
  );
});
