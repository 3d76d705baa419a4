// What continuous integration reads: the closing line of .ci/run and of the reporter behind it.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'prefixcast-ci-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)!;
}

describe('the reporter', () => {
  const report = (tests: string): { status: number | null; output: string } => {
    writeFileSync(join(directory, 'one.test.js'), tests);
    const args = ['run', '--globals', '--root', directory];
    const reporters = ['--reporter=default', `--reporter=${join(root, 'scripts/ci-reporter.ts')}`];
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [vitest, ...args, ...reporters], {
      encoding: 'utf8',
      cwd: directory,
      env: { PATH: process.env.PATH, NO_COLOR: '1' },
    });
    return { status, output: stdout + stderr };
  };

  it('closes a good run with its numbers', () => {
    const { status, output } = report("it('a', () => {}); it('b', () => {});");
    expect(lastLine(output)).toBe('2 passed, 0 failed');
    expect(output).toMatch(/The slowest files:\n +\d+\.\d s {2}one\.test\.js\n/);
    expect(status).toBe(0);
  });

  it('counts what failed, and names it', () => {
    const { status, output } = report("it('a', () => {}); it('b', () => { throw new Error('no\\nmore'); });");
    expect(output).toContain('\nWhat failed:\n  one.test.js > b: no\n\n');
    expect(output).toMatch(/^1 passed, 1 failed$/m);
    expect(status).toBe(1);
  });

  it('counts a skipped test as failed, and names it', () => {
    const { status, output } = report("it('a', () => {}); it.skip('left out', () => {});");
    expect(output).toContain('one.test.js > left out');
    expect(lastLine(output)).toBe('1 passed, 1 failed');
    expect(status).toBe(1);
  });

  it('counts a file that does not load', () => {
    const { status, output } = report("throw new Error('no');");
    expect(output).toContain('\nWhat failed:\n  one.test.js: no\n\n0 passed, 1 failed\n');
    expect(status).toBe(1);
  });
});

describe('.ci/run', () => {
  const ciRun = (
    test: string,
    more: { limit?: string; long?: string; part?: string } = {},
  ): { status: number | null; stdout: string } => {
    mkdirSync(join(directory, '.ci'));
    cpSync(join(root, '.ci/run'), join(directory, '.ci/run'));
    const scripts = { test, ...(more.long === undefined ? {} : { 'test:long': more.long }) };
    writeFileSync(join(directory, 'package.json'), JSON.stringify({ scripts }));
    const env = { ...process.env, CI_TIME_LIMIT: more.limit ?? '60', CI_PART: more.part ?? '' };
    return spawnSync(join(directory, '.ci/run'), { encoding: 'utf8', cwd: tmpdir(), env });
  };

  it('repeats the closing line at the very end, with CI=true', () => {
    const { status, stdout } = ciRun('echo "CI is $CI"; echo "7 passed, 0 failed"; echo more');
    expect(stdout).toContain('CI is true');
    expect(lastLine(stdout)).toBe('7 passed, 0 failed');
    expect(status).toBe(0);
  });

  it('fails with the test command', () => {
    const { status, stdout } = ciRun('echo "6 passed, 1 failed"; exit 1');
    expect(lastLine(stdout)).toBe('6 passed, 1 failed');
    expect(status).toBe(1);
  });

  it('adds up the tests and a part of the long ones, whichever of them fail', () => {
    for (const [test, long, status] of [
      ['true', 'true', 0],
      ['exit 3', 'true', 3],
      ['true', 'exit 4', 4],
    ]) {
      const ran = ciRun(`echo "7 passed, 1 failed"; ${test}`, {
        long: `echo "2 passed, 3 failed"; ${long};: `,
        part: '2',
      });
      expect(ran.stdout).toContain('--shard=2/4');
      expect(lastLine(ran.stdout)).toBe('9 passed, 4 failed');
      expect(ran.status).toBe(status);
      rmSync(join(directory, '.ci'), { recursive: true });
    }
    const cutOff = ciRun('echo "7 passed, 0 failed"', { long: 'true' });
    expect(lastLine(cutOff.stdout)).toBe('7 passed, 1 failed');
    expect(cutOff.status).toBe(1);
  });

  it('names what failed once more at its end', () => {
    const failing = (name: string): string =>
      `printf 'What failed:\\n  ${name}: no\\n\\n0 passed, 1 failed\\n'; for i in 1 2 3; do echo more; done; exit 1;: `;
    const { stdout } = ciRun(failing('a'), { long: failing('b'), part: '1' });
    expect(stdout).toMatch(/more\n\nWhat failed:\n {2}a: no\n {2}b: no\n\n0 passed, 2 failed\n$/);
  });

  it('ends tests that never end, and waits for nothing that they left behind', () => {
    const { status, stdout } = ciRun('sleep 50 & echo begun; while :; do sleep 1; done', { limit: '10' });
    expect(stdout).toContain('begun');
    expect(lastLine(stdout)).toBe('0 passed, 1 failed');
    expect(status).toBe(124);
    rmSync(join(directory, '.ci'), { recursive: true });
    const leaving = ciRun('setsid sleep 50 & echo "1 passed, 0 failed"');
    expect(lastLine(leaving.stdout)).toBe('1 passed, 0 failed');
    expect(leaving.status).toBe(0);
  });

  it('fails when the run ended before the tests', () => {
    for (const [test, expected] of [
      ['exit 3', 3],
      ['true', 1],
    ] as const) {
      const { status, stdout } = ciRun(test);
      expect(lastLine(stdout)).toBe('0 passed, 1 failed');
      expect(status).toBe(expected);
      rmSync(join(directory, '.ci'), { recursive: true });
    }
  });
});
