/** The work of finding what differs between two contents, as a pure function: table-threads.ts says where it runs. */
import { type ChangePiece, encodeChanges } from '../../core/stored/change-list.ts';
import { type StoredTable, decodeDiffering } from '../../core/stored/stored-table.ts';

export interface DifferenceTask {
  readonly kind: 'difference';
  readonly before: StoredTable;
  readonly after: StoredTable;
}

/** @throws {TableCodecError} when what is stored is damaged */
export function writeDifference({ before, after }: DifferenceTask): ChangePiece[] {
  const differing = decodeDiffering(before, after);
  return encodeChanges(differing.before, differing.after);
}
