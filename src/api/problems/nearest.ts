/** Finds the name that somebody probably meant. */

/** Edits (insert, delete, replace, swap of neighbours) that turn one text into the other. */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let best = Math.min(replaced, rows[i - 1]![j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, rows[i - 2]![j - 2]! + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[a.length]![b.length]!;
}

/** The known name nearest to `given`, letter case aside; undefined when none is near. */
export function nearest(given: string, known: readonly string[]): string | undefined {
  return nearestOnes(given, known)[0];
}

/** All known names that are nearest, each once; none when none is near. */
export function nearestOnes(given: string, known: readonly string[]): readonly string[] {
  if (given.length > 64) return [];
  const wanted = given.toLowerCase();
  const far = Math.max(1, Math.floor(wanted.length / 3));
  const names = [...new Set(known)].map((name) => ({ name, edits: distance(wanted, name.toLowerCase()) }));
  const least = names.reduce((least, { edits }) => Math.min(least, edits), far);
  return names.filter(({ edits }) => edits === least).map(({ name }) => name);
}

/** `; did you mean "x"?` as the tail of a fault, or nothing. */
export function didYouMean(given: unknown, known: readonly unknown[]): string {
  if (typeof given !== 'string') return '';
  const best = nearest(
    given,
    known.filter((name) => typeof name === 'string'),
  );
  return best === undefined ? '' : `; did you mean "${best}"?`;
}
