/** What a plan has to do with holds: those that it brings, those that it ends, and those that it leaves as they are. */
import type { Module } from '../../service/queries.ts';
import type { Plan } from '../../service/writes.ts';

type Next = NonNullable<Plan['effect']['revision']>;

export interface PlannedHolds {
  /** Modules that would be held for something that holds none now. */
  readonly caused: Next['quarantined'];
  /** Modules that stay held as they are, whatever the plan is about. */
  readonly staying: readonly Module[];
  /** Modules that a rollback holds and that would be held no more: what it took back of them comes with the plan. */
  readonly freed: readonly Module[];
}

/** Whether a rollback holds the module. */
export function isRolledBack({ held }: Pick<Module, 'held'>): boolean {
  return held?.findings.some(({ code }) => code === 'rolled_back') === true;
}

export function plannedHolds(revision: Next | null, modules: readonly Module[]): PlannedHolds {
  if (revision === null) return { caused: [], staying: [], freed: [] };
  const { quarantined } = revision;
  const next = new Map(quarantined.map((one) => [one.module_id, one.snapshot]));
  const now = new Map(modules.map(({ id, held }) => [id, held?.snapshot]));
  return {
    caused: quarantined.filter(({ module_id: id, snapshot }) => now.get(id) !== snapshot),
    staying: modules.filter(({ id, held }) => held !== null && held.snapshot === next.get(id)),
    freed: modules.filter((module) => isRolledBack(module) && !next.has(module.id)),
  };
}
