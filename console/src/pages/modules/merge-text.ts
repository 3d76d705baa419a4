/** Entries as text that two people changed at the same time: lines are known by their first cell, as entries are to the service. */

/** The lines of an edit on top of what somebody else made of the same text. The header is that of `mine`. */
export function mergeText(base: string, mine: string, theirs: string): { text: string; changed: number } {
  const before = linesByKey(base);
  const own = linesByKey(mine);
  const other = linesByKey(theirs);
  const theirChanges = [...changes(before, other)];
  const merged = new Map(own);
  for (const [key, line] of theirChanges) {
    // What both changed stays as I wrote it.
    if (own.get(key) !== before.get(key)) continue;
    if (line === undefined) merged.delete(key);
    else merged.set(key, line);
  }
  return { text: `${[...merged.values()].join('\n')}\n`, changed: theirChanges.length };
}

function* changes(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): Generator<[string, string | undefined]> {
  for (const [key, line] of after) if (before.get(key) !== line) yield [key, line];
  for (const key of before.keys()) if (!after.has(key)) yield [key, undefined];
}

function linesByKey(text: string): Map<string, string> {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return new Map(lines.map((line, at) => [at === 0 ? '' : line.split(',', 1)[0]!.trim(), line]));
}
