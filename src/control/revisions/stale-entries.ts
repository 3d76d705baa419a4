import type { Finding } from '../../api/revisions/revisions.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { readEntryTitles } from '../../store/entries/entry-titles.ts';
import { listStaleEntries, readWarningFacts } from '../../store/revisions/revision-inputs.ts';
import { getSettings } from '../../store/tenants/settings.ts';

/** Entries that a revision names. */
const MAXIMUM_WARNINGS = 100;

/** Whether the next revision leaves out entries of the module, since they are too old. */
export async function losesStaleEntries(tx: TenantTx, moduleId: string): Promise<boolean> {
  const { guard_stale_action: action, guard_stale_max_hours: limit } = await getSettings(tx, [
    'guard_stale_action',
    'guard_stale_max_hours',
  ]);
  return action === 'drop' && (await listStaleEntries(tx, limit, 1, moduleId)).length > 0;
}

/**
 * What the revision that is built now has to warn of: what its snapshots say, and entries that are older than the setting allows, the oldest
 * first.
 * @param held modules of which the last accepted snapshot counts, not the latest
 */
export async function readWarnings(tx: TenantTx, held: ReadonlySet<string>): Promise<Finding[]> {
  const { guard_stale_action: action, guard_stale_max_hours: limit } = await getSettings(tx, [
    'guard_stale_action',
    'guard_stale_max_hours',
  ]);
  const { snapshots, stale } = await readWarningFacts(tx, limit, MAXIMUM_WARNINGS);
  const titles = await readEntryTitles(
    tx,
    stale.map(({ id }) => id),
  );
  const effect = action === 'drop' ? 'its prefixes have left the revision' : 'its last good prefixes stay';
  return [
    ...snapshots.flatMap(({ module_id: id, warnings, accepted }) =>
      held.has(id) ? (accepted ?? []) : warnings,
    ),
    ...stale.map(({ id, module_id, module_name, hours }) => ({
      code: 'source_stale' as const,
      detail: `${sentenceOf(titles.get(id))} of the module ${module_name} was not read with success for ${hours} hours, and guard_stale_max_hours is ${limit}: ${effect}. See its last_error, correct or disable it.`,
      ...{ module_id, entry_id: id, community: null, examples: [], measured: hours, limit },
    })),
  ];
}

/** As a sentence begins. Undefined: it is gone meanwhile. */
function sentenceOf(title = 'an entry'): string {
  return `${title[0]!.toUpperCase()}${title.slice(1)}`;
}
