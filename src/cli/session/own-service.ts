/** The service of this machine, which needs no login of its own user: where it listens, and the key that it keeps beside its data. */
import { homedir, networkInterfaces } from 'node:os';
import { bootstrapKeyPath, readBootstrapKey } from '../../config/bootstrap-key.ts';
import { defaultDataDirectory } from '../../config/default-data-directory.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { keyText } from './key-text.ts';

/** The service that a command asks, and with what. */
export interface Target {
  readonly url: string;
  readonly key: string;
  /** Where this comes from, for whoever asks who they are. */
  readonly source: string;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;
/** Where a service listens at every address: this machine reaches it at loopback. */
const EVERYWHERE = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
]);

/** Where a service with this environment listens. */
export function ownUrl({ APP_HOST: host, APP_PORT: port }: NodeJS.ProcessEnv): string {
  const bare = host || '127.0.0.1';
  const reached = EVERYWHERE.get(bare) ?? (bare.includes(':') ? `[${bare}]` : bare);
  return `http://${reached}:${port || '8080'}`;
}

/** The service of this machine keeps its first key where only its own user reads it. No other machine is sent it. */
export function ownService(givenUrl: string | undefined, givenKey: string | undefined): Target {
  const { env } = process;
  const url = givenUrl || ownUrl(env);
  if (givenKey) return { url, key: givenKey, source: 'PREFIXCAST_KEY' };
  if (!isOfThisMachine(url))
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

/** A name may lead anywhere, but for the one of loopback. */
function isOfThisMachine(url: string): boolean {
  const host = (URL.parse(url)?.hostname ?? '').replace(/^\[(.*)\]$/, '$1');
  const addresses = Object.values(networkInterfaces()).flatMap((some) =>
    (some ?? []).map(({ address }) => address),
  );
  return LOOPBACK.test(host) || addresses.includes(host);
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
