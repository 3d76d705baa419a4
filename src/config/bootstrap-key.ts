import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Name of the file with the first key, in the data directory. */
export const BOOTSTRAP_KEY = 'bootstrap-key';

/** Where the first key lies for the person who starts the service: `<data dir>/bootstrap-key`, mode 0600. */
export function bootstrapKeyPath(dataDir: string): string {
  return join(dataDir, BOOTSTRAP_KEY);
}

/** The key in the file; null where that is missing, or not for this user. */
export function readBootstrapKey(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
