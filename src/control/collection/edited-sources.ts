import type { TenantTx } from '../../store/database/database.ts';
import { listSourcesToCollect, type SourceToCollect } from '../../store/cdn-sources.ts';
import type { SecretBox } from '../../store/secrets.ts';

/**
 * Ids of those sources that an operator has pointed to another list since they were read, or has read in another way: what was read
 * of them is not what they are to hold.
 */
export async function findEdited(
  tx: TenantTx,
  moduleId: string,
  read: readonly SourceToCollect[],
  secrets: SecretBox,
): Promise<ReadonlySet<string>> {
  if (read.length === 0) return new Set();
  const sources = await listSourcesToCollect(tx, moduleId, secrets);
  const now = new Map(sources.map((source) => [source.id, source]));
  const isEdited = (source: SourceToCollect): boolean => {
    const other = now.get(source.id) ?? source;
    return other.questionVersion !== source.questionVersion && questionOf(other) !== questionOf(source);
  };
  return new Set(read.filter(isEdited).map(({ id }) => id));
}

/** What decides what the source answers, and how that is read. */
function questionOf({ url, format, jsonPath, csvColumn, headers }: SourceToCollect): string {
  return JSON.stringify([url, format, jsonPath, csvColumn, Object.entries(headers).sort()]);
}
