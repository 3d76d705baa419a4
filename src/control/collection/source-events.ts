import type { OperatorEvent } from '../../api/activity/operator-events.ts';
import type { Module } from '../../api/lists/modules.ts';
import { emitEvent, type TenantTx } from '../../store/database/database.ts';
import { listUnwellEntries, type EntryStatus } from '../../store/entries/entry-statuses.ts';
import type { EntryOutcome } from '../collectors/collect-sources.ts';

/** Lines of one refresh: a resolver that is away turns thousands of names stale at once. */
const MAXIMUM_LINES = 20;

type Outcome = Pick<EntryOutcome, 'id' | 'status' | 'error'>;
type NamedModule = Pick<Module, 'id' | 'name' | 'type'>;

/** Emits events for sources that become stale, and for those that are good again. Call before the outcomes are written. */
export async function emitSourceChanges(
  tx: TenantTx,
  module: NamedModule,
  outcomes: readonly Outcome[],
): Promise<void> {
  const bad = outcomes.flatMap(({ id, status }) => (status === 'ok' ? [] : [id]));
  const before = await listUnwellEntries(tx, module, bad);
  const now = new Map(outcomes.map((outcome) => [outcome.id, outcome]));
  const turned = before.flatMap((entry): [EntryStatus, Outcome][] => {
    const outcome = now.get(entry.id);
    return outcome === undefined || isWell(entry) === isWell(outcome) ? [] : [[entry, outcome]];
  });
  for (const [entry, outcome] of turned.slice(0, MAXIMUM_LINES))
    emitEvent(tx, isWell(outcome) ? good(module, entry) : stale(module, entry, outcome));
  const more = turned.slice(MAXIMUM_LINES);
  for (const event of ['source_stale', 'source_good'] as const) {
    const count = more.filter(([, outcome]) => isWell(outcome) === (event === 'source_good')).length;
    if (count > 0) emitEvent(tx, others(module, event, count));
  }
}

/** One that was never read has not been bad either. */
function isWell({ status }: Pick<EntryStatus, 'status'>): boolean {
  return status === 'ok' || status === 'pending';
}

function good(module: NamedModule, entry: EntryStatus): OperatorEvent {
  const text = `The source ${entry.name} of the module ${module.name} is good again`;
  return { event: 'source_good', text, fields: fieldsOf(module, entry) };
}

function stale(module: NamedModule, entry: EntryStatus, { status, error }: Outcome): OperatorEvent {
  const kept = status === 'stale' ? 'Its last good prefixes stay.' : 'It has never brought any prefixes.';
  const words = error === null ? '' : `: ${error.replace(/\.$/, '')}`;
  return {
    event: 'source_stale',
    text: `The source ${entry.name} of the module ${module.name} is ${status}${words}. ${kept}`,
    fields: { ...fieldsOf(module, entry), status, reason: error },
  };
}

function others(module: NamedModule, event: OperatorEvent['event'], count: number): OperatorEvent {
  const state = event === 'source_good' ? 'good again' : 'stale';
  const text = `${count} more sources of the module ${module.name} are ${state}`;
  return { event, text, fields: { module_id: module.id, module: module.name, count } };
}

function fieldsOf(module: NamedModule, entry: EntryStatus): Readonly<Record<string, unknown>> {
  return { module_id: module.id, module: module.name, source_id: entry.id, source: entry.name };
}
