import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Parcel } from '../../../src/concurrency/parcel.ts';
import { ParsePool, parseList } from '../../../src/sources/lists/parse-pool.ts';
import type { ListToRead } from '../../../src/sources/lists/read-list.ts';
import { listOf, read } from './prefix-texts.ts';

const LARGE = '45.0.0.0/24 # padding\n2600::/32\n'.repeat(20_000);
/** A search inside a search that backtracks for as long as it is let. */
const ENDLESS: Partial<ListToRead> = { jsonPath: "$[?match(@, '(a+)+b')]" };
const ENDLESS_BODY = JSON.stringify(['a'.repeat(60)]);

describe('a large list', () => {
  test('is read in a thread exactly as it would be here', async () => {
    const body = listOf(LARGE).body;
    const size = body.length;
    const answer = await parseList(listOf(body), { parseMs: 30_000 });
    expect(size).toBeGreaterThan(256 * 1024);
    expect(body.length, 'it was handed over, not copied').toBe(0);
    expect(answer).toEqual(read(LARGE));
  });

  test('that came as a parcel is read in a thread', async () => {
    const parcel = new Parcel();
    parcel.put(listOf(LARGE).body);
    const answer = await parseList({ ...listOf(''), body: parcel }, { parseMs: 30_000 });
    expect(answer).toEqual(read(LARGE));
  });

  test('that came as a parcel and is not read any more is freed', async () => {
    const parcel = new Parcel();
    parcel.put(listOf(LARGE).body);
    const { port } = parcel.send();
    const list = { ...listOf(''), body: parcel };
    await expect(parseList(list, { parseMs: 30_000, signal: AbortSignal.abort() })).rejects.toThrow();
    await once(port, 'close');
  });

  test('leaves the event loop free', async () => {
    let answered = false;
    let turns = 0;
    const parsing = parseList(listOf(LARGE.repeat(20)), { parseMs: 30_000 }).then(() => (answered = true));
    while (!answered) {
      turns++;
      await turn();
    }
    await parsing;
    expect(turns).toBeGreaterThan(10);
  });

  test('of few bytes leaves it free too, when its ranges are many prefixes', async () => {
    const range = '2001:db8::1-2001:db8:ffff:ffff:ffff:ffff:ffff:fffe\n'.repeat(1_000);
    let turns = 0;
    let answer: Awaited<ReturnType<typeof parseList>> | undefined;
    const parsing = parseList(listOf(range), { parseMs: 30_000 }).then((read) => (answer = read));
    while (answer === undefined) {
      turns++;
      await turn();
    }
    await parsing;
    expect(answer).toEqual(read(range));
    expect(turns).toBeGreaterThan(5);
  });

  test('waits for its turn when many come at once, and each gets its own answer', async () => {
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        parseList(listOf(`45.${i}.0.0/16\n`.repeat(30_000 + i)), { parseMs: 30_000 }),
      ),
    );
    expect(answers.map((answer) => answer.ok && answer.prefixes.accepted)).toEqual(
      Array.from({ length: 8 }, (_, i) => 30_000 + i),
    );
  });
});

describe('a list that takes too long', () => {
  test('is given up, and its thread with it; the next list is read all the same', async () => {
    const endless = parseList(listOf(ENDLESS_BODY, ENDLESS), { parseMs: 300 });
    await expect(endless).rejects.toMatchObject({ code: 'source_timeout' });
    await expect(parseList(listOf(LARGE), { parseMs: 30_000 })).resolves.toMatchObject({ ok: true });
  });

  test('is cancelled with its job, be it read or be it waiting', async () => {
    const jobs = Array.from({ length: 5 }, () => new AbortController());
    const parsing = jobs.map(({ signal }) =>
      parseList(listOf(ENDLESS_BODY, ENDLESS), { parseMs: 600_000, signal }).then(
        () => 'read',
        (error: unknown) => error,
      ),
    );
    const reasons = jobs.map((_, i) => new Error(`cancelled ${i}`));
    for (const i of [4, 2, 0, 1, 3]) {
      await turn();
      jobs[i]!.abort(reasons[i]);
    }
    expect(await Promise.all(parsing)).toEqual(reasons);
    await expect(parseList(listOf(LARGE), { parseMs: 30_000 })).resolves.toMatchObject({ ok: true });
  });

  test('is not begun when its job was cancelled before', async () => {
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(parseList(listOf('45.0.0.0/24'), { parseMs: 30_000, signal })).rejects.toThrow('cancelled');
  });

  test('or needs too much memory ends only its thread', async () => {
    const small = new ParsePool({ threads: 1, memoryMb: 32, idleMs: 30_000 });
    // Every object has a name of its own, which is what costs a JSON parser most.
    const names = Array.from({ length: 300_000 }, (_, i) => `{"${i.toString(36)}":1}`);
    const greedy = small.read(listOf(`[${names.join()}]`), { parseMs: 60_000 });
    await expect(greedy).rejects.toMatchObject({ code: 'source_too_large' });
    await expect(small.read(listOf('45.0.0.0/24'), { parseMs: 30_000 })).resolves.toMatchObject({ ok: true });
  });
});

test('an idle thread is ended after a while, and one is started again for the next list', async () => {
  const brief = new ParsePool({ threads: 2, memoryMb: 64, idleMs: 20 });
  for (let round = 0; round < 2; round++) {
    await expect(brief.read(listOf('45.0.0.0/24'), { parseMs: 30_000 })).resolves.toMatchObject({ ok: true });
    await expect.poll(() => brief.threads).toBe(0);
  }
});

test('an idle thread does not keep the process alive', async () => {
  const entry = new URL('../../../src/sources/lists/parse-pool.ts', import.meta.url).href;
  const program = `
    const { parseList } = await import(${JSON.stringify(entry)});
    const body = new Uint8Array(Buffer.from('45.0.0.0/24\\n'.repeat(50_000)));
    const list = { body, contentType: null, path: '/', format: 'text', jsonPath: null, csvColumn: null, bogons: 'drop' };
    const answer = await parseList(list, { parseMs: 30_000 });
    process.stdout.write(String(answer.prefixes.accepted));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
    timeout: 20_000, // less than an idle thread is kept
  });
  expect(stdout).toBe('50000');
});
