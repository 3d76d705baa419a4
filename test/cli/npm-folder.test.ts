/** Names of files are those of whoever typed them, although npm runs its scripts in the folder of the package. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');

test('a file of the current folder is found under npm', () => {
  const directory = mkdtempSync(join(tmpdir(), 'prefixcast-folder-'));
  try {
    writeFileSync(join(directory, 'mine.txt'), '8.8.8.0/25\n8.8.8.128/25\n');
    const words = ['--prefix', ROOT, 'run', '--silent', 'prefixcast', '--', 'aggregate', 'mine.txt'];
    // As a shell has it, and not the npm that runs this test.
    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    expect(execFileSync('npm', words, { cwd: directory, env, encoding: 'utf8' })).toBe('8.8.8.0/24\n');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
