/** What `prefixcast backup`, `verify` and `restore` do. The environment says where database and keys are, as for the service. */
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { ArchiveError, type ArchiveManifest } from './backup/archive.ts';
import { backUp } from './backup/back-up.ts';
import { planKeys, readKeys } from './backup/key-files.ts';
import { type KeyProtection, keysText, openKeys } from './backup/keys.ts';
import { compareTables, loadArchive } from './backup/load-archive.ts';
import { FileFault, PartFile, readPieces } from './backup/part-file.ts';
import { say } from './cli/process/ask.ts';
import { CommandError, EXIT } from './cli/process/command-error.ts';
import { print } from './cli/render/formats.ts';
import type { LocalCommands, PassphraseOptions } from './cli/tree/local-tree.ts';
import { type Config, currentPlatform, parseConfig } from './config/config.ts';
import { explainStartFault } from './start-fault.ts';
import { withDatabase } from './own-database.ts';
import type { DatabaseFill } from './store/archive/database-fill.ts';
import { FillError } from './store/archive/refuse-others.ts';
import { type EmbeddedServer, startEmbeddedServer } from './store/embedded/embedded-server.ts';
import { SecretBox } from './store/secrets.ts';
import { version } from './version.ts';

export const backupCommands: LocalCommands = { backUp: backUpTo, verify, restore };

async function backUpTo(
  file: string,
  options: PassphraseOptions & { readonly 'no-keys': boolean },
): Promise<number> {
  const protection = protectionOf(options);
  return orExplain(file, async (config) => {
    const keys = readKeys(keyPlace(config));
    if (keys === null)
      throw new CommandError(
        `${config.dataDir} holds no key of secrets, so this is not where the service keeps its data: set APP_DATA_DIR or APP_SECRET_KEY as the service has it.`,
        EXIT.configuration,
      );
    const part = await PartFile.create(resolve(file));
    const discardOnSignal = (): void => {
      void part.discard().then(() => process.exit(EXIT.interrupted));
    };
    for (const signal of SIGNALS) process.once(signal, discardOnSignal);
    try {
      const started = performance.now();
      const { manifest } = await withDatabase(config, { mustExist: true }, (address) =>
        backUp(address, (bytes) => part.write(bytes), {
          release: version.version,
          keys: keysText(keys, protection),
        }),
      );
      await part.finish();
      print(`${file}: ${summaryOf(manifest)}, in ${seconds(started)} s\n`);
    } catch (error) {
      await part.discard();
      throw error;
    } finally {
      for (const signal of SIGNALS) process.off(signal, discardOnSignal);
    }
    say(KEYS_SAID[protection.kind](file));
  });
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

const KEYS_SAID: Readonly<Record<KeyProtection['kind'], (file: string) => string>> = {
  clear: (file) =>
    `${file} holds the key of all secrets: whoever reads it can open them. --passphrase-file seals the keys.`,
  passphrase: (file) =>
    `The keys in ${file} are sealed. Without the passphrase they are lost: keep it elsewhere.`,
  none: (file) => `${file} holds no keys: keep APP_SECRET_KEY, or <data dir>/secret-key, elsewhere.`,
};

async function verify(file: string, options: PassphraseOptions): Promise<number> {
  const passphrase = passphraseOf(options);
  return orExplain(file, async () => {
    const directory = await mkdtemp(join(tmpdir(), 'prefixcast-verify-'));
    let server: EmbeddedServer | null = null;
    const remove = async (): Promise<void> => {
      try {
        await server?.close();
      } finally {
        await rm(directory, { recursive: true, force: true });
      }
    };
    const removeOnSignal = (): void => {
      void remove().finally(() => process.exit(EXIT.interrupted));
    };
    for (const signal of SIGNALS) process.once(signal, removeOnSignal);
    try {
      server = await startEmbeddedServer(directory);
      let secretKey: string | null = null;
      try {
        const { head, manifest } = await loadArchive(server.address, readPieces(file), {
          mayReplace: false,
          onHead: (_head, keys) => {
            secretKey = openKeys(keys, passphrase).keys?.secretKey ?? null;
          },
          beforeCommit: async (fill, loaded) => {
            await compareTables(fill, loaded);
            if (secretKey !== null) await refuseWrongKey(fill, secretKey);
          },
        });
        print(`${file} is whole: ${summaryOf(manifest)}, of ${head.createdAt}, release ${head.release}\n`);
        if (secretKey === null)
          say('It holds no keys: whether those that you keep are the right ones was not tried.');
      } finally {
        await server.close();
      }
    } finally {
      await rm(directory, { recursive: true, force: true });
      for (const signal of SIGNALS) process.off(signal, removeOnSignal);
    }
  });
}

async function refuseWrongKey(fill: DatabaseFill, secretKey: string): Promise<void> {
  const { tried, refused } = await fill.tryKey(new SecretBox(Buffer.from(secretKey, 'hex')));
  const [first] = refused;
  if (first !== undefined)
    throw new ArchiveError(
      `Its key does not open ${refused.length} of ${tried} secrets, such as that of ${first.table} ${first.id}: they were stored with another key, and have to be set again.`,
    );
}

async function restore(
  file: string,
  options: PassphraseOptions & { readonly replace: boolean },
): Promise<number> {
  const passphrase = passphraseOf(options);
  return orExplain(file, async (config) => {
    const said: string[] = [];
    const { head, manifest } = await withDatabase(config, { mustExist: false }, (address) => {
      let placeKeys = (): readonly string[] => [];
      return loadArchive(address, readPieces(file), {
        mayReplace: options.replace,
        onHead: (_head, keys) => {
          placeKeys = planKeys(keyPlace(config), openKeys(keys, passphrase), options.replace);
        },
        // Before the rows are kept: a service that starts on rows without their key makes up another one.
        atCommit: () => void said.push(...placeKeys()),
      });
    });
    print(`restored: ${summaryOf(manifest)}, of ${head.createdAt}, release ${head.release}\n`);
    for (const line of said) say(line);
    say(
      `What changed since ${head.createdAt} is gone: see docs/operating/back-up.md. Start the service now.`,
    );
  });
}

function keyPlace({ dataDir, secretKey }: Config): {
  readonly dataDir: string;
  readonly configured: Buffer | null;
} {
  return { dataDir, configured: secretKey };
}

function protectionOf(options: PassphraseOptions & { readonly 'no-keys': boolean }): KeyProtection {
  const passphrase = passphraseOf(options);
  if (passphrase !== null && options['no-keys'])
    throw new CommandError(
      '--passphrase-file seals keys, and --no-keys leaves them out: use one of them',
      EXIT.usage,
    );
  if (options['no-keys']) return { kind: 'none' };
  return passphrase === null ? { kind: 'clear' } : { kind: 'passphrase', passphrase };
}

function passphraseOf({ 'passphrase-file': file }: PassphraseOptions): string | null {
  if (file === undefined) return null;
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new CommandError(`--passphrase-file can't be read: ${(error as Error).message}`, EXIT.usage);
  }
  const passphrase = text.split('\n')[0]!.trimEnd();
  if (passphrase === '')
    throw new CommandError(`--passphrase-file ${file}: its first line is empty`, EXIT.usage);
  return passphrase;
}

export function summaryOf({ tables }: ArchiveManifest): string {
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  return `${tables.length} tables, ${rows} rows`;
}

function seconds(started: number): string {
  return ((performance.now() - started) / 1_000).toFixed(1);
}

/** Runs the work, and says in words what it may meet. */
export async function orExplain(file: string, work: (config: Config) => Promise<void>): Promise<number> {
  const config = parseConfig(process.env, currentPlatform());
  try {
    await work(config);
    return EXIT.ok;
  } catch (error) {
    throw explain(error, file, config);
  }
}

function explain(error: unknown, file: string, config: Config): unknown {
  if (error instanceof CommandError) return error;
  const refusal = (message: string, exitCode: number): CommandError =>
    new CommandError(message, exitCode, { cause: error });
  if (error instanceof ArchiveError) return refusal(`${file}: ${error.message}`, EXIT.rejects);
  if (error instanceof FillError) return refusal(error.message, EXIT.conflict);
  if (error instanceof FileFault)
    return error.code === 'EEXIST'
      ? refusal(`${file} exists already: name another file`, EXIT.outputFailed)
      : refusal(
          `${file} can't be ${error.what}: ${error.message}`,
          error.what === 'read' ? EXIT.noInput : EXIT.outputFailed,
        );
  const said = explainStartFault(error, config);
  return said === null ? error : refusal(said, EXIT.failed);
}
