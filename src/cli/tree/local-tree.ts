/** Commands about the service of this machine, which work on its data and need no running service. */
import { EXIT } from '../process/command-error.ts';
import { type Command, command } from '../table/command.ts';

/** What these commands do stands above this room: the whole service is below it. */
export interface LocalCommands {
  backUp(file: string, options: BackupOptions): Promise<number>;
  verify(file: string, options: PassphraseOptions): Promise<number>;
  restore(file: string, options: RestoreOptions): Promise<number>;
}

export interface DoctorOptions {
  readonly json: boolean;
}

export interface PassphraseOptions {
  readonly 'passphrase-file'?: string | undefined;
}

export interface BackupOptions extends PassphraseOptions {
  readonly 'no-keys': boolean;
}

export interface RestoreOptions extends PassphraseOptions {
  readonly replace: boolean;
}

const FILE = { name: 'FILE', type: 'file' } as const;

const PASSPHRASE = {
  value: 'FILE',
  type: 'file',
  about: 'a file whose first line is the passphrase that seals the keys',
} as const;

const EXITS = {
  [EXIT.ok]: 'done',
  [EXIT.failed]: 'it failed; nothing is left half done',
  [EXIT.usage]: 'wrong usage',
  [EXIT.conflict]: 'the database is in use, or not empty',
  [EXIT.rejects]: 'the backup is damaged, incomplete, or does not fit',
  [EXIT.noInput]: "the backup can't be read",
  [EXIT.outputFailed]: "the backup can't be written",
  [EXIT.configuration]: 'the configuration is wrong',
};

export interface MigrateDatabaseOptions {
  readonly back: boolean;
  readonly replace: boolean;
}

/** @param load what moves the data */
export function migrateDatabaseCommand(
  load: () => Promise<(options: MigrateDatabaseOptions) => Promise<number>>,
): Command {
  return command({
    name: 'migrate-database',
    summary: 'move everything from the embedded database to DATABASE_URL; stop the service first',
    details: [
      'Copies the embedded database of APP_DATA_DIR to the PostgreSQL server of DATABASE_URL, compares every row, and says how to go back. All or nothing; the embedded database is left as it is. Needs ' +
        'no pg_dump.',
    ],
    options: {
      back: { about: 'from DATABASE_URL to the embedded database' },
      replace: { about: 'delete what the target holds now' },
    },
    examples: ['DATABASE_URL=postgres://prefixcast@db.example.net/prefixcast prefixcast migrate-database'],
    exitCodes: EXITS,
    run: async ({ options }) => (await load())(options),
  });
}

/** @param load what examines */
export function doctorCommand(load: () => Promise<(options: DoctorOptions) => Promise<number>>): Command {
  return command({
    name: 'doctor',
    summary: 'look for what is wrong with the service of this machine, and say what to do',
    details: [
      'Looks at the service, the data directory, the database, the clock, the key of secrets, ports, the routing daemon, DoH profiles and the proxy before the API, with the environment of the ' +
        'service, and lists modules that are held and peers that are behind. It changes nothing, and works when the service is down, too: that is a fault. Use the user that runs the service.',
    ],
    options: { json: { about: 'print findings for programs' } },
    examples: ['prefixcast doctor', 'prefixcast doctor --json'],
    exitCodes: {
      [EXIT.ok]: 'no fault was found',
      [EXIT.failed]: 'a fault was found',
      [EXIT.usage]: 'wrong usage',
    },
    run: async ({ options }) => (await load())(options),
  });
}

export function localTree(load: () => Promise<LocalCommands>): readonly Command[] {
  return [
    command({
      name: 'backup',
      summary: 'write the database and its keys into one file, while the service runs',
      details: [
        'Copies one moment of the database of this machine, or of DATABASE_URL, and the keys without which the copy is worth little: the one that encrypts secrets, and the ' +
          'first API key. The environment says where they are, as for start. FILE is whole or not there; nobody but its owner may read it.',
        'With --passphrase-file the keys are sealed, and FILE is as secret as a dump of the database. With --no-keys you keep them elsewhere.',
      ],
      args: [FILE],
      missing: 'Name the file to write: prefixcast backup FILE',
      options: {
        'passphrase-file': PASSPHRASE,
        'no-keys': { about: 'leave out the keys, which you keep elsewhere' },
      },
      examples: [
        'prefixcast backup /backups/prefixcast-$(date +%F).tar',
        'prefixcast backup prefixcast.tar --passphrase-file /root/passphrase',
      ],
      exitCodes: EXITS,
      run: async ({ options, args }) => (await load()).backUp(args[0]!, options),
    }),
    command({
      name: 'verify',
      summary: 'restore a backup into a database of its own, compare every row, and remove it again',
      args: [FILE],
      missing: 'Name the backup: prefixcast verify FILE',
      options: { 'passphrase-file': PASSPHRASE },
      examples: ['prefixcast verify /backups/prefixcast-2027-01-31.tar'],
      exitCodes: EXITS,
      run: async ({ options, args }) => (await load()).verify(args[0]!, options),
    }),
    command({
      name: 'restore',
      summary: 'make the database of this machine out of a backup; stop the service first',
      details: [
        'Fills the embedded database of APP_DATA_DIR, or the one of DATABASE_URL, and puts the keys beside the data. All or nothing: whatever happens, the database is as it was, or as the backup has it. ' +
          'Start the service afterwards.',
      ],
      args: [FILE],
      missing: 'Name the backup: prefixcast restore FILE',
      options: {
        'passphrase-file': PASSPHRASE,
        replace: { about: 'delete what the database holds now' },
      },
      examples: ['prefixcast restore /backups/prefixcast-2027-01-31.tar'],
      exitCodes: EXITS,
      run: async ({ options, args }) => (await load()).restore(args[0]!, options),
    }),
  ];
}
