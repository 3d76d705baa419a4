/** Files of the log directory are attacked over the API, by another process that swaps, grows and takes them away while they are asked for. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { startService, type Answered, type Body, type TestService } from '../service.ts';

const LOGS = '/v1/runtime-logs';
const GIBIBYTE = 1024 ** 3;
const SECRET = 'hunter2';

let service: TestService;
let key: string;
let children: ChildProcess[] = [];
const at = (name: string): string => join(service.logs, name);
const call = (method: string, path: string): Promise<Answered> => service.call(method, LOGS + path, { key });
beforeAll(async () => {
  service = await startService();
  key = service.tenant.keys.super_admin;
});
afterAll(() => service?.close());
beforeEach(() => {
  // The service's own table of holders lies there as well.
  for (const name of readdirSync(service.logs))
    if (name.endsWith('.log')) rmSync(at(name), { recursive: true });
});
afterEach(async () => {
  for (const child of children) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  children = [];
});

/** A process of its own that does this in the directory, and says so once it is at work. */
async function beside(script: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['-e', `const fs = require('node:fs');${script}`], {
    cwd: service.logs,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout, 'data');
  return child;
}

test('links, FIFOs, directories and other names that are swapped in while files are read, emptied and removed never show or touch anything else', async () => {
  const outside = join(service.logs, 'outside');
  mkdirSync(outside);
  const secret = join(outside, 'secret');
  writeFileSync(secret, `${SECRET}\n`);
  execFileSync('mkfifo', [join(outside, 'fifo')]);
  const before = statSync(secret);
  // Each takes the name at one stroke, so that there is never nothing between two.
  const swapper = await beside(`
    const ways = [
      () => fs.writeFileSync('next', 'mine\\n'),
      () => fs.symlinkSync('outside/secret', 'next'),
      () => fs.writeFileSync('next', 'mine\\n'),
      () => fs.linkSync('outside/fifo', 'next'),
      () => fs.symlinkSync('outside/fifo', 'next'),
      () => fs.symlinkSync('outside', 'next'),
    ];
    let turns = 0;
    const turn = () => {
      for (let n = 0; n < 50; n++) {
        ways[turns++ % ways.length]();
        fs.renameSync('next', 'a.log');
      }
      if (turns === 50) console.log('begun');
      setImmediate(turn);
    };
    turn();
  `);
  const statuses = new Set<string>();
  const set = (body: object) => service.call('PATCH', '/v1/settings', { key, body });
  await set({ runtime_logs_max_file_bytes: 1, runtime_logs_auto_mode: 'delete' });
  const ways: (readonly [string, string])[] = [
    ['GET', '/files/a.log'],
    ['GET', '/files'],
    ['DELETE', '/files/a.log'],
    ['DELETE', '/files/a.log?mode=delete'],
    ['POST', '/auto-run'],
  ];
  const file = '/files/a.log';
  const allowed = [
    ...[200, 404].map((status) => `GET ${file} ${status}`),
    ...[204, 404].flatMap((status) => [`DELETE ${file} ${status}`, `DELETE ${file}?mode=delete ${status}`]),
    ...['GET /files 200', 'POST /auto-run 200'],
  ];
  const metBoth = (): boolean =>
    [`GET ${file} 200`, `GET ${file} 404`, `DELETE ${file} 204`, `DELETE ${file} 404`].every((status) =>
      statuses.has(status),
    );
  for (let round = 0; round < 60 || (!metBoth() && round < 1_000); round++)
    for (const [n, answer] of (await Promise.all(ways.map((way) => call(...way)))).entries()) {
      const [method, path] = ways[n]!;
      expect(answer.text, `${method} ${path}`).not.toContain(SECRET);
      if (path === file && method === 'GET' && answer.status === 200)
        expect([[], ['mine']]).toContainEqual(answer.body.lines);
      for (const file of (answer.body?.items ?? []) as Body[]) expect([0, 5]).toContain(file.size);
      statuses.add(`${method} ${path} ${answer.status}`);
    }
  await set({ runtime_logs_max_file_bytes: null, runtime_logs_auto_mode: null });
  for (const status of statuses) expect(allowed).toContain(status);
  // The swaps were met from both sides.
  expect(metBoth()).toBe(true);
  swapper.kill('SIGKILL');
  await once(swapper, 'exit');
  const { size, ino, mtimeMs } = statSync(secret);
  expect({ size, ino, mtimeMs }).toEqual({ size: before.size, ino: before.ino, mtimeMs: before.mtimeMs });
  expect(readFileSync(secret, 'utf8')).toBe(`${SECRET}\n`);
  rmSync(outside, { recursive: true });
  rmSync(at('next'), { force: true });
});

test('names with everything are not listed, and the longest that a file may have is served', async () => {
  const longest = `${'a'.repeat(251)}.log`;
  for (const name of [
    ...['a\n.log', ' a.log', 'a b.log', '$(id).log', '-rf.log', '.log', '.a.log', 'A.log', 'a.LOG', 'ä.log'],
    ...['a.log.', 'a.log\t', "a'.log", 'a".log', 'a*.log', 'a\\.log', 'a%2f.log', '\u202ea.log', 'a.log.1'],
  ])
    writeFileSync(at(name), `${SECRET}\n`);
  writeFileSync(Buffer.from(`${service.logs}/a\xff.log`, 'latin1'), `${SECRET}\n`);
  for (const name of ['a..log', '0-_.log', longest]) writeFileSync(at(name), 'good\n');
  const { body } = await call('GET', '/files');
  expect((body.items as Body[]).map(({ name }) => name)).toEqual(['0-_.log', 'a..log', longest]);
  for (const name of ['a..log', longest]) {
    expect((await call('GET', `/files/${name}`)).body.lines).toEqual(['good']);
    expect((await call('DELETE', `/files/${name}?mode=delete`)).status).toBe(204);
  }
  expect((await call('GET', '/files')).body.items).toMatchObject([{ name: '0-_.log' }]);
  for (const name of readdirSync(service.logs, { encoding: 'buffer' }))
    if (name.includes('log')) rmSync(Buffer.concat([Buffer.from(`${service.logs}/`), name]));
});

test('3 GiB of a sparse file cost what their tail costs, also when it is followed', async () => {
  writeFileSync(at('a.log'), '');
  truncateSync(at('a.log'), 3 * GIBIBYTE);
  appendFileSync(at('a.log'), 'after the hole\nlast\n');
  /** Octets that this process has read so far, the service among it. */
  const read = (): number => Number(/^rchar: (\d+)/m.exec(readFileSync('/proc/self/io', 'utf8'))![1]);
  const before = read();
  expect((await call('GET', '/files/a.log?lines=1')).body).toMatchObject({
    ...{ size: 3 * GIBIBYTE + 20, lines: ['last'], truncated: true },
  });
  // NUL octets are no lines, and do not go back for more.
  expect((await call('GET', '/files/a.log?lines=10000&bytes=4194304')).body.lines).toEqual([
    ...['after the hole', 'last'],
  ]);
  const stream = follow('a.log');
  await stream.has('last');
  appendFileSync(at('a.log'), 'new\n');
  await stream.has('new');
  await stream.end();
  expect(stream.lines()).toEqual(['after the hole', 'last', 'new']);
  expect(read() - before).toBeLessThan(16 * 1024 * 1024);
});

test('10,000 files: pages have each once and in order, and the cleanup evaluates and removes all', async () => {
  const names = Array.from({ length: 10_000 }, (_, n) => `n${String(n).padStart(5, '0')}.log`);
  for (const name of names) writeFileSync(at(name), 'xx');
  const seen: unknown[] = [];
  for (let path: string | null = '/files?limit=500'; path !== null;) {
    const { body }: Answered = await call('GET', path);
    seen.push(...(body.items as Body[]).map(({ name }) => name));
    path = body.has_more === true ? `/files?limit=500&cursor=${String(body.next_cursor)}` : null;
  }
  expect(seen).toEqual(names);
  const body = { runtime_logs_max_file_bytes: 1, runtime_logs_auto_mode: 'delete' };
  await service.call('PATCH', '/v1/settings', { key, body });
  const estimate = (await call('GET', '/auto-estimate')).body;
  expect(estimate).toMatchObject({ total_bytes: 20_000, freed_bytes: 20_000 });
  const run = (await call('POST', '/auto-run')).body;
  expect(run).toEqual({ ...estimate, dry_run: false });
  expect((await call('GET', '/files')).body.items).toEqual([]);
  await service.call('PATCH', '/v1/settings', {
    ...{ key, body: { runtime_logs_max_file_bytes: null, runtime_logs_auto_mode: null } },
  });
});

describe('a file that is followed', () => {
  test('grows meanwhile and is rotated again and again: every line comes once and in order', async () => {
    writeFileSync(at('a.log'), '');
    const stream = follow('a.log');
    await stream.has('retry');
    // As logrotate does it: renamed, and soon after made again by its writer. It goes on once the line was seen, as the log of a day does.
    const rounds = 6;
    const perRound = 4_000;
    for (let round = 0; round < rounds; round++) {
      const writer = await beside(`
        console.log('begun');
        for (let n = 0; n < ${perRound}; n++) {
          const text = 'line ${round} ' + n + ' €';
          fs.appendFileSync('a.log', text.slice(0, 9));
          fs.appendFileSync('a.log', text.slice(9) + '\\n');
        }
        fs.renameSync('a.log', 'a.${round}.log');
        fs.writeFileSync('a.log', '');
      `);
      if (writer.exitCode === null) await once(writer, 'exit');
      expect(writer.exitCode).toBe(0);
      await waitFor(() => stream.events('rotated') === round + 1, { what: 'the rotation' });
    }
    await stream.end();
    const wanted = Array.from({ length: rounds }, (_, round) =>
      Array.from({ length: perRound }, (__, n) => `line ${round} ${n} €`),
    ).flat();
    expect(stream.lines()).toEqual(wanted);
    expect(stream.events('truncated')).toBe(0);
  });

  test('goes on when its volume vanished and is back; the other routes say 503 meanwhile', async () => {
    writeFileSync(at('a.log'), 'one\n');
    const stream = follow('a.log');
    await stream.has('one');
    const away = `${service.logs}.away`;
    renameSync(service.logs, away);
    try {
      for (const [method, path] of [
        ['GET', '/files'],
        ['GET', '/files/a.log'],
        ['GET', '/files/a.log?follow=true'],
        ['DELETE', '/files/a.log'],
        ['DELETE', '/files/a.log?mode=delete'],
        ['GET', '/auto-estimate'],
        ['POST', '/auto-run'],
      ] as const) {
        const { status, body } = await call(method, path);
        expect({ path, status, code: body.code }).toEqual({
          ...{ path, status: 503, code: 'runtime_logs_unavailable' },
        });
      }
      expect((await call('GET', '/cleanup-audit')).status).toBe(200);
    } finally {
      renameSync(away, service.logs);
    }
    expect((await call('GET', '/files/a.log')).body.lines).toEqual(['one']);
    appendFileSync(at('a.log'), 'two\n');
    await stream.has('two');
    await stream.end();
    expect(stream.lines()).toEqual(['one', 'two']);
  });
});

/** Reads a stream until its end is asked for. */
function follow(name: string) {
  const abort = new AbortController();
  const seen: string[] = [];
  const ended = fetch(`${service.url}${LOGS}/files/${name}?follow=true`, {
    headers: { authorization: `Bearer ${key}` },
    signal: abort.signal,
  })
    .then(async (answer) => {
      let text = '';
      for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
        const events = (text + chunk).split('\n\n');
        text = events.pop()!;
        seen.push(...events);
      }
    })
    .catch(() => undefined);
  const LINE = 'event: line\ndata: ';
  return {
    has: (what: string): Promise<unknown> =>
      waitFor(() => seen.some((event) => event.includes(what)), { what }),
    events: (event: string): number => seen.filter((one) => one.startsWith(`event: ${event}\n`)).length,
    lines: (): string[] =>
      seen.flatMap((one) =>
        one.startsWith(LINE) ? [(JSON.parse(one.slice(LINE.length)) as { line: string }).line] : [],
      ),
    end: (): Promise<void> => {
      abort.abort();
      return ended;
    },
  };
}
