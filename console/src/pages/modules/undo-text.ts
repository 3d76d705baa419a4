/** Takes back what a save of entries as text did to the list. */
import type { Schemas } from '@prefixcast/client';
import { carryOut, type Write } from '../../service/writes.ts';
import { entriesText } from '../../strings/entries.ts';
import { readEntries } from './read-entries.ts';
import { undoOf, type SavedLists } from './saved-lists.ts';

interface SavedText extends SavedLists {
  readonly moduleId: string;
  readonly counts: Schemas['EntryImport'];
}

/** Takes all of it back, or nothing. @returns what to say of it */
export async function takeBack(saved: SavedText): Promise<string> {
  const { moduleId, counts } = saved;
  const { created, changed, staying } = undoOf(saved, await readEntries(moduleId));
  const path = `/v1/modules/${moduleId}/entries`;
  const imports = (mode: string, records: readonly string[]): Write[] =>
    records.length > 1
      ? [{ method: 'POST', path: `${path}.csv?mode=${mode}`, body: `${records.join('\n')}\n` }]
      : [];
  const restoring: Write[] =
    counts.batch === null ? [] : [{ method: 'POST', path: `${path}/restore`, body: { batch: counts.batch } }];
  const changes = [...imports('remove', created), ...imports('append', changed), ...restoring];
  const { answers } =
    changes.length === 0
      ? { answers: [] }
      : ((await carryOut({
          method: 'POST',
          path: '/v1/changes',
          body: { changes },
        })) as Schemas['ChangesAnswer']);
  const restored = restoring.length === 0 ? null : (answers.at(-1)!.body as Schemas['RestoredEntries']);
  return entriesText.text.takenBack({
    ...{ created: created.length - 1, changed: changed.length - 1, staying },
    ...{ restored: restored?.restored ?? 0, expired: restored?.expired ?? 0 },
  });
}
