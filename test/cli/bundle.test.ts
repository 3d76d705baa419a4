import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

/** Runs a command of the bundle, as dist/prefixcast.js does. */
const RUN = `
  const [, bundle, name, ...args] = process.argv;
  require(bundle).runPrefixCommand(name, args).then((code) => (process.exitCode = code));
`;

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
    const bundle = join(dist, 'cli/prefixes/bundle.cjs');
    return spawnSync(process.execPath, ['-e', RUN, bundle, name, ...args], { input, encoding: 'utf8' });
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
});
