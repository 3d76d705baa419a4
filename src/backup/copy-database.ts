/** Copies one database into another, through an archive that is never written down. */
import type { DatabaseAddress } from '../store/database/database-address.ts';
import { refuseOthers } from '../store/archive/refuse-others.ts';
import { backUp } from './back-up.ts';
import { compareTables, loadArchive, type Loaded } from './load-archive.ts';

export interface CopyOptions {
  readonly release: string;
  /** What the target holds may go. */
  readonly mayReplace: boolean;
  readonly onTable?: (name: string) => void;
}

/**
 * All or nothing, and compared row by row before it is kept.
 * @throws {FillError} when others are connected to the source or the target, or the target is not empty
 */
export async function copyDatabase(
  source: DatabaseAddress,
  target: DatabaseAddress,
  { release, mayReplace, onTable }: CopyOptions,
): Promise<Loaded> {
  const pipe = new TransformStream<Buffer, Buffer>();
  const writer = pipe.writable.getWriter();
  const write = async (bytes: Uint8Array): Promise<void> => {
    await writer.ready;
    await writer.write(Buffer.from(bytes));
  };
  // Keys stay where they are.
  const reading = backUp(source, write, { release, keys: '{}' }).then(
    () => writer.close(),
    (error: unknown) => writer.abort(error),
  );
  try {
    return await loadArchive(target, pipe.readable as AsyncIterable<Buffer>, {
      mayReplace,
      onHead: () => undefined,
      ...(onTable === undefined ? {} : { onTable }),
      beforeCommit: async (fill, loaded) => {
        await compareTables(fill, loaded);
        // A service that has started on the source meanwhile would write what is not copied.
        await refuseOthers(source);
      },
    });
  } finally {
    // Whoever reads no more makes it end; why, the load has said.
    await reading.catch(() => undefined);
  }
}
