/** `scripts/steady.ts` runs files in rounds, keeps what came of them in its ledger, and goes on where it stopped. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SteadyLedger } from '../../scripts/steady-ledger.ts';
import { roundsOf, runsOf, type Round } from '../../scripts/steady-runs.ts';
import { waitFor } from '../daemons/wait.ts';

const ROOT = join(import.meta.dirname, '../..');
/** A quick file of the suite, which has no reason to fail. */
const QUICK = 'test/scripts/longest-first.test.ts';
const ALSO_QUICK = 'test/scripts/needs.test.ts';

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'steady-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

async function steady(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/steady.ts', ...args], {
    cwd: ROOT,
  });
  return stdout;
}

describe('the ledger', () => {
  it('has the rounds of a file, none of which failed, while its text is the same', () => {
    const file = join(directory, 'some.test.ts');
    writeFileSync(file, '// first');
    const ledger = new SteadyLedger(join(directory, 'rows.tsv'), directory);
    expect(ledger.passed('some.test.ts')).toBe(0);
    ledger.note('some.test.ts', 20, 20, 'c0ffee00');
    expect(ledger.passed('some.test.ts')).toBe(20);
    writeFileSync(file, '// second');
    expect(ledger.passed('some.test.ts')).toBe(0);
    ledger.note('some.test.ts', 19, 20, 'c0ffee01');
    expect(ledger.passed('some.test.ts')).toBe(0);
    expect(ledger.rows()).toMatchObject([
      { file: 'some.test.ts', passed: 19, rounds: 20, commit: 'c0ffee01' },
    ]);
  });

  it('has one row a file, sorted, whatever the order of the runs', () => {
    for (const file of ['b.test.ts', 'a.test.ts']) writeFileSync(join(directory, file), file);
    const ledger = new SteadyLedger(join(directory, 'sorted.tsv'), directory);
    for (const file of ['b.test.ts', 'a.test.ts', 'b.test.ts']) ledger.note(file, 2, 2, 'c0ffee00');
    expect(ledger.rows().map(({ file }) => file)).toEqual(['a.test.ts', 'b.test.ts']);
  });
});

describe('a run of vitest', () => {
  it('has files of one configuration that share processes, so many at most', () => {
    const shared = new Set(['a.test.ts', 'b.test.ts', 'c.long.test.ts', 'd.test.ts', 'e.long.test.ts']);
    expect(runsOf(['x.test.ts', ...shared, 'y.test.ts'], { shared, together: 2 })).toEqual([
      ['x.test.ts'],
      ['a.test.ts', 'b.test.ts'],
      ['c.long.test.ts', 'e.long.test.ts'],
      ['d.test.ts'],
      ['y.test.ts'],
    ]);
    expect(runsOf([...shared], { shared, together: 1 })).toHaveLength(5);
    const before = new Map([['a.test.ts', 3]]);
    expect(runsOf(['a.test.ts', 'b.test.ts', 'd.test.ts'], { shared, together: 3, before })).toEqual([
      ['a.test.ts'],
      ['b.test.ts', 'd.test.ts'],
    ]);
  });

  it('blames the files that failed or were not run, and all where vitest itself ends', async () => {
    const log = join(directory, 'processes.txt');
    const noteProcess = `require('node:fs').appendFileSync('${log}', process.pid + ' ' + process.env.SEED + '\\n')`;
    const bodies = {
      well: noteProcess,
      ill: "if (process.env.SEED !== '3') throw new Error('ill')",
      killer: "if (process.env.SEED === '2') process.kill(process.ppid, 'SIGKILL')",
    };
    for (const [name, body] of Object.entries(bodies))
      writeFileSync(join(directory, `${name}.test.ts`), `test('a', () => { ${body}; });`);
    const shared = '{ test: { globals: true, isolate: false, maxWorkers: 1 } }';
    writeFileSync(join(directory, 'vitest.some.config.mjs'), `export default ${shared};`);
    const run = { root: directory, config: 'vitest.some.config.mjs', seeds: [1, 2, 3, 4] };
    const files = ['well.test.ts', 'ill.test.ts', 'killer.test.ts', 'gone.test.ts'];
    const rounds: Round[] = [];
    for await (const round of roundsOf({ ...run, files })) rounds.push(round);
    const failed = ['ill.test.ts', 'gone.test.ts'];
    expect(rounds).toMatchObject([
      { seed: 1, failed, output: expect.stringContaining('Error: ill') as string },
      { seed: 2, failed: files, output: expect.stringContaining('vitest ended with SIGKILL') as string },
      { seed: 3, failed: ['gone.test.ts'] },
      { seed: 4, failed },
    ]);
    for await (const { failed: none, output } of roundsOf({ ...run, files: ['well.test.ts'] }))
      expect({ none, output }).toEqual({ none: [], output: '' });
    const processes = readFileSync(log, 'utf8').trimEnd().split('\n');
    // In the second round, the killer may have come first.
    const seeds = processes.map((line) => line.split(' ')[1]);
    expect(seeds.filter((seed) => seed !== '2')).toEqual([...'134', ...'134']);
    expect(new Set(processes.map((line) => line.split(' ')[0])).size).toBe(processes.length);
  });
});

describe('steady', () => {
  it('notes what it ran, leaves that out with --resume, and goes on where the rounds are too few', async () => {
    const path = join(directory, 'run.tsv');
    expect(await steady('--ledger', path, '--rounds', '1', QUICK)).toBe(`${QUICK}: 1 of 1 rounds passed\n`);
    expect(await steady('--ledger', path, '--rounds', '1', '--resume', QUICK)).toBe(
      '1 of 1 files are in the ledger\n',
    );
    expect(await steady('--ledger', path, '--rounds', '2', '--resume', QUICK)).toBe(
      `${QUICK}: 2 of 2 rounds passed\n`,
    );
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
  });

  it('notes each round, so that a run that is killed loses none', async () => {
    const path = join(directory, 'killed.tsv');
    const ledger = new SteadyLedger(path, ROOT);
    const options = ['--ledger', path, '--busy', '0', '--resume'];
    const many = ['scripts/steady.ts', ...options, '--rounds', '5000', QUICK];
    const killed = spawn(process.execPath, many, { cwd: ROOT, stdio: 'ignore' });
    const end = once(killed, 'close');
    await waitFor(() => ledger.passed(QUICK) > 1, { what: 'the second round' });
    killed.kill('SIGKILL');
    await end;
    const passed = ledger.passed(QUICK);
    // From the first round, it would take an hour.
    ledger.note(QUICK, passed + 10_000, passed + 10_000, 'c0ffee00');
    const rounds = String(passed + 10_001);
    expect(await steady(...options, '--rounds', rounds, QUICK)).toBe(
      `${QUICK}: ${rounds} of ${rounds} rounds passed\n`,
    );
    expect(ledger.passed(QUICK)).toBe(Number(rounds));
  });

  it('puts several files into one run, each with its row', async () => {
    const path = join(directory, 'together.tsv');
    const options = ['--ledger', path, '--rounds', '1', '--together', '2', '--busy', '0'];
    expect(await steady(...options, QUICK, ALSO_QUICK)).toBe(
      `${QUICK}: 1 of 1 rounds passed\n${ALSO_QUICK}: 1 of 1 rounds passed\n`,
    );
    expect(new SteadyLedger(path, ROOT).rows()).toHaveLength(2);
  });

  it('ends with 1 where a round fails, and names its seed and how to repeat it', async () => {
    // No test at all is what vitest fails for.
    const path = join(directory, 'failed.tsv');
    await expect(steady('--ledger', path, '--rounds', '1', 'test/needs.ts')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /test\/needs\.ts: 0 of 1 rounds passed\n\nNot steady:\n {2}SEED=\d+ npx vitest run test\/needs\.ts\n$/,
      ) as string,
    });
    expect(new SteadyLedger(path, ROOT).passed('test/needs.ts')).toBe(0);
  });

  it('ends with 2 for a number or a file that is none', async () => {
    const few = steady('--rounds', 'few', QUICK);
    const message = 'steady: --rounds is to be a number from 1, not few.\n';
    await expect(few).rejects.toMatchObject({ code: 2, stderr: message });
    const less = { code: 2, stderr: 'steady: --busy is to be a number from 0, not -1.\n' };
    await expect(steady('--busy=-1', QUICK)).rejects.toMatchObject(less);
    const none = steady('test/scripts/none.test.ts');
    await expect(none).rejects.toMatchObject({
      code: 2,
      stderr: 'steady: there is no test/scripts/none.test.ts.\n',
    });
  });
});
