/** Writes one moment of a database into an archive. */
import type { DatabaseAddress } from '../store/database/database-address.ts';
import { DatabaseSnapshot } from '../store/archive/database-snapshot.ts';
import { type ArchiveHead, type ArchiveManifest, FORMAT } from './archive.ts';
import { ArchiveWriter, type Sink } from './archive-writer.ts';

export interface BackupOptions {
  readonly release: string;
  /** What keys.json holds. */
  readonly keys: string;
  /** Called before each table. */
  readonly onTable?: (name: string) => void;
}

export interface Backup {
  readonly head: ArchiveHead;
  readonly manifest: ArchiveManifest;
}

/**
 * Copies every table out of one snapshot, one after the other and some megabytes at a time, while the service goes on.
 * @throws {MigrationError} when the database has nothing of ours
 */
export async function backUp(
  address: DatabaseAddress,
  sink: Sink,
  { release, keys, onTable }: BackupOptions,
): Promise<Backup> {
  const snapshot = await DatabaseSnapshot.open(address);
  try {
    const head: ArchiveHead = {
      format: FORMAT,
      createdAt: new Date().toISOString(),
      release,
      ...snapshot.facts,
    };
    const writer = new ArchiveWriter(sink, head.createdAt);
    await writer.begin(head, keys);
    for (const table of head.tables) {
      onTable?.(table.name);
      await writer.table(table.name, snapshot.readRows(table));
    }
    return { head, manifest: await writer.finish(await snapshot.readCounters()) };
  } finally {
    await snapshot.close();
  }
}
