import { FAMILIES } from '../../core/address.ts';
import type { PrefixRows } from '../../core/tables/prefix-table.ts';
import { formatPrefixAt } from '../../core/prefix.ts';
import type { LiveRevision } from '../../store/lookup/lookup.ts';
import type { LiveRoutes, LookupState } from './lookup-state.ts';
import { announcedFrame, fill } from './lookup-text.ts';
import type { Finder } from './around.ts';

/** The routes that are asked for, and the revisions that have some. */
export function announcedOf(
  { live }: LookupState,
  find: Finder,
): { readonly texts: string[]; readonly revisions: LiveRevision[]; readonly isCut: boolean } {
  const texts: string[] = [];
  const revisions: LiveRevision[] = [];
  let isCut = false;
  for (const routes of live) {
    const before = texts.length;
    for (const family of FAMILIES) {
      const rows = routes.table[family];
      const { found, isCut: isMore } = find(rows);
      isCut ||= isMore;
      for (const row of found) texts.push(announcedText(routes, rows, row));
    }
    if (texts.length > before) revisions.push(routes.revision);
  }
  return { texts, revisions, isCut };
}

function announcedText(routes: LiveRoutes, rows: PrefixRows, row: number): string {
  const labelSet = rows.labels[row]!;
  let frame = routes.frames.get(labelSet);
  if (frame === undefined) {
    frame = announcedFrame(routes, routes.table.labelSets[labelSet]!);
    routes.frames.set(labelSet, frame);
  }
  return fill(frame, formatPrefixAt(rows, row));
}
