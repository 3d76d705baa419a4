import type { Finding } from '../../api/revisions/revisions.ts';
import type { SnapshotNotes } from '../../store/modules/snapshots.ts';
import type { EntryOutcome } from '../collectors/collect-sources.ts';

/** Entries of a module that its warnings name one by one. */
const MAXIMUM_WARNINGS = 100;

interface Module {
  readonly id: string;
  readonly name: string;
}

/**
 * What a snapshot says beside its prefixes: the version of each entry that they belong to, and what was dropped. What an entry keeps
 * because it could not be read belongs to the version of then.
 * @param before of the module's last snapshot
 */
export function notesOf(
  module: Module,
  outcomes: readonly EntryOutcome[],
  before: SnapshotNotes,
): SnapshotNotes {
  const kept = versionsIn(before);
  const versions = outcomes.flatMap(({ id, questionVersion, status, modified }): [string, string][] => {
    const known = status === 'ok' || modified ? String(questionVersion) : kept.get(id);
    return known === undefined ? [] : [[id, known]];
  });
  return { entries: listOf(new Map(versions)), warnings: warningsOf(module, outcomes, before.warnings) };
}

/** The notes as if the reading had begun after `current` was noted by another refresh of the module. */
export function rebaseNotes(
  module: Module,
  outcomes: readonly EntryOutcome[],
  current: SnapshotNotes,
): SnapshotNotes {
  const versions = versionsIn(current);
  for (const { id, questionVersion, modified } of outcomes)
    if (modified) versions.set(id, String(questionVersion));
  return { entries: listOf(versions), warnings: warningsOf(module, outcomes, current.warnings) };
}

function versionsIn({ entries }: SnapshotNotes): Map<string, string> {
  const pairs = (entries ?? '').split(',').filter((entry) => entry !== '');
  return new Map(pairs.map((entry) => entry.split(' ') as [string, string]));
}

function listOf(versions: ReadonlyMap<string, string>): string {
  return Array.from(versions, ([id, version]) => `${id} ${version}`)
    .sort()
    .join(',');
}

/** An answer that says that nothing changed says nothing of what was dropped when it was read. */
function warningsOf(
  { id: moduleId, name }: Module,
  outcomes: readonly EntryOutcome[],
  before: readonly Finding[],
): Finding[] {
  const known = new Map(before.map((warning) => [warning.entry_id, warning]));
  const warnings = outcomes.flatMap(({ id, modified, bogons }): Finding[] => {
    if (!modified) return [known.get(id) ?? []].flat();
    return bogons === 0 ? [] : [dropped(bogons, `an entry of the module ${name}`, moduleId, id)];
  });
  if (warnings.length <= MAXIMUM_WARNINGS) return warnings;
  const rest = warnings.slice(MAXIMUM_WARNINGS);
  const count = rest.reduce((sum, { measured }) => sum + (measured ?? 0), 0);
  return [
    ...warnings.slice(0, MAXIMUM_WARNINGS),
    dropped(count, `${rest.length} more entries of the module ${name}`, moduleId, null),
  ];
}

function dropped(count: number, where: string, moduleId: string, entryId: string | null): Finding {
  return {
    code: 'bogon_prefix',
    detail: `${count} prefixes that hold special-purpose addresses were dropped out of ${where}, or cut around them.`,
    ...{ module_id: moduleId, entry_id: entryId, community: null },
    ...{ examples: [], measured: count, limit: 0 },
  };
}
