import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

describe('the quick commands as one file', () => {
  let dist: string;
  beforeAll(() => {
    dist = mkdtempSync(join(tmpdir(), 'prefixcast-bundle-'));
    execFileSync(process.execPath, [join(ROOT, 'scripts/bundle-commands.ts'), dist]);
  });
  afterAll(() => rmSync(dist, { recursive: true }));

  function run(
    name: string,
    args: readonly string[],
    input: string,
  ): { status: number | null; stdout: string } {
    return spawnSync(process.execPath, [join(dist, 'prefixcast.cjs'), name, ...args], {
      input,
      encoding: 'utf8',
      maxBuffer: 2 ** 24,
    });
  }

  it.each([
    ['aggregate', ['-'], '10.0.0.0/25\n10.0.0.128/25\n2001:db8::/33\n', 0, '10.0.0.0/24\n2001:db8::/33\n'],
    ['aggregate', ['--max-prefixes', '1', '-'], '10.0.0.0/32\n10.0.0.3/32\n', 0, '10.0.0.0/30\n'],
    ['contains', ['-', '10.0.0.7'], '10.0.0.0/8\n', 0, '10.0.0.7 is in 10.0.0.0/8\n'],
    ['diff', ['-', '/dev/null'], '10.0.0.0/8\n', 1, '- 10.0.0.0/8\n'],
    ['diff', [], '', 2, ''],
  ])('does %s %j', (name, args, input, status, stdout) => {
    expect(run(name, args, input)).toMatchObject({ status, stdout });
  });

  it('writes all of a long answer before it ends, also into a pipe', () => {
    const lines = Array.from(
      { length: 100_000 },
      (_, i) => `${1 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}.1/32\n`,
    );
    const list = lines.join('');
    expect(run('aggregate', ['-'], list)).toMatchObject({ status: 0, stdout: list });
    const withdrawn = lines.map((line) => `- ${line}`).join('');
    expect(run('diff', ['-', '/dev/null'], list)).toMatchObject({ status: 1, stdout: withdrawn });
  });

  it('leaves every other command to the bundle of the service', () => {
    mkdirSync(join(dist, 'parts'));
    writeFileSync(
      join(dist, 'parts/prefixcast.cjs'),
      'console.log("modules", ...process.argv.slice(2), process.execArgv.join());',
    );
    expect(run('agent', ['--help'], '').stdout).toBe('modules agent --help \n');
    expect(run('toString', [], '').stdout).toBe('modules toString \n');
  });

  it.runIf(process.platform === 'linux')(
    'starts the service with its runtime options before it loads anything',
    () => {
      const options = '--min-semi-space-size=8,--max-semi-space-size=8';
      expect(run('start', [], '').stdout).toMatch(
        new RegExp(`^modules start ${options},--v8-pool-size=[1-4]\n$`),
      );
    },
  );
});
