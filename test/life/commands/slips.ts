/** What an operator does to lists that are long enough for a slip, and to those that are held for one. */
import fc from 'fast-check';
import { chosen, deed, inSteps, pick } from '../deed.ts';
import { type EntryModel, type ModuleModel, NOTHING_YET, type Slip } from '../model.ts';
import type { Life } from '../life.ts';
import { stateOf } from '../slips.ts';
import { BLOCKS, MOST_MODULES } from '../universe.ts';
import type { Walk } from '../walk.ts';
import { moduleEdits, switchModule } from './modules.ts';
import { switchApplies } from './operations.ts';
import { applyReady, askForRevision, rollBack } from './revisions.ts';
import { speakerDeeds } from './peers.ts';
import { importRows } from './ranges.ts';
import { removalDeeds } from './removals.ts';
import { addSource, answering, sourceDeeds } from './sources.ts';
import { deleted, FAMILIES, modules } from './things.ts';

/** One of four in each four is left, or two, or three. */
const part = fc.record({ pick, offset: fc.nat(3), share: fc.nat(3) });

const isIn =
  ({ offset, share }: { readonly offset: number; readonly share: number }) =>
  (_: unknown, at: number): boolean =>
    (at + offset) % 4 < share;

function lists(life: Life): ModuleModel[] {
  return life.modulesOf('IP_RANGES').filter(({ entries }) => entries.length > 0);
}

const rowOf = ({ key: cidr, enabled, communities }: EntryModel) => ({ cidr, enabled, communities });

/** Makes a module with the block in it. */
export async function addList(walk: Walk, block: number, isExclude: boolean, told: string): Promise<void> {
  const { life } = walk;
  const name = `m${++life.made}`;
  const purpose = isExclude ? 'exclude' : 'announce';
  const community = isExclude ? null : life.communities[block]!;
  walk.tell(`module ${name}: make it, ${purpose}, with ${told}`);
  const body = { name, type: 'IP_RANGES', purpose, community_id: community?.id ?? null } as const;
  const { id } = await walk.post<{ id: string }>('/v1/modules', body);
  const module: ModuleModel = {
    ...{ id, name, type: 'IP_RANGES', purpose, community, enabled: true, canBeEmpty: false },
    ...{ families: FAMILIES[0]!, entries: [], ...NOTHING_YET },
  };
  life.modules.push(module);
  const rows = BLOCKS[block]!.map((cidr) => ({ cidr, enabled: true, communities: [] }));
  await importRows(walk, module, rows, 'append');
}

/**
 * Held ones that are there, or were deleted, and are what they were judged as: where no revision follows an edit by itself, the service has to see that
 * first.
 */
function heldSlips(life: Life): Slip[] {
  return [...life.slips.values()].filter(({ module, state }) => state === stateOf(life, module));
}

/** Edits that may take much away. */
const slips = [
  switchModule,
  deleted(2, modules),
  deed({
    weight: 6,
    drawn: part,
    can: (life) => lists(life).length > 0,
    async run(walk, { pick: number, ...which }) {
      const module = chosen(lists(walk.life), number);
      const rows = module.entries.filter(isIn(which)).map(rowOf);
      walk.tell(`module ${module.name}: leave ${rows.length} of ${module.entries.length} ranges`);
      await importRows(walk, module, rows, 'replace');
    },
  }),
  deed({
    weight: 6,
    drawn: fc.record({ part, enabled: fc.boolean() }),
    can: (life) => lists(life).length > 0,
    async run(walk, { part: { pick: number, ...which }, enabled }) {
      const module = chosen(lists(walk.life), number);
      const rows = module.entries.filter(isIn(which)).map((entry) => ({ ...rowOf(entry), enabled }));
      walk.tell(`module ${module.name}: ${enabled ? 'enable' : 'disable'} ${rows.length} ranges`);
      await importRows(walk, module, rows, 'append');
    },
  }),
];

/** Edits that take nothing away, unless they exclude. */
const additions = [
  deed({
    weight: 5,
    drawn: fc.record({ pick, block: pick }),
    can: (life) => life.modulesOf('IP_RANGES').length > 0,
    async run(walk, { pick: number, block: other }) {
      const module = chosen(walk.life.modulesOf('IP_RANGES'), number);
      const known = new Set(module.entries.map(({ key }) => key));
      const block = other % BLOCKS.length;
      const rows = BLOCKS[block]!.filter((cidr) => !known.has(cidr));
      walk.tell(`module ${module.name}: add ${rows.length} ranges of block ${block}`);
      const told = rows.map((cidr) => ({ cidr, enabled: true, communities: [] }));
      await importRows(walk, module, told, 'append');
    },
  }),
  deed({
    weight: 4,
    drawn: fc.record({ block: pick, isExclude: fc.boolean() }),
    can: (life) => life.modules.length < MOST_MODULES,
    async run(walk, { block: other, isExclude }) {
      const block = other % BLOCKS.length;
      await addList(walk, block, isExclude, `block ${block}`);
    },
  }),
];

const sourceList = deed({
  weight: 4,
  drawn: pick,
  can: (life) => life.modules.length < MOST_MODULES,
  async run(walk, number) {
    await addSource(walk, 0, number);
    return undefined;
  },
});

const limit = deed({
  weight: 3,
  drawn: fc.constantFrom(20, 50, 80, 100),
  can: ({ maxWithdraw }, percent) => maxWithdraw !== percent,
  async run(walk, percent) {
    walk.tell(`settings: edits may take ${percent} % away`);
    await walk.setting({ guard_max_withdraw_percent: percent });
    walk.life.maxWithdraw = percent;
  },
});

const release = deed({
  weight: 8,
  drawn: pick,
  can: (life) => heldSlips(life).length > 0,
  async run(walk, number) {
    const { module } = chosen(heldSlips(walk.life), number);
    walk.tell(`module ${module.name}: release what its edits take away`);
    const path = `/v1/modules/${module.id}`;
    const { snapshot, findings } = await walk.get<Held>(`${path}/held/diff`);
    const override = [...new Set(findings.map(({ code }) => code))];
    await walk.post(`${path}/release`, { override, reason: 'the customer has left', snapshot });
    walk.life.releasedSlips.set(module.id, { state: stateOf(walk.life, module) });
    return { builds: true };
  },
});

export const slipDeeds = [
  ...moduleEdits,
  ...slips,
  ...additions,
  sourceList,
  ...sourceDeeds,
  ...removalDeeds,
  ...speakerDeeds,
  limit,
  release,
  rollBack,
  switchApplies,
  applyReady,
  {
    weight: 30,
    arbitrary: fc
      .tuple(
        fc.oneof(...slips),
        fc.oneof(release, release, rollBack, limit, ...slips, ...additions, answering),
        fc.oneof(release, answering, ...slips),
      )
      .map(inSteps),
  },
  // A speaker that is behind: what it runs is not what was built last.
  {
    weight: 16,
    arbitrary: fc
      .tuple(
        fc.oneof(switchApplies, applyReady),
        fc.oneof(...slips, ...additions, answering),
        fc.oneof(release, ...slips, ...additions, applyReady, rollBack),
        fc.oneof(release, switchApplies, limit, applyReady),
        fc.oneof(...slips, ...additions, release),
      )
      .map(inSteps),
  },
  askForRevision(2),
];

interface Held {
  readonly snapshot: string;
  readonly findings: readonly { readonly code: string }[];
}
