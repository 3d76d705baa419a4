/** What every command prints in every format that it offers, against the service: golden files in test/golden/cli. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { NOUNS } from '../../../src/cli/nouns/nouns.ts';
import { testProgram } from '../../program.ts';
import { fileOf } from '../golden-files.ts';
import { useGoldenDesk, wordsOf } from '../desk/golden-desk.ts';
import { terminal } from '../desk/terminal.ts';
import { ABSENT, ANNOUNCED, LISTED, NAMED } from '../desk/golden-lines.ts';
import { normalised, typist, type Typed } from '../desk/typing.ts';

const desk = useGoldenDesk([...LISTED.map((line) => [line]), NAMED, ANNOUNCED, ABSENT]);

// What follows are processes, as somebody starts them.
let type: (...words: string[]) => Promise<Typed>;

beforeAll(() => {
  const { url, key } = desk.casting.service;
  type = typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: key });
});

async function mustType(line: string): Promise<string> {
  const { code, out, err } = await type(...wordsOf(line));
  expect(code, `${line}\n${out}${err}`).toBe(0);
  return out;
}

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
  await expect(normalised(reported.join('\n\n'))).toMatchFileSnapshot(fileOf('others'));
});

test.each(['table', 'json', 'ndjson'])(
  'events are printed as they happen, one a line: -o %s',
  async (format) => {
    const { url, key } = desk.casting.service;
    const words = [testProgram(), 'events', '--kind', 'revision', '-o', format];
    const env = { PATH: process.env.PATH, HOME: '/nonexistent', PREFIXCAST_URL: url, PREFIXCAST_KEY: key };
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => (out += part));
    try {
      // It prints what happens from when it is connected.
      await mustType(`module create events-${format} --type IP_RANGES`);
      for (let at = 0; !out.includes('\n'); at++) {
        await mustType(`entry add events-${format} 5.0.${at}.0/24`);
        await mustType('revision build --wait=built');
        await mustType(`entry remove events-${format} 5.0.${at}.0/24`);
      }
    } finally {
      child.kill('SIGINT');
    }
    expect(await ended).toEqual([0, null]);
    const [line] = out.split('\n');
    if (format === 'table') expect(line).toMatch(/^\d\d:\d\d:\d\d {2}revision {2}\d+ ready$/);
    else
      expect(JSON.parse(line!)).toMatchObject({
        kind: 'revision',
        data: { state: 'ready', number: expect.any(Number) as number },
      });
  },
);

test.each(Object.values(NOUNS))('JSON is what the API answers: $name', async ({ name, path }) => {
  const { service } = desk.casting;
  const words = ['rule', 'client'].includes(name) ? ['firewall', name] : [name];
  // What a session does meanwhile may come between the two.
  const expectSame = async (ask: () => Promise<unknown>, ...line: string[]): Promise<void> => {
    const before = await ask();
    const { out } = await type(...words, ...line, '-o', 'json');
    expect([before, await ask()]).toContainEqual(JSON.parse(out));
  };
  const listed = async () => {
    const { items } = await service.get<{ items: { id: string }[] }>(`${path}?limit=500`);
    return { items };
  };
  await expectSame(listed, 'list');
  const [first] = (await listed()).items;
  if (first !== undefined) await expectSame(() => service.get(`${path}/${first.id}`), 'get', first.id);
});

test('a wrong key, and a service that is not there', async () => {
  const { url } = desk.casting.service;
  expect(await typist({ PREFIXCAST_URL: url, PREFIXCAST_KEY: 'pc_x' })('whoami')).toMatchObject({ code: 4 });
  expect(await typist({})('whoami')).toMatchObject({ code: 78 });
});

test('a pipe gets all, --limit fewer, and a reader that goes ends it', async () => {
  const cidrs = Array.from({ length: 120 }, (_, at) => `7.${at}.0.0/24`);
  await mustType(`entry add scanners ${cidrs.join(' ')}`);
  expect((await mustType('entry list scanners -o name')).trim().split('\n')).toHaveLength(122);
  const few = await type(...wordsOf('entry list scanners --limit 3'));
  expect(few.out.trim().split('\n')).toHaveLength(4); // with titles
  expect(few.err).toBe('… and more: --limit N or --all shows them\n');
});

test('a dry run in rows has its routes there, and all else where people read', async () => {
  const words = 'entry add scanners 5.34.0.0/24 --dry-run -o';
  for (const format of ['csv', 'ndjson', 'name']) {
    const { out, err } = await type(...wordsOf(`${words} ${format}`));
    expect(out, format).toContain('5.34.0.0/24');
    expect(err, format).toMatch(/^Routes: \d+ announced, [^]*\nNothing has changed: dry run\n$/);
  }
  const { out, err } = await type(...wordsOf(`${words} json`));
  expect(JSON.parse(out)).toMatchObject({
    summary: { withdrawn: expect.any(Number) as unknown },
    speakers: expect.any(Array) as unknown,
  });
  expect(err).toBe('');
});

test('a terminal gets 50 lines of a long list, and all where that is asked for', async () => {
  const { url, key } = desk.casting.service;
  const atTerminal = async (...words: string[]): Promise<string[]> => {
    const env = { PREFIXCAST_URL: url, PREFIXCAST_KEY: key };
    const { code, text } = await terminal(env)('', 'entry', 'list', 'scanners', ...words);
    expect(code, text).toBe(0);
    return text.trim().split(/\r?\n/);
  };
  const lines = await atTerminal();
  expect(lines).toHaveLength(52); // with titles, and what there is more
  expect(lines.at(-1)).toBe('… and more: --limit N or --all shows them');
  expect(await atTerminal('--all')).toHaveLength(123);
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
  const env = { PREFIXCAST_URL: desk.casting.service.url, PREFIXCAST_KEY: desk.casting.service.key };
  return typist(env, input)('entry', 'import', 'scanners', '-', ...more);
}

test('a login keeps a key that the service has taken, under the host and the port', async () => {
  const { url, key } = desk.casting.service;
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
  // It has the key.
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  await rm(directory, { recursive: true });
});
