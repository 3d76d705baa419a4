import type { Finding } from '../../api/revisions/revisions.ts';
import type { Reject } from '../../core/text/prefix-text.ts';
import type { SnapshotNotes } from '../../store/modules/snapshots.ts';
import type { EntryOutcome } from '../collectors/collect-sources.ts';

/** Entries of a module that its warnings of one kind name one by one. */
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
  const known = Map.groupBy(before, (warning) => warning.entry_id);
  const warnings = outcomes.flatMap(({ id, modified, bogons, rejected, rejects }): Finding[] => {
    if (!modified) return known.get(id) ?? [];
    const where = `an entry of the module ${name}`;
    return [
      ...(bogons === 0 ? [] : [dropped(bogons, where, moduleId, id)]),
      ...(rejects.length === 0 ? [] : [unreadable(rejected, where, moduleId, id, rejects[0])]),
    ];
  });
  return [
    ...shortened(
      warnings.filter(({ code }) => code === 'bogon_prefix'),
      (count, entries) => dropped(count, `${entries} more entries of the module ${name}`, moduleId, null),
    ),
    ...shortened(
      warnings.filter(({ code }) => code === 'unreadable_lines'),
      (count, entries) => unreadable(count, `${entries} more entries of the module ${name}`, moduleId, null),
    ),
  ];
}

/** The first warnings of one kind, and one that counts the others. */
function shortened(
  warnings: readonly Finding[],
  others: (count: number, entries: number) => Finding,
): Finding[] {
  const rest = warnings.slice(MAXIMUM_WARNINGS);
  const first = warnings.slice(0, MAXIMUM_WARNINGS);
  if (rest.length === 0) return first;
  const count = rest.reduce((sum, { measured }) => sum + (measured ?? 0), 0);
  return [...first, others(count, rest.length)];
}

function unreadable(
  count: number,
  where: string,
  moduleId: string,
  entryId: string | null,
  first?: Reject,
): Finding {
  const example = first === undefined ? '' : ` The first, line ${first.line}: ${first.reason}.`;
  return {
    code: 'unreadable_lines',
    detail: `${count} lines of ${where} cannot be read, and nothing is announced for them.${example} See rejected of the entry, and correct the source.`,
    ...{ module_id: moduleId, entry_id: entryId, community: null },
    ...{ examples: [], measured: count, limit: 0 },
  };
}

function dropped(count: number, where: string, moduleId: string, entryId: string | null): Finding {
  return {
    code: 'bogon_prefix',
    detail:
      count === 1
        ? `1 prefix that holds special-purpose addresses was dropped out of ${where}, or cut around them.`
        : `${count} prefixes that hold special-purpose addresses were dropped out of ${where}, or cut around them.`,
    ...{ module_id: moduleId, entry_id: entryId, community: null },
    ...{ examples: [], measured: count, limit: 0 },
  };
}
