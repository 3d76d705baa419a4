import { ENTRY_KINDS, type ModuleType } from '../../api/entries/entry-kinds.ts';
import { Problem, type FieldFault } from '../../api/problems/problem.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { identifyModule } from '../../store/modules/modules.ts';
import { mapInSlices } from '../../concurrency/slices.ts';
import { findRepeats, refuseFaults } from '../body-faults.ts';
import { type CommonMembers, findCommonFaults } from './common-members.ts';

/** A body that has been looked at: what to store and the key that no other entry of the module may have, or what is wrong with which field. */
export type CheckedEntry<Entry> =
  | { readonly ok: true; readonly key: string; readonly entry: Entry }
  | { readonly ok: false; readonly faults: readonly EntryFault[] };

export interface EntryFault {
  /** The field's name, or a path below it such as `headers/Accept`. */
  readonly field: string;
  readonly detail: string;
}

/**
 * What is to be stored of bodies that are all good for this module.
 * @param pointerOf where a body stands in the request
 * @param type of the modules that hold them
 * @throws {Problem} `not_found` and `conflict` for the module, `validation_failed` for the bodies
 */
export async function checkEntries<Body extends CommonMembers, Entry>(
  tx: TenantTx,
  moduleId: string,
  bodies: readonly Body[],
  pointerOf: (index: number) => string,
  type: ModuleType,
  check: (body: Body) => CheckedEntry<Entry>,
): Promise<Entry[]> {
  const { plural, key } = ENTRY_KINDS[type];
  const module = await identifyModule(tx, moduleId);
  if (module.type !== type)
    throw new Problem(
      'conflict',
      `The module ${module.name} is of type ${module.type}; ${plural} belong to modules of type ${type}.`,
    );
  const checked = await mapInSlices(bodies, check);
  const keys = checked.map((entry) => (entry.ok ? entry.key : null));
  refuseFaults([
    ...checked.flatMap((entry, index) => (entry.ok ? [] : located(entry.faults, pointerOf(index)))),
    ...findRepeats(keys, (index) => `${pointerOf(index)}/${key}`),
    ...(await findCommonFaults(tx, bodies, pointerOf)),
  ]);
  return checked.flatMap((entry) => (entry.ok ? [entry.entry] : []));
}

function located(faults: readonly EntryFault[], pointer: string): FieldFault[] {
  return faults.map(({ field, detail }) => ({ pointer: `${pointer}/${field}`, detail }));
}
