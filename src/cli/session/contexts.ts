/** `~/.config/prefixcast/config.yaml`: services that commands may talk to, and which of them they do. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { CommandError, EXIT } from '../process/command-error.ts';

export interface Context {
  readonly url: string;
  readonly key?: string;
  /** A shell command that prints the key, for vaults. */
  readonly key_command?: string;
}

export interface ContextFile {
  readonly current: string | null;
  readonly contexts: Readonly<Record<string, Context>>;
}

export function contextPath(): string {
  const { PREFIXCAST_CONFIG: own, XDG_CONFIG_HOME: config } = process.env;
  return own || join(config || join(homedir(), '.config'), 'prefixcast', 'config.yaml');
}

export async function readContexts(): Promise<ContextFile> {
  const path = contextPath();
  let text;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { current: null, contexts: {} };
    throw new CommandError(`${path} can't be read: ${(error as Error).message}`, EXIT.configuration);
  }
  const { parse } = await import('yaml');
  try {
    const file = parse(text) as Partial<ContextFile> | null;
    const contexts = file?.contexts ?? {};
    for (const [name, { url }] of Object.entries(contexts))
      if (typeof url !== 'string') throw new Error(`the context ${name} has no url`);
    return { current: file?.current ?? null, contexts };
  } catch (error) {
    throw new CommandError(`${path} can't be read: ${(error as Error).message}`, EXIT.configuration);
  }
}

/** Nobody else may read it: it may hold keys. */
export async function writeContexts(file: ContextFile): Promise<void> {
  const { stringify } = await import('yaml');
  const path = contextPath();
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const half = `${path}.${process.pid}`;
  writeFileSync(half, stringify(file), { mode: 0o600 });
  renameSync(half, path);
}
