/** What a peer over its `max_prefixes_out` goes on with: of the routes that it holds, those that are still announced, or what has taken their place. */
import { FAMILIES } from '../../core/address.ts';
import type { Family } from '../../core/address.ts';
import { PrefixTableBuilder, pickMarkedRows } from '../../core/tables/prefix-table.ts';
import type { PrefixRows } from '../../core/tables/prefix-table.ts';
import { AdjRibOut } from '../exports/adj-rib-out.ts';
import { markReplacing } from '../replacing-rows.ts';
import { RoutesVersion } from '../routes-version.ts';
import { ofAllPeers } from '../speaker.ts';

/**
 * The rows of `latest` whose prefixes the peer holds, and those that replace others of them, with the labels that they have now. O(rows), once for all peers that hold the same.
 * @param held what the peer was sent, in any version
 */
export function stillAnnounced(held: AdjRibOut, latest: RoutesVersion): RoutesVersion {
  return latest.share(`still announced of ${held.routes.number} ${held.key}`, () => {
    const builder = new PrefixTableBuilder();
    const after = AdjRibOut.of(latest, held.settings);
    for (const family of FAMILIES) builder.addRows(latest.table, heldRows(held, after, family));
    return new RoutesVersion({ ...ofAllPeers(latest.model), table: builder.build() });
  });
}

function heldRows(held: AdjRibOut, after: AdjRibOut, family: Family): PrefixRows {
  const { routes: latest } = after;
  const before = held.routes.table;
  const { groupOf } = held.families[family];
  const isSent = (set: number | undefined): number => (set !== undefined && groupOf[set]! >= 0 ? 1 : 0);
  // A row that is in both tables with equal labels was sent if these labels were.
  const setOf = new Map(before.labelSets.map((labels, set) => [labels.join('\0'), set]));
  const wasSent = latest.table.labelSets.map((labels) => isSent(setOf.get(labels.join('\0'))));
  const rows = latest.table[family];
  const isHeld = Uint8Array.from(rows.labels, (set) => wasSent[set]!);
  const { announced, withdrawn, changed } = latest.rowsDiffFrom(held.routes, family);
  for (const row of announced) isHeld[row] = 0;
  for (let at = 0; at < changed.length; at += 2)
    isHeld[changed[at + 1]!] = isSent(before[family].labels[changed[at]!]);
  const heldRows = before[family];
  const lost = Array.from(withdrawn).filter((row) => isSent(heldRows.labels[row]) === 1);
  const { groupOf: groupNow } = after.families[family];
  markReplacing({ held: heldRows, lost, latest: rows, isWanted: (set) => groupNow[set]! >= 0 }, isHeld);
  return pickMarkedRows(rows, isHeld);
}
