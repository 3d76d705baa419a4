/** What an operator takes back: the module that was deleted, and the last entries that were removed. */
import fc from 'fast-check';
import type { RestoredEntries, RestoredModule } from '../../../src/api/lists/removed.ts';
import { chosen, deed, inOneStep, inSteps, pick } from '../deed.ts';
import type { ModuleModel, Removal } from '../model.ts';
import type { Life } from '../life.ts';
import { Contradiction } from '../walk.ts';
import { deleted, entriesOf, modules, titleOf, toCollect } from './things.ts';

type OfModule = Extract<Removal, { kind: 'module' }>;
type OfEntries = Extract<Removal, { kind: 'entries' }>;

function deletedModules({ removals, modules }: Life): OfModule[] {
  return removals.filter((one): one is OfModule => one.kind === 'module' && !modules.includes(one.module));
}

/** Of modules that are there. */
function removedEntries({ removals, modules }: Life): OfEntries[] {
  return removals.filter((one): one is OfEntries => one.kind === 'entries' && modules.includes(one.module));
}

function forget({ removals }: Life, removal: Removal): void {
  removals.splice(removals.indexOf(removal), 1);
}

interface Batches {
  readonly items: readonly { readonly id: string; readonly restored_at: string | null }[];
}

export const moduleBack = deed({
  weight: 4,
  drawn: pick,
  can: (life) => deletedModules(life).length > 0,
  async run(walk, number) {
    const { life } = walk;
    // Mostly the last one.
    const deleted = deletedModules(life).reverse();
    const removal = chosen(deleted, number % 3 === 0 ? number : 0);
    const { module } = removal;
    walk.tell(`module ${module.name}: restore it`);
    const answer = await walk.post<RestoredModule>(`/v1/modules/${module.id}/restore`);
    if (answer.restored !== module.entries.length)
      throw new Contradiction(
        `${answer.restored} entries of module ${module.name} came back, and it had ${module.entries.length}`,
      );
    if (answer.is_collected_again) {
      if (module.accepted !== null)
        throw new Contradiction(`What was accepted of module ${module.name} is gone`);
      forgetCollected(module);
    }
    forget(life, removal);
    life.modules.push(module);
    life.modules.sort((one, other) => (one.id < other.id ? -1 : 1));
    toCollect(life, module.entries.some(({ enabled }) => enabled) ? module : undefined);
  },
});

export const entriesBack = deed({
  weight: 5,
  drawn: pick,
  can: (life) => removedEntries(life).length > 0,
  async run(walk, number) {
    const { life } = walk;
    const removed = removedEntries(life);
    const { module } = chosen(removed.toReversed(), number % 3 === 0 ? number : 0);
    const removal = removed.findLast((one) => one.module === module)!;
    const path = `/v1/modules/${module.id}`;
    const { items } = await walk.get<Batches>(`${path}/removed-entries?limit=500`);
    const batch = items.find(({ restored_at: at }) => at === null);
    if (batch === undefined) throw new Contradiction(`Nothing of module ${module.name} can be restored`);
    const keys = removal.entries.map(({ key }) => key).join(', ');
    walk.tell(`module ${module.name}: restore ${keys}`);
    const answer = await walk.post<RestoredEntries>(`${path}/entries/restore`, { batch: batch.id });
    const known = new Set(module.entries.map((entry) => titleOf(module, entry)));
    const back = removal.entries.filter((entry) => !known.has(titleOf(module, entry)));
    if (answer.restored !== back.length || answer.already_there !== removal.entries.length - back.length)
      throw new Contradiction(
        `Of ${keys} ${answer.restored} came back and ${answer.already_there} were there, and not ${back.length}`,
      );
    forget(life, removal);
    module.entries.push(...back);
    module.entries.sort((one, other) => (one.id < other.id ? -1 : 1));
    toCollect(life, back.some(({ enabled }) => enabled) ? module : undefined);
  },
});

/** A mistake that is taken back, at once or after everybody has seen it: what is drawn by itself follows a deletion in few walks. */
function mistake(weight: number, wrong: ReturnType<typeof deed>, back: ReturnType<typeof deed>) {
  const drawn = fc.record({ wrong: wrong.arbitrary, back: back.arbitrary, isSeen: fc.boolean() });
  return {
    weight,
    arbitrary: drawn.map((one) => (one.isSeen ? inSteps : inOneStep)([one.wrong, one.back])),
  };
}

export const removalDeeds = [
  moduleBack,
  entriesBack,
  mistake(5, deleted(1, modules), moduleBack),
  mistake(
    5,
    deleted(1, entriesOf('IP_RANGES', 'CDN_SOURCES', 'AS_PREFIXES', 'DOMAINS', 'GEOFEED')),
    entriesBack,
  ),
];

/** Nothing had been collected of it. */
function forgetCollected(module: ModuleModel): void {
  Object.assign(module, { snapshot: new Map(), accepted: null, heldFor: null });
  for (const entry of module.entries) entry.held = null;
}
