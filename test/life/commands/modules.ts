/** What an operator does to modules, communities and settings. */
import fc from 'fast-check';
import type { HeldDiff, HeldModule } from '../../../src/api/lists/held-modules.ts';
import { chosen, deed, pick } from '../deed.ts';
import { type ModuleType, NOTHING_YET } from '../model.ts';
import { isKept } from '../kept.ts';
import { isSame } from '../snapshots.ts';
import { COMMUNITIES, MOST_MODULES } from '../universe.ts';
import {
  communities,
  deleted,
  doneTo,
  FAMILIES,
  givenCommunity,
  givenFamilies,
  givenNextHop,
  modules,
  renamed,
  switched,
  toCollect,
} from './things.ts';

export const switchModule = switched(4, modules);

/** Modules that are read from somewhere. */
const collected: typeof modules = (life) =>
  modules(life).filter(({ model }) => model.type !== 'IP_RANGES' && model.type !== 'DOMAINS');

/** Modules that are held for what was collected last. */
const releasable: typeof modules = (life) =>
  modules(life).filter(
    ({ model }) =>
      model.enabled &&
      isSame(model.heldFor, model.snapshot) &&
      (!life.kept.has(model.id) || isKept(life, model)),
  );

/** Modules that stay as a rollback brought them back, and have not been edited since; they may be disabled. */
const broughtBack: typeof modules = (life) =>
  modules(life).filter(({ model }) => life.autoRevision && model.heldFor === null && isKept(life, model));

/** Edits of modules that may follow each other closely. */
export const moduleEdits = [
  switchModule,
  givenCommunity(2, modules, 'none'),
  givenFamilies(1, modules),
  doneTo({
    ...{ weight: 2, of: modules },
    async does(walk, { model, told, path }) {
      const purpose = model.purpose === 'announce' ? 'exclude' : 'announce';
      walk.tell(`${told}: purpose ${purpose}`);
      await walk.patch(path, { purpose });
      model.purpose = purpose;
      return undefined;
    },
  }),
  deed({
    weight: 1,
    drawn: fc.record({ community: pick }),
    can: () => true,
    async run(walk, { community: number }) {
      const community = walk.communityOf(number);
      walk.tell(`settings: default community ${community?.value ?? 'none'}`);
      await walk.setting({ default_community_id: community?.id ?? null });
      walk.life.defaultCommunity = community;
    },
  }),
  deed({
    weight: 2,
    drawn: fc.record({ pick, value: pick }),
    can: () => true,
    async run(walk, { pick: number, value: other }) {
      const { communities } = walk.life;
      const free = COMMUNITIES.filter((one) => !communities.some(({ value }) => value === one));
      const community = chosen(communities, number);
      const value = chosen(free, other);
      walk.tell(`community ${community.name}: value ${value} instead of ${community.value}`);
      await walk.patch(`/v1/communities/${community.id}`, { community: value });
      community.value = value;
    },
  }),
];

/** Exactly what it is held for is let through, whatever that would break by now. */
export const released = doneTo({
  ...{ weight: 6, of: releasable },
  async does(walk, { model, told, path }) {
    walk.tell(`${told}: release what it is held for`);
    const { held } = await walk.get<{ held: Pick<HeldModule, 'snapshot' | 'findings'> | null }>(path);
    const { findings } = await walk.get<HeldDiff>(`${path}/held/diff`);
    const override = [...new Set([...(held?.findings ?? []), ...findings].map(({ code }) => code))];
    const release = { override, reason: 'the customer may announce this' };
    await walk.post(`${path}/release`, { ...release, snapshot: held?.snapshot });
    const before = isSame(model.released, model.heldFor) ? model.releasedFor : [];
    model.released = model.heldFor;
    model.releasedFor = new Set([...before, ...override]);
    walk.life.kept.delete(model.id);
    return { builds: true };
  },
});

/** Where a community's routes go: what speakers run is applied once more, which a freeze puts off. */
export const givenCommunityHop = givenNextHop(3, (life) => (life.isFrozen ? [] : communities(life)));

/** What a rollback brought back goes by its list again. */
export const releasedBack = doneTo({
  ...{ weight: 3, of: broughtBack },
  async does(walk, { model, told, path }) {
    walk.tell(`${told}: release what a rollback brought back`);
    await walk.post(`${path}/release`, { override: ['rolled_back'], reason: 'the customer has left' });
    walk.life.kept.delete(model.id);
    return { builds: true };
  },
});

export const moduleDeeds = [
  givenCommunityHop,
  deed({
    weight: 5,
    drawn: fc.record({
      type: fc.constantFrom<ModuleType>(
        'IP_RANGES',
        'IP_RANGES',
        'CDN_SOURCES',
        'AS_PREFIXES',
        'DOMAINS',
        'GEOFEED',
      ),
      isExclude: fc.nat(4).map((number) => number === 4),
      community: pick,
    }),
    can: (life) => life.modules.length < MOST_MODULES,
    async run(walk, { type, isExclude, community: number }) {
      const { life } = walk;
      const name = `m${++life.made}`;
      const purpose = isExclude ? 'exclude' : 'announce';
      const community = walk.communityOf(number);
      walk.tell(`module ${name}: make it, ${type}, ${purpose}, community ${community?.value ?? 'none'}`);
      const resolvers =
        type === 'DOMAINS'
          ? { doh_profile_ids: [walk.dohProfileId], doh_resolver_policy: { retain_seconds: 0 } }
          : {};
      const body = { name, type, purpose, community_id: community?.id ?? null, ...resolvers };
      const { id } = await walk.post<{ id: string }>('/v1/modules', body);
      life.modules.push({
        ...{ id, name, type, purpose, community, enabled: true, canBeEmpty: false },
        ...{ families: FAMILIES[0]!, entries: [], ...NOTHING_YET },
      });
    },
  }),
  ...moduleEdits,
  released,
  releasedBack,
  deleted(1, modules),
  renamed(1, communities, 'title'),
  renamed(1, modules, 'description'),
  renamed(1, modules, 'name'),
  doneTo({
    ...{ weight: 1, of: collected },
    async does(walk, { model, told, path }) {
      walk.tell(`${told}: it ${model.canBeEmpty ? 'may not' : 'may'} be empty`);
      await walk.patch(path, { can_be_empty: !model.canBeEmpty });
      model.canBeEmpty = !model.canBeEmpty;
      toCollect(walk.life, model);
      return undefined;
    },
  }),
];
