/** Files of entries that have come to be empty. */
import { CommandError, EXIT } from '../process/command-error.ts';
import type { SetPlan } from './plan.ts';

/** A file that has come to be empty is a mistake more often than a wish. @throws {CommandError} */
export function refuseEmptied({ changes, effect }: SetPlan): void {
  // Where there was too much to try it out, only the file is left to read.
  const bare = changes.find(
    ({ entries, live, imports, declared }) =>
      effect === null &&
      entries === null &&
      live !== null &&
      imports.length > 0 &&
      isBare(declared!.entries!.text),
  );
  if (bare !== undefined)
    throw new CommandError(
      `${bare.declared!.entries!.shown}:1: has no entries: use --allow-empty where that is meant`,
      EXIT.usage,
    );
  const emptied = changes.filter(
    ({ entries }) =>
      entries !== null && entries.deleted > 0 && entries.created + entries.updated + entries.unchanged === 0,
  );
  const [first] = emptied;
  if (first === undefined) return;
  throw new CommandError(
    `${first.entries!.file}:1: has no entries, and all ${first.entries!.deleted} of the module ${first.name} would be deleted: use --allow-empty where that is meant`,
    EXIT.usage,
  );
}

/** A header at most. */
function isBare(text: string): boolean {
  return text.trim().split(/\n+/).length <= 1;
}
