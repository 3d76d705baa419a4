import { unknownReference } from '../store/database/constraint-problem.ts';
import type { TenantTx } from '../store/database/database.ts';
import { findUnknownReferences, type Reference } from '../store/references.ts';

/** A body that lists ids of other objects. */
type Listing = Partial<Readonly<Record<Reference, readonly string[] | undefined>>>;

/**
 * The ids that a body lists, in lower case and once; only of the columns that it has.
 * @throws {Problem} `unknown_reference` with the place of the first id that belongs to nothing
 */
export async function readReferences(
  tx: TenantTx,
  body: Listing,
): Promise<Partial<Record<Reference, string[]>>> {
  const read: Partial<Record<Reference, string[]>> = {};
  for (const column of ['module_ids', 'community_ids', 'client_ids'] as const) {
    const ids = body[column]?.map((id) => id.toLowerCase());
    if (ids === undefined) continue;
    const [unknown] = await findUnknownReferences(tx, column, ids);
    if (unknown !== undefined)
      throw unknownReference(column.slice(0, -1), unknown, `/${column}/${ids.indexOf(unknown)}`);
    read[column] = [...new Set(ids)];
  }
  return read;
}
