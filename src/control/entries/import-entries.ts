import { extname } from 'node:path';
import { type EntryNames, NAMED_ENTRIES } from '../../api/activity/audit-entries.ts';
import { ENTRY_KINDS, type EntryType } from '../../api/entries/entry-kinds.ts';
import type { EntryImport, ImportMode } from '../../api/entries/entry-csv.ts';
import { Problem } from '../../api/problems/problem.ts';
import { listAllCommunities } from '../../store/tenants/communities.ts';
import { databaseTime } from '../../store/database/database-clock.ts';
import type { TenantTx } from '../../store/database/database.ts';
import {
  deleteNamedEntries,
  deleteOtherEntries,
  type DeletedRows,
  listToggled,
  lockModuleEntries,
  mergeEntries,
} from '../../store/entries/entry-sets.ts';
import { findOwnRemoval } from '../../store/entries/removed-lists.ts';
import { takingBack } from '../../store/database/taking-back.ts';
import { identifyModule } from '../../store/modules/modules.ts';
import { getSetting } from '../../store/tenants/settings.ts';
import { rest } from '../../concurrency/slices.ts';
import { ThreadError, ThreadPool } from '../../concurrency/thread-pool.ts';
import { TenantPlaces } from '../tenant-places.ts';
import { refuseGivenUp, unlessGivenUp } from '../given-up.ts';
import { KINDS } from './kinds.ts';
import { type Counting, recountEntries } from './recount-entry.ts';
import { findSnapshot } from '../../store/modules/snapshots.ts';
import { type EntryCsvTask, type ReadEntryCsv, readEntryCsv } from './read-entry-csv.ts';

/** Longest time in which a file of the greatest size is read, several times over. */
const READ_MS = 60_000;

/** Each holds its file in memory. Whoever asks for an import takes a place first. */
export const importPlaces = new TenantPlaces({
  inAll: 6,
  ofTenant: 2,
  what: 'imports, or plans of them, are running',
  retryAfter: 5,
});

/** A file of up to this many bytes is read in a few milliseconds, while a thread may have to start first. */
const INLINE_BYTES = 32 * 1024;

const ENTRY = new URL(`entry-csv-worker${extname(import.meta.url)}`, import.meta.url);
const pool = new ThreadPool<EntryCsvTask, ReadEntryCsv>(ENTRY, {
  threads: 2,
  memoryMb: 1024,
  idleMs: 30_000,
});

export interface Imported {
  readonly answer: EntryImport;
  /** What operators call the first entries that it touched. */
  readonly names: EntryNames;
}

export interface ImportOptions {
  readonly mode: ImportMode;
  readonly dryRun: boolean;
  /** Of a trial: aborts when nobody waits for it any more. Absent: it is meant, and carried out whoever waits. */
  readonly gone?: AbortSignal | undefined;
}

/**
 * Brings the module's entries to what the file says: all of it, or when one line is wrong, nothing. A large file is read in a thread.
 * @throws {Problem} `not_found`, `payload_too_large`; `validation_failed` with the faults by line; `busy`, once nobody waits for a trial
 */
export async function importEntries(
  tx: TenantTx,
  moduleId: string,
  body: Uint8Array,
  { mode, dryRun, gone }: ImportOptions,
): Promise<Imported> {
  const { type } = await identifyModule(tx, moduleId);
  const { columns, allowed } = KINDS[type].csv;
  const task = {
    type,
    body: Uint8Array.from(body),
    communities: new Map((await listAllCommunities(tx)).map(({ community, id }) => [community, id])),
    bogons: await getSetting(tx, 'guard_bogons'),
    now: (await databaseTime(tx)).getTime(),
    allowedPrefixes: allowed === undefined ? null : await allowed(tx, moduleId),
    keysOnly: mode === 'remove',
  };
  const file = await unlessGivenUp(gone, () => readFile(task, gone));
  const table = ENTRY_KINDS[type].entry;
  const stored = { columns: columns.map((column) => column.stored), given: file.given };
  const merge = async (): Promise<Imported> => {
    await lockModuleEntries(tx, moduleId);
    refuseGivenUp(gone);
    const deleted = await deleteByMode(tx, table, moduleId, { mode, keys: file.keys });
    const changed = new Map<string, Counting>(deleted.enabled.map((id) => [id, { did: true, does: false }]));
    const toggles = file.given.includes('enabled') && (await findSnapshot(tx, moduleId)) !== null;
    let created = 0;
    let updated = 0;
    const createdNames: string[] = [];
    const updatedNames: string[] = [];
    for (const chunk of mode === 'remove' ? [] : file.chunks) {
      refuseGivenUp(gone);
      const began = performance.now();
      for (const { id, enabled: did } of toggles ? await listToggled(tx, table, moduleId, chunk) : [])
        changed.set(id, { did, does: !did });
      const merged = await mergeEntries(tx, table, moduleId, chunk, stored);
      if (file.chunks.length > 1) await rest(began);
      created += merged.created;
      updated += merged.updated;
      if (createdNames.length < NAMED_ENTRIES) createdNames.push(...merged.created_names);
      if (updatedNames.length < NAMED_ENTRIES) updatedNames.push(...merged.updated_names);
    }
    refuseGivenUp(gone);
    await recountEntries(tx, moduleId, changed);
    const unchanged = file.rows - created - updated - (mode === 'remove' ? deleted.count : 0);
    const batch = deleted.count === 0 || dryRun ? null : await findOwnRemoval(tx, moduleId);
    return {
      answer: { created, updated, unchanged, deleted: deleted.count, batch, dry_run: dryRun },
      names: { created: createdNames, updated: updatedNames, deleted: deleted.names },
    };
  };
  return dryRun ? takingBack(tx, merge) : merge();
}

function deleteByMode(
  tx: TenantTx,
  table: EntryType,
  moduleId: string,
  { mode, keys }: { readonly mode: ImportMode; readonly keys: Uint8Array },
): Promise<DeletedRows> {
  switch (mode) {
    case 'append':
      return Promise.resolve({ count: 0, names: [], enabled: [] });
    case 'replace':
      return deleteOtherEntries(tx, table, moduleId, keys);
    case 'remove':
      return deleteNamedEntries(tx, table, moduleId, keys);
  }
}

async function readFile(
  task: EntryCsvTask,
  signal: AbortSignal | undefined,
): Promise<ReadEntryCsv & { readonly ok: true }> {
  let read: ReadEntryCsv;
  try {
    read =
      task.body.length <= INLINE_BYTES
        ? readEntryCsv(task)
        : await pool.run(task, { transfer: [task.body.buffer], withinMs: READ_MS, signal });
  } catch (error) {
    if (error instanceof ThreadError && error.kind !== 'exit')
      throw new Problem(
        'payload_too_large',
        'The file needs more memory or time than an import may take. Split it, and import the parts with mode=append.',
        { cause: error },
      );
    throw error;
  }
  if (read.ok) return read;
  const [first] = read.faults;
  const rest = read.faultCount > 1 ? ` (and ${read.faultCount - 1} more faults)` : '';
  throw new Problem('validation_failed', `${first!.pointer}: ${first!.detail}${rest} Nothing was written.`, {
    errors: read.faults,
  });
}
