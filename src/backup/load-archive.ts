/** Makes a database out of an archive. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { DatabaseFill } from '../store/archive/database-fill.ts';
import type { DatabaseAddress } from '../store/database/database-address.ts';
import { type Migration, readMigrations } from '../store/database/migrate.ts';
import { ArchiveError, type ArchiveHead, type ArchiveManifest } from './archive.ts';
import { readArchive } from './archive-reader.ts';

export interface LoadOptions {
  /** What is in the database may go. */
  readonly mayReplace: boolean;
  /** Called before anything is written: what it throws ends all. */
  readonly onHead: (head: ArchiveHead, keys: string) => Promise<void> | void;
  readonly onTable?: (name: string) => void;
  /** Called when everything is written and checked, and nothing is kept yet. */
  readonly beforeCommit?: (fill: DatabaseFill, loaded: Loaded) => Promise<void> | void;
  /** Called once nothing is left that may fail but the commit itself. */
  readonly atCommit?: () => void;
}

export interface Loaded {
  readonly head: ArchiveHead;
  readonly manifest: ArchiveManifest;
}

/**
 * All or nothing: a damaged archive, a full disk or a kill leave the database as it was.
 * @throws {ArchiveError} when the archive is damaged, incomplete, or of a newer release
 * @throws {FillError} when others are connected to the database, or it is not empty
 */
export async function loadArchive(
  address: DatabaseAddress,
  bytes: AsyncIterable<Buffer>,
  options: LoadOptions,
): Promise<Loaded> {
  const load = new Load(address, options);
  try {
    const manifest = await readArchive(bytes, load);
    return await load.finish(manifest);
  } catch (error) {
    await load.abandon();
    throw error;
  }
}

class Load {
  readonly #address: DatabaseAddress;
  readonly #options: LoadOptions;
  #head: ArchiveHead | null = null;
  #fill: DatabaseFill | null = null;
  #open: { readonly table: string; readonly rows: Writable & { readonly rowCount: number | null } } | null =
    null;

  constructor(address: DatabaseAddress, options: LoadOptions) {
    this.#address = address;
    this.#options = options;
  }

  async onHead(head: ArchiveHead, keys: string): Promise<void> {
    const migrations = migrationsOf(head);
    await this.#options.onHead(head, keys);
    this.#head = head;
    const { mayReplace } = this.#options;
    this.#fill = await DatabaseFill.begin(this.#address, {
      migrations,
      serviceId: head.serviceId,
      mayReplace,
    });
  }

  async onRows(table: string, bytes: Buffer): Promise<void> {
    if (this.#open?.table !== table) {
      const columns = this.#head!.tables.find(({ name }) => name === table)!;
      this.#options.onTable?.(table);
      const rows = this.#fill!.writeRows(columns);
      // Thrown where it is waited for.
      rows.on('error', () => undefined);
      this.#open = { table, rows };
    }
    const { rows } = this.#open;
    await ofTable(table, async () => {
      if (rows.errored) throw rows.errored;
      if (!rows.write(bytes)) await once(rows, 'drain');
    });
  }

  async onTableEnd(table: string, rows: number): Promise<void> {
    const open = this.#open;
    if (open === null) return;
    this.#open = null;
    await ofTable(table, async () => {
      open.rows.end();
      await finished(open.rows, { readable: false });
    });
    if (open.rows.rowCount !== rows)
      throw new ArchiveError(
        `The archive is damaged at tables/${table}: PostgreSQL found ${open.rows.rowCount} rows in ${rows} lines.`,
      );
  }

  async finish(manifest: ArchiveManifest): Promise<Loaded> {
    const fill = this.#fill!;
    const loaded = { head: this.#head!, manifest };
    await this.#options.beforeCommit?.(fill, loaded);
    await fill.complete(manifest.counters);
    this.#options.atCommit?.();
    await fill.commit();
    return loaded;
  }

  async abandon(): Promise<void> {
    this.#open?.rows.destroy();
    await this.#fill?.abandon();
  }
}

/** What PostgreSQL refuses of the rows is a fault of theirs. */
async function ofTable(table: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string };
    // Class 22: the data; 23: what they contradict. Everything else is the server's.
    if (!/^2[23]/.test(code)) throw error;
    throw new ArchiveError(`The archive is damaged at tables/${table}: ${message}.`, { cause: error });
  }
}

/** The migrations that had landed where the archive was made, as this release has them. */
function migrationsOf({ migrations, release }: ArchiveHead): Migration[] {
  const known = readMigrations();
  return migrations.map(({ number, name, sha256 }, index) => {
    const own = known[index];
    if (own === undefined)
      throw new ArchiveError(
        `The backup is newer than this program: ${name} had landed, which this release does not know. Restore it with release ${release} or a newer one.`,
      );
    if (own.number !== number || own.sha256 !== sha256)
      throw new ArchiveError(
        `The backup has the migration ${name}, and in its place this release has ${own.name} or another text of it. Restore it with release ${release}.`,
      );
    return own;
  });
}

/**
 * Compares the rows in the database with those of the archive, byte by byte.
 * @throws {ArchiveError} naming the table that differs
 */
export async function compareTables(fill: DatabaseFill, { head, manifest }: Loaded): Promise<void> {
  for (const table of head.tables) {
    const hash = createHash('sha256');
    for await (const chunk of fill.readRows(table) as AsyncIterable<Buffer>) hash.update(chunk);
    const sum = manifest.tables.find(({ name }) => name === table.name)!;
    if (hash.digest('hex') !== sum.sha256)
      throw new ArchiveError(`The table ${table.name} is not the same once it is restored.`);
  }
}
