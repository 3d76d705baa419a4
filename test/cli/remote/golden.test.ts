/** What every list and object prints in every format, against the service: golden files in test/golden/cli. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OUTPUT_FORMATS } from '../../../src/cli/tree/remote-command.ts';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { normalised, typist, type Typed } from './typing.ts';

const GOLDEN = join(import.meta.dirname, '../../golden/cli');

let casting: Casting;
let type: (...words: string[]) => Promise<Typed>;

async function mustType(line: string): Promise<string> {
  const { code, out, err } = await type(...wordsOf(line));
  expect(code, `${line}\n${out}${err}`).toBe(0);
  return out;
}

const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!);

/** A day in which everything that commands list comes to be. */
const STORY = [
  'community create 64500:666 --title Drop --color #aa0000',
  'community create 64500:80 --title "Web, clouds"',
  'module create scanners --type IP_RANGES --community Drop --description "seen by us"',
  'module create names --type DOMAINS --enabled no',
  'entry add scanners 8.8.4.0/24 9.9.9.0/24 2620:fe::/48 --note "seen in March"',
  'revision build --wait',
  'entry remove scanners 8.8.4.0/24 --wait',
  'revision pin 1',
  'speaker edit builtin --label Main',
  'speaker create frankfurt --daemon bird --mode agent --asn 64500',
  'peer create edge1 --address 192.0.2.1 --asn 64496 --community Drop --enabled no',
  'doh create quad9 --url https://dns.quad9.net/dns-query',
  'key create ci --role operator',
  'tenant create customer-a --name "Customer A" --quotas {"modules":3}',
  'firewall rule create no-scanners --direction in --module scanners',
  'feed create drop --format nft --community Drop --max-prefixes 1000',
  'webhook create chat --url https://example.net/in --events revision,module --enabled no',
  'policy create old-audit --kind audit_prune --enabled no',
  'module create mistake --type AS_PREFIXES --enabled no',
  'module delete mistake',
];

const LISTED = [
  ...['module list', 'module get scanners', 'community list', 'community get Drop', 'entry list scanners'],
  ...[
    'speaker list',
    'peer list',
    'doh list',
    'key list',
    'tenant list',
    'firewall rule list',
    'policy list',
    'feed list',
    'webhook list',
  ],
  ...['module list --deleted', 'entry removed scanners'],
  ...['revision list', 'revision show 1', 'revision prefixes latest', 'revision diff 1 latest'],
  ...['peer get edge1', 'doh get quad9', 'key get ci', 'tenant get customer-a', 'feed get drop'],
  ...['firewall rule get no-scanners', 'firewall client list', 'policy get old-audit', 'webhook get chat'],
  ...['webhook deliveries chat', 'source presets', 'source stale', 'settings get guard_max_change_percent'],
  ...['session list', 'context list', 'whoami', 'module held scanners'],
];

beforeAll(async () => {
  casting = await startCasting();
  type = typist({ PREFIXCAST_URL: casting.service.url, PREFIXCAST_KEY: casting.service.key });
  // Revisions are built when the story says so.
  await casting.service.call('PATCH', '/v1/settings', { auto_revision: false });
  for (const line of STORY) await mustType(line);
});
afterAll(() => casting?.close());

describe.each(LISTED)('%s', (line) => {
  test('in every format', async () => {
    const reported: string[] = [];
    for (const format of OUTPUT_FORMATS)
      reported.push(`$ prefixcast ${line} -o ${format}\n${await mustType(`${line} -o ${format}`)}`);
    await expect(normalised(reported.join('\n'))).toMatchFileSnapshot(
      join(GOLDEN, `${line.replaceAll(' ', '-')}.txt`),
    );
  });
});

test('what stands alone, and what goes wrong', async () => {
  const reported: string[] = [];
  for (const line of [
    ...['why 9.9.9.9', 'why 8.8.4.1', 'apply status', 'whoami', 'source stale', 'context list'],
    ...[
      'module get scaners',
      'module create scanners --type IP_RANGES',
      'peer create edge2 --asn x --address 192.0.2.2',
    ],
    ...[
      'module edit scanners',
      'module lst',
      'entry remove scanners 7.7.7.0/24',
      'revision show 99',
      'entry export scanners',
    ],
    ...['freeze', 'revision apply 1', 'unfreeze', 'module release scanners --reason "no reason at all"'],
  ]) {
    const { code, out, err } = await type(...wordsOf(line));
    reported.push(`$ prefixcast ${line}\n${out}${err}[${code}]`);
  }
  await expect(normalised(reported.join('\n\n'))).toMatchFileSnapshot(join(GOLDEN, 'others.txt'));
});

test('a wrong key, and a service that is not there', async () => {
  const { url } = casting.service;
  expect(await typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: 'pc_x' })('whoami')).toMatchObject({ code: 4 });
  expect(await typist({})('whoami')).toMatchObject({ code: 78 });
});

test('a pipe gets all, --limit fewer, and a reader that goes ends it', async () => {
  const cidrs = Array.from({ length: 120 }, (_, at) => `7.${at}.0.0/24`);
  await mustType(`entry add scanners ${cidrs.join(' ')}`);
  expect((await mustType('entry list scanners -o name')).trim().split('\n')).toHaveLength(122);
  const few = await mustType('entry list scanners --limit 3');
  expect(few.trim().split('\n')).toHaveLength(5); // with titles, and what there is more
  expect(few).toContain('and more');
});

test('a list that is exported and imported stays as it was', async () => {
  const csv = await mustType('entry export scanners');
  expect(await importing(csv, '--replace')).toMatchObject({
    code: 0,
    out: '0 created, 0 updated, 122 unchanged, 0 deleted\n',
  });
  expect((await importing('# ours\n6.6.6.0/24 ; new\n', '--dry-run')).out).toContain('1 created');
});

test.each(['', '\n', '# nothing today\n', 'cidr,note\n'])(
  'an import that replaces all with nothing (%j) is refused until that is said',
  async (nothing) => {
    const refused = await importing(nothing, '--replace');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('--allow-empty') as string });
    const dry = await importing(nothing, '--replace', '--allow-empty', '--dry-run');
    expect(dry.out).toContain('122 deleted');
  },
);

function importing(input: string, ...more: string[]): Promise<Typed> {
  const env = { PREFIXCAST_URL: casting.service.url, PREFIXCAST_KEY: casting.service.key };
  return typist(env, input)('entry', 'import', 'scanners', '-', ...more);
}

test('a login keeps a key that the service has taken, under the host and the port', async () => {
  const { url, key } = casting.service;
  const directory = await mkdtemp(join(tmpdir(), 'prefixcast-login-'));
  const path = join(directory, 'config.yaml');
  const env = { PREFIXCAST_CONFIG: path };
  expect(await typist({ ...env, PREFIXCAST_KEY: 'pc_x' })('login', url)).toMatchObject({ code: 4 });
  expect(existsSync(path)).toBe(false);
  const { code, out } = await typist({ ...env, PREFIXCAST_KEY: key })('login', url);
  expect({ code, out }).toMatchObject({
    code: 0,
    out: expect.stringContaining(`; context ${new URL(url).host} in `) as string,
  });
  expect((await typist(env)('whoami')).out).toContain(`context ${new URL(url).host}\n`);
  await rm(directory, { recursive: true });
});
