import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Puts a directory that is whole in the place of another one, which may not be there. Several processes may do so at once: each succeeds,
 * and the last one's stays. What is replaced is renamed before it is removed, so that the place is empty for a moment only.
 */
export function replaceDirectory(whole: string, place: string): void {
  const aside = mkdtempSync(join(dirname(whole), 'replaced-'));
  const old = (times: number): string => join(aside, `${times}`);
  try {
    for (let times = 0; ; times++) {
      try {
        renameSync(place, old(times));
      } catch (error) {
        if (codeOf(error) !== 'ENOENT') throw error;
      }
      try {
        renameSync(whole, place);
        return;
      } catch (error) {
        // Another process was quicker.
        if (codeOf(error) === 'ENOTEMPTY' || codeOf(error) === 'EEXIST') continue;
        if (existsSync(old(times))) renameSync(old(times), place);
        throw error;
      }
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
