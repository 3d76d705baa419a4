/** The part of the oracle that is about sources: what a module has of them once they were asked. */
import { AddressRanges } from '../oracle/address-ranges.ts';
import { plainText } from '../oracle/aggregate.ts';
import type { Answer, EntryModel, ModuleModel } from './model.ts';
import type { Life } from './life.ts';
import { isStillTakenBack } from './judging.ts';
import { isSame } from './snapshots.ts';
import { FAMILIES, parsed } from './prefixes.ts';
import { familyOf } from './routes.ts';
import { ABROAD } from './universe.ts';

/** What became of a source when it was asked. */
export type Collected = 'good' | 'failed';

/** The module's enabled entries are asked for, and those that are disabled are forgotten. */
export function collect(life: Life, module: ModuleModel): Collected[] {
  const isBack = life.kept.has(module.id);
  // Sources that fail have nothing to say about what is held.
  if ((module.heldFor !== null || isBack) && isHopeless(life, module)) return ['failed'];
  // One of several that fails corrects nothing that a rollback took back.
  if (isBack || (module.heldFor !== null && isStillTakenBack(life, module, module.heldFor))) {
    const tried = triedOf(life, module);
    if (tried.includes('failed')) return tried;
  }
  const asked = module.entries.map((entry): Collected | null => {
    entry.held = keptOf(module, entry);
    if (entry.enabled) return collectEntry(life, module, entry);
    entry.held = null;
    return null;
  });
  const contributing = module.entries.filter(({ held }) => held !== null);
  module.snapshot = new Map(contributing.map(({ id, held }) => [id, held!]));
  life.askedFor.set(module.snapshot, new Map(contributing.map(({ id, heldKey }) => [id, heldKey!])));
  module.keys = module.entries
    .filter(({ enabled }) => enabled)
    .map(({ id, key }) => `${id} ${key}`)
    .join('\n');
  return asked.filter((outcome) => outcome !== null);
}

/** Whether everything that the module would ask for fails. */
export function isHopeless(life: Life, module: ModuleModel): boolean {
  const tried = triedOf(life, module);
  return tried.length > 0 && tried.every((outcome) => outcome === 'failed');
}

/** What would become of each enabled entry. */
function triedOf(life: Life, module: ModuleModel): Collected[] {
  return module.entries
    .filter(({ enabled }) => enabled)
    .map((entry) => collectEntry(life, module, { ...entry, held: keptOf(module, entry) }));
}

/** What an entry has to keep when it fails: never what was held back, or was never accepted. */
function keptOf({ accepted, heldFor, snapshot }: ModuleModel, { id, held }: EntryModel): EntryModel['held'] {
  const isOpen = !isSame(heldFor, snapshot) && !isSame(accepted?.snapshot ?? null, snapshot);
  if (isOpen) return held;
  return (accepted?.counted.has(id) === true ? accepted.snapshot.get(id) : null) ?? null;
}

function collectEntry(life: Life, module: ModuleModel, entry: EntryModel): Collected {
  const answer: Answer = life.answers.get(entry.key) ?? { kind: 'failure', status: 404 };
  const rows = answer.kind === 'list' ? answer.rows : [];
  switch (module.type) {
    case 'IP_RANGES':
      entry.held = [entry.key];
      entry.heldKey = entry.key;
      return 'good';
    case 'CDN_SOURCES':
      if (answer.kind !== 'list' && !(answer.kind === 'nothing' && module.canBeEmpty)) return 'failed';
      break;
    case 'GEOFEED':
      if (answer.kind !== 'list' && !(answer.kind === 'nothing' && module.canBeEmpty)) return 'failed';
      if (placed(rows).length === 0 && !module.canBeEmpty) return 'failed';
      break;
    case 'AS_PREFIXES':
      // One that falls silent keeps its networks; one that never had any has none.
      if (rows.length === 0 && entry.held !== null && !module.canBeEmpty) return 'failed';
      break;
    case 'DOMAINS':
      if (answer.kind !== 'list' && answer.kind !== 'nothing') return 'failed';
      break;
  }
  // Resolvers are asked for the families of the module only.
  const told =
    module.type === 'DOMAINS'
      ? rows.filter((row) => module.families.includes(familyOf(row)))
      : module.type === 'GEOFEED'
        ? placed(rows)
        : rows;
  entry.held = told.length === 0 ? null : told;
  entry.heldKey = entry.key;
  return 'good';
}

/** What a geofeed of these rows has in the country: the longest prefix around an address says where that is. */
function placed(rows: readonly string[]): string[] {
  return FAMILIES.flatMap((family) => {
    const own = rows.filter((row) => familyOf(row) === family);
    let inside = new AddressRanges([]);
    for (const row of own.toSorted((one, other) => parsed(one).length - parsed(other).length)) {
      const range = AddressRanges.of([parsed(row)]);
      inside = ABROAD.has(row) ? inside.subtract(range) : inside.union(range);
    }
    return inside.ranges.length === 0 ? [] : inside.minimalCover(family).map(plainText);
  });
}
