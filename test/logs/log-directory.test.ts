/** Files are attacked: whatever stands in the directory, and whatever is swapped in, only plain files of their names are touched. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogDirectory } from '../../src/logs/log-directory.ts';
import { lineFilter } from '../../src/logs/log-lines.ts';
import { tailLog } from '../../src/logs/tail-log.ts';

const GIBIBYTE = 1024 ** 3;
const everything = lineFilter({ tenantId: null });

let root: string;
let path: string;
let logs: LogDirectory;
const at = (name: string): string => join(path, name);
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'prefixcast-logs-'));
  path = join(root, 'volume');
  mkdirSync(path);
  logs = new LogDirectory(path);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function tail(name: string, lines = 200, bytes = 256 * 1024) {
  const open = await logs.open(name);
  try {
    const { lines: kept, ...tail } = await tailLog(open, { lines, bytes, filter: everything });
    return { ...tail, lines: [...kept] };
  } finally {
    await open.handle.close();
  }
}

describe('what is no plain file of its name does not exist', () => {
  const secret = (): string => join(root, 'secret');
  const planted: Readonly<Record<string, (file: string) => void>> = {
    'a link to a file outside': (file) => symlinkSync(secret(), file),
    'a link to a log beside it': (file) => symlinkSync(at('good.log'), file),
    'a link that leads nowhere': (file) => symlinkSync(join(root, 'nothing'), file),
    'a second name of a file outside': (file) => linkSync(secret(), file),
    'a FIFO': (file) => void execFileSync('mkfifo', [file]),
    'a directory': (file) => mkdirSync(file),
  };

  test.each(Object.keys(planted))('%s', async (what) => {
    writeFileSync(secret(), 'hunter2\n');
    writeFileSync(at('good.log'), 'good\n');
    planted[what]!(at('bad.log'));
    expect((await logs.list()).map(({ name }) => name)).toEqual(['good.log']);
    for (const access of [constants.O_RDONLY, constants.O_WRONLY])
      await expect(logs.open('bad.log', access)).rejects.toMatchObject({ code: 'not_found' });
    expect(readFileSync(secret(), 'utf8')).toBe('hunter2\n');
  });

  test.each([
    ...[
      '../secret.log',
      '/etc/passwd',
      'a/b.log',
      '.hidden.log',
      '-rf.log',
      'Upper.log',
      'a.log.1',
      'log',
      '.log',
      '',
    ],
    ...['a.log\n', 'a\0.log', 'ä.log', 'a b.log', `${'a'.repeat(300)}.log`],
  ])('the name %j', async (name) => {
    await expect(logs.open(name)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a file that is swapped after it was opened', () => {
  test('its descriptor is read and emptied, not what has its name by then', async () => {
    writeFileSync(join(root, 'secret'), 'hunter2\n');
    writeFileSync(at('a.log'), 'mine\n');
    const open = await logs.open('a.log', constants.O_RDWR);
    renameSync(at('a.log'), at('b.log'));
    symlinkSync(join(root, 'secret'), at('a.log'));
    const { lines } = await tailLog(open, { lines: 9, bytes: 99, filter: everything });
    expect([...lines]).toEqual(['mine']);
    await logs.truncate(open);
    await open.handle.close();
    expect(statSync(at('b.log')).size).toBe(0);
    expect(readFileSync(join(root, 'secret'), 'utf8')).toBe('hunter2\n');
  });

  test.each(['link', 'FIFO', 'directory', 'other file'])('not removed in its place: %s', async (what) => {
    writeFileSync(join(root, 'secret'), 'hunter2\n');
    writeFileSync(at('a.log'), 'mine\n');
    const open = await logs.open('a.log');
    unlinkSync(at('a.log'));
    if (what === 'link') symlinkSync(join(root, 'secret'), at('a.log'));
    if (what === 'FIFO') execFileSync('mkfifo', [at('a.log')]);
    if (what === 'directory') mkdirSync(at('a.log'));
    if (what === 'other file') writeFileSync(at('a.log'), 'other\n');
    await expect(logs.delete(open)).rejects.toMatchObject({ code: 'not_found' });
    await open.handle.close();
    expect(existsSync(at('a.log'))).toBe(true);
    expect(readFileSync(join(root, 'secret'), 'utf8')).toBe('hunter2\n');
  });

  test('links and FIFOs that come and go while files are read never show anything else', async () => {
    writeFileSync(join(root, 'secret'), 'hunter2\n');
    const swap = (n: number): void => {
      rmSync(at('a.log'), { force: true });
      if (n % 3 === 0) writeFileSync(at('a.log'), 'mine\n');
      if (n % 3 === 1) symlinkSync(join(root, 'secret'), at('a.log'));
      if (n % 3 === 2) execFileSync('mkfifo', [at('a.log')]);
    };
    const seen = new Set<string>();
    for (let n = 0; n < 60; n++) {
      swap(n);
      const reading = tail('a.log').then(
        ({ lines }) => lines.join(),
        (error: { code: string }) => error.code,
      );
      swap(n + 1);
      seen.add(await reading);
    }
    expect([...seen].filter((text) => !['mine', 'not_found', ''].includes(text))).toEqual([]);
  });
});

test('3 GiB of a sparse file cost what their tail costs, and NUL bytes are no lines', async () => {
  writeFileSync(at('big.log'), '');
  truncateSync(at('big.log'), 3 * GIBIBYTE);
  appendFileSync(at('big.log'), 'after the hole\nlast\n');
  expect(await tail('big.log')).toMatchObject({ lines: ['after the hole', 'last'], truncated: true });
  const open = await logs.open('big.log', constants.O_WRONLY);
  expect(open.size).toBe(3 * GIBIBYTE + 20);
  await logs.truncate(open);
  await open.handle.close();
  expect(statSync(at('big.log')).size).toBe(0);
});

test.each([
  ['', 9, [], false],
  ['a\nb\nc\n', 6, ['a', 'b', 'c'], false],
  ['a\r\nno end', 9, ['a', 'no end'], false],
  ['0123456789\nab\ncd\n', 9, ['ab', 'cd'], true],
  // Exactly with a line, and in the middle of a character.
  ['x\n0123456\nab\n', 11, ['0123456', 'ab'], true],
  ['one line longer than the window', 9, ['he window'], true],
  ['aaaaaaaa€€€', 8, ['€€'], true],
])('%j from its last %i bytes on', async (text, bytes, lines, truncated) => {
  writeFileSync(at('a.log'), text);
  expect(await tail('a.log', 200, bytes)).toMatchObject({ lines, truncated });
});

test('10,000 files are listed', async () => {
  for (let n = 0; n < 10_000; n++) writeFileSync(at(`n${n}.log`), 'x');
  expect(await logs.list()).toHaveLength(10_000);
});

test('a volume that is away is reported, and is served again when it is back', async () => {
  writeFileSync(at('a.log'), 'x\n');
  renameSync(path, `${path}.away`);
  await expect(logs.list()).rejects.toMatchObject({ code: 'runtime_logs_unavailable' });
  await expect(logs.open('a.log')).rejects.toMatchObject({ code: 'runtime_logs_unavailable' });
  renameSync(`${path}.away`, path);
  expect((await tail('a.log')).lines).toEqual(['x']);
});

test('large readings run one at a time, and tenants take turns', async () => {
  const begun: string[] = [];
  let running = 0;
  const read = (tenantId: string, name: string) =>
    logs.inTurn(tenantId, async () => {
      begun.push(name);
      expect(++running).toBe(1);
      await tail('a.log').catch(() => undefined);
      running -= 1;
    });
  await Promise.all([read('a', 'a1'), read('a', 'a2'), read('a', 'a3'), read('b', 'b1')]);
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

describe('filters', () => {
  const line = (members: object): string => JSON.stringify(members);
  const tenant = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77';

  test('all texts must be in the line as they are', () => {
    const filter = lineFilter({ grep: ['a.*b', '(['], tenantId: null });
    expect([filter('x a.*b ([ y'), filter('a.*b'), filter('a--b ([')]).toEqual([true, false, false]);
  });

  test('a tenant sees lines that carry its id as their own, not those that mention it', () => {
    const filter = lineFilter({ tenantId: tenant });
    expect(filter(line({ tenant_id: tenant }))).toBe(true);
    expect(filter(line({ tenant_id: 'another', path: `/x?"tenant_id":"${tenant}"` }))).toBe(false);
    expect(filter(line({ msg: `"tenant_id":"${tenant}"` }))).toBe(false);
    expect(filter(line({ inner: { tenant_id: tenant } }))).toBe(false);
    // Causes tell of the machine.
    expect(filter(line({ tenant_id: tenant, err: { message: 'connect ECONNREFUSED 10.0.0.5:5432' } }))).toBe(
      false,
    );
    expect(filter(`tenant_id ${tenant}`)).toBe(false);
    expect(filter(`{"tenant_id":"${tenant}"`)).toBe(false);
  });

  test('level and since look at JSON lines', () => {
    const lines = [
      line({ level: 30, time: '2026-11-23T10:00:00.000Z' }),
      line({ level: 40, time: '2026-11-23T11:00:00.000Z' }),
      line({ level: 'error', time: Date.parse('2026-11-23T12:00:00Z') }),
      'plain text',
      '{broken',
    ];
    const shown = (query: object): number[] => {
      const filter = lineFilter({ tenantId: null, ...query });
      return lines.flatMap((text, index) => (filter(text) ? [index] : []));
    };
    expect(shown({ level: 'warn' })).toEqual([1, 2]);
    expect(shown({ since: '2026-11-23T12:00:00+01:00' })).toEqual([1, 2]);
    expect(shown({ level: 'error', since: '2026-11-23T00:00:00Z' })).toEqual([2]);
  });
});
