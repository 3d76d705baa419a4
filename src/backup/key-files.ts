/** The keys beside the data, and what a restore does with them. */
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOOTSTRAP_KEY, bootstrapKeyPath } from '../config/bootstrap-key.ts';
import { readSecretKey } from '../store/secrets.ts';
import { ArchiveError } from './archive.ts';
import { fingerprintOf, type Keys, type OpenedKeys } from './keys.ts';

const SECRET_KEY = 'secret-key';

/** Where this service keeps its keys. */
export interface KeyPlace {
  readonly dataDir: string;
  /** `APP_SECRET_KEY`; null: the key of the data directory. */
  readonly configured: Buffer | null;
}

/**
 * @returns null where the service has no key here
 * @throws {SecretError} when the file is damaged
 */
export function readKeys({ dataDir, configured }: KeyPlace): Keys | null {
  const secretKey = configured ?? readSecretKey(dataDir);
  if (secretKey === null) return null;
  return {
    secretKey: secretKey.toString('hex'),
    bootstrapKey: readText(bootstrapKeyPath(dataDir)),
  };
}

/**
 * What is to be done so that this machine opens what the archive's rows hold. Nothing is written before it is called.
 * @param mayReplace another key may go
 * @throws {ArchiveError} where the key of the archive is not there, or another one is in its place
 */
export function planKeys(
  { dataDir, configured }: KeyPlace,
  { fingerprint, keys }: OpenedKeys,
  mayReplace: boolean,
): () => readonly string[] {
  const own = configured ?? readSecretKey(dataDir);
  const fits = own !== null && fingerprintOf(own) === fingerprint;
  if (!fits && configured !== null)
    throw new ArchiveError(
      'APP_SECRET_KEY is another key than the one of this backup. Set that one, or unset it so that the key of the backup is used.',
    );
  if (!fits && keys === null)
    throw new ArchiveError(
      `The backup holds no key, and ${own === null ? 'there is none here' : `that in ${join(dataDir, SECRET_KEY)} is another one`}. Set APP_SECRET_KEY to the key that encrypted its secrets.`,
    );
  if (!fits && own !== null && !mayReplace)
    throw new ArchiveError(
      `${join(dataDir, SECRET_KEY)} is another key than the one of this backup. --replace puts it aside.`,
    );
  return () => {
    const said: string[] = [];
    if (!fits) said.push(...place(dataDir, SECRET_KEY, keys!.secretKey));
    const bootstrap = keys?.bootstrapKey ?? null;
    if (bootstrap !== null && readText(bootstrapKeyPath(dataDir)) !== bootstrap)
      said.push(...place(dataDir, BOOTSTRAP_KEY, bootstrap));
    return said;
  };
}

/** Nothing is lost: what was there gets another name. */
function place(dataDir: string, name: string, text: string): string[] {
  mkdirSync(dataDir, { recursive: true, mode: 0o711 });
  const path = join(dataDir, name);
  const said: string[] = [];
  if (readText(path) !== null) {
    const aside = `${path}.before-${new Date().toISOString().replaceAll(/[:.]/g, '')}`;
    renameSync(path, aside);
    said.push(`${path} was another one, and is ${aside} now`);
  }
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true });
  chmodSync(draft, 0o600);
  renameSync(draft, path);
  return said;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
