/** The service of this machine, which needs no login of its own user: where it listens, and the key that it keeps beside its data. */
import { homedir } from 'node:os';
import { bootstrapKeyPath, readBootstrapKey } from '../../config/bootstrap-key.ts';
import { defaultDataDirectory } from '../../config/default-data-directory.ts';
import { isOwnUrl, ownUrl } from '../../config/own-url.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { keyText } from './key-text.ts';

/** The service that a command asks, and with what. */
export interface Target {
  readonly url: string;
  readonly key: string;
  /** Where this comes from, for whoever asks who they are. */
  readonly source: string;
}

/** What the service of this machine is called among contexts, unless one is called so. */
export const LOCAL = 'local';

/** Null: no service of this machine has a key that this user reads. */
export function findOwnService(): Target | null {
  try {
    return ownService(undefined, undefined);
  } catch (error) {
    if (error instanceof CommandError) return null;
    throw error;
  }
}

/** Where a service with the environment of this command listens. */
export function urlHere(): string {
  const { APP_HOST: host, APP_PORT: port } = process.env;
  return ownUrl(host || '127.0.0.1', port || '8080');
}

/** The service of this machine keeps its first key where only its own user reads it. No other machine is sent it. */
export function ownService(givenUrl: string | undefined, givenKey: string | undefined): Target {
  const { env } = process;
  const url = givenUrl || urlHere();
  if (givenKey) return { url, key: givenKey, source: 'PREFIXCAST_KEY' };
  if (!isOwnUrl(url))
    throw new CommandError(
      `No key for ${url} is known: run prefixcast login ${url}, or set PREFIXCAST_KEY.`,
      EXIT.configuration,
    );
  for (const path of keyPaths(env)) {
    const key = readBootstrapKey(path);
    if (key !== null) return { url, key: keyText(key, path), source: path };
  }
  throw new CommandError(
    `No service is known. Run prefixcast login URL, or set PREFIXCAST_URL and PREFIXCAST_KEY. (${keyPaths(env)[0]} would have the first key of a service on this machine.)`,
    EXIT.configuration,
  );
}

/** Root may run the service as root, or for itself. */
function keyPaths(env: NodeJS.ProcessEnv): string[] {
  const home = homedir();
  const isRoot = process.getuid?.() === 0;
  const directories = env.APP_DATA_DIR
    ? [env.APP_DATA_DIR]
    : [...new Set([isRoot, false])].map((asRoot) => defaultDataDirectory(env, { isRoot: asRoot, home }));
  return directories.map((directory) => bootstrapKeyPath(directory));
}
