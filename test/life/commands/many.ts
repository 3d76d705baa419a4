/** What an operator does to many entries of a module in one request: those that are named, or those that a filter finds. */
import fc from 'fast-check';
import { chosen, deed, pick } from '../deed.ts';
import type { EntryModel, ModuleModel } from '../model.ts';
import type { Life } from '../life.ts';
import { entriesPath, given, namesOf, titleOf, toCollect } from './things.ts';

interface Choice {
  readonly pick: number;
  readonly bits: number;
  readonly isFilter: boolean;
}

/** Which entries: each that its bit names, or all that are enabled, or disabled. */
const choice: fc.Arbitrary<Choice> = fc.record({
  ...{ pick, bits: fc.integer({ min: 1, max: 255 }), isFilter: fc.boolean() },
});

interface Chosen {
  readonly module: ModuleModel;
  readonly entries: readonly EntryModel[];
  readonly body: { readonly ids: readonly string[] } | { readonly filter: object };
  readonly told: string;
}

function filled({ modules }: Life): ModuleModel[] {
  return modules.filter(({ entries }) => entries.length > 0);
}

function choose(life: Life, { pick: number, bits, isFilter }: Choice): Chosen {
  const module = chosen(filled(life), number);
  if (isFilter) {
    const { enabled } = chosen(module.entries, bits);
    const entries = module.entries.filter((entry) => entry.enabled === enabled);
    const told = `all ${entries.length} that are ${enabled ? 'enabled' : 'disabled'}`;
    return { module, entries, body: { filter: { enabled } }, told };
  }
  const named = module.entries.filter((_, at) => ((bits >> (at % 8)) & 1) === 1);
  const entries = named.length > 0 ? named : [module.entries[0]!];
  return {
    module,
    entries,
    body: { ids: entries.map(({ id }) => id) },
    told: entries.map((entry) => titleOf(module, entry)).join(', '),
  };
}

const can = (life: Life): boolean => filled(life).length > 0;

export const manyDeeds = [
  deed({
    weight: 3,
    drawn: fc.record({ choice, enabled: fc.boolean() }),
    can,
    async run(walk, { choice: drawn, enabled }) {
      const { module, entries, body, told } = choose(walk.life, drawn);
      walk.tell(`module ${module.name}: ${enabled ? 'enable' : 'disable'} ${told}`);
      await walk.patch(entriesPath(module), { ...body, patch: { enabled } });
      const isNew = enabled && entries.some((entry) => !entry.enabled);
      for (const entry of entries) entry.enabled = enabled;
      if (isNew) toCollect(walk.life, module);
    },
  }),
  deed({
    weight: 2,
    drawn: fc.record({ choice, carried: pick }),
    can,
    async run(walk, { choice: drawn, carried }) {
      const { module, entries, body, told } = choose(walk.life, drawn);
      const communities = walk.communitiesOf(carried);
      walk.tell(`module ${module.name}: ${namesOf(communities, "the module's")} for ${told}`);
      await walk.patch(entriesPath(module), { ...body, patch: given(communities) });
      for (const entry of entries) entry.communities = communities;
    },
  }),
  deed({
    weight: 2,
    drawn: choice,
    can,
    async run(walk, drawn) {
      const { module, entries, body, told } = choose(walk.life, drawn);
      walk.tell(`module ${module.name}: delete ${told}`);
      await walk.delete(entriesPath(module), body);
      walk.life.removals.push({ kind: 'entries', module, entries });
      module.entries.splice(0, Infinity, ...module.entries.filter((entry) => !entries.includes(entry)));
    },
  }),
];
