/** What a save of entries as text did to the list, and what takes it back. */
import { recordsByKey } from './merge-text.ts';

export interface SavedLists {
  /** The list before it was saved, and after, as exports. */
  readonly before: string;
  readonly after: string;
  /** What the service said of the save. */
  readonly counts: { readonly created: number; readonly updated: number };
}

interface Undo {
  /** Records, with the header first, of entries to delete and of those to write as they were. */
  readonly created: string[];
  readonly changed: string[];
  /** How many stay as they are: somebody else has changed them since. */
  readonly staying: number;
}

/** @param now the list as it is, which others may have changed since */
export function undoOf({ before, after, counts }: SavedLists, now: string): Undo {
  const [header = ''] = before.split(/\r?\n/, 1);
  const key = header.split(',', 1)[0]!;
  const [former, saved, present] = [before, after, now].map((text) => recordsByKey(text, key));
  const records = [...saved!].filter(([name]) => name !== '');
  const created = records.filter(([name]) => !former!.has(name));
  const changed = records.filter(([name, record]) => (former!.get(name) ?? record) !== record);
  // Between two readings somebody else may have saved as well, and nobody knows which of them did what.
  if (created.length !== counts.created || changed.length !== counts.updated)
    return { created: [header], changed: [header], staying: counts.created + counts.updated };
  const isMine = ([name, record]: [string, string]): boolean => present!.get(name) === record;
  const others = [...created, ...changed].filter((one) => present!.has(one[0]) && !isMine(one));
  return {
    created: [header, ...created.filter(isMine).map(([, record]) => record)],
    changed: [header, ...changed.filter(isMine).map(([name]) => former!.get(name)!)],
    staying: others.length,
  };
}
