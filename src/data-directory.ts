import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes the directory and what is missing above it. Node's own `recursive` never returns where the system takes no new names and
 * calls that ENOENT, as below /proc.
 * @throws {NodeJS.ErrnoException} with the path that can't be made
 */
export function makeDataDirectory(path: string): void {
  if (isDirectory(path)) return;
  const above = dirname(path);
  if (above !== path) makeDataDirectory(above);
  mkdirSync(path);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
