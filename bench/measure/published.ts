/** What is published, compiled JavaScript: stripping types would take part of the time, and of the memory. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');

export const COMMAND = join(ROOT, 'dist/prefixcast.cjs');

export function buildPublished(): void {
  execFileSync('npm', ['run', 'build', '--silent'], { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
}
