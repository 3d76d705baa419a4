/** What an operator does to modules. */
import fc from 'fast-check';
import type { Family } from '../../../src/core/address.ts';
import { chosen, deed, pick } from '../deed.ts';

const MOST = 4;
const FAMILIES: readonly (readonly Family[])[] = [['ipv4', 'ipv6'], ['ipv4'], ['ipv6']];

export const switchModule = deed({
  weight: 4,
  drawn: fc.record({ pick }),
  can: ({ modules }) => modules.length > 0,
  async run(walk, { pick: number }) {
    const module = chosen(walk.life.modules, number);
    walk.tell(`module ${module.name}: ${module.enabled ? 'disable' : 'enable'}`);
    await walk.patch(`/v1/modules/${module.id}`, { enabled: !module.enabled });
    module.enabled = !module.enabled;
  },
});

export const moduleDeeds = [
  deed({
    weight: 4,
    drawn: fc.record({
      type: fc.constantFrom('IP_RANGES', 'CDN_SOURCES'),
      isExclude: fc.nat(4).map((number) => number === 4),
      community: pick,
    }),
    can: (life) => life.modules.length < MOST,
    async run(walk, { type, isExclude, community: number }) {
      const { life } = walk;
      const name = `m${++life.made}`;
      const purpose = isExclude ? 'exclude' : 'announce';
      const community = walk.communityOf(number);
      walk.tell(`module ${name}: make it, ${type}, ${purpose}, community ${community?.value ?? 'none'}`);
      const body = { name, type, purpose, community_id: community?.id ?? null };
      const { id } = await walk.post<{ id: string }>('/v1/modules', body);
      life.modules.push({
        ...{ id, name, type, purpose, community, enabled: true, canBeEmpty: false },
        ...{ families: FAMILIES[0]!, ranges: [], sources: [] },
      });
    },
  }),
  switchModule,
  deed({
    weight: 1,
    drawn: fc.record({ pick }),
    can: ({ modules }) => modules.length > 0,
    async run(walk, { pick: number }) {
      const module = chosen(walk.life.modules, number);
      walk.tell(`module ${module.name}: delete`);
      await walk.delete(`/v1/modules/${module.id}`);
      walk.life.modules.splice(walk.life.modules.indexOf(module), 1);
    },
  }),
  deed({
    weight: 2,
    drawn: fc.record({ pick, community: pick }),
    can: ({ modules }) => modules.length > 0,
    async run(walk, { pick: number, community: other }) {
      const module = chosen(walk.life.modules, number);
      const community = walk.communityOf(other);
      walk.tell(`module ${module.name}: community ${community?.value ?? 'none'}`);
      await walk.patch(`/v1/modules/${module.id}`, { community_id: community?.id ?? null });
      module.community = community;
    },
  }),
  deed({
    weight: 2,
    drawn: fc.record({ pick }),
    can: ({ modules }) => modules.length > 0,
    async run(walk, { pick: number }) {
      const module = chosen(walk.life.modules, number);
      const purpose = module.purpose === 'announce' ? 'exclude' : 'announce';
      walk.tell(`module ${module.name}: purpose ${purpose}`);
      await walk.patch(`/v1/modules/${module.id}`, { purpose });
      module.purpose = purpose;
    },
  }),
  deed({
    weight: 1,
    drawn: fc.record({ pick, families: pick }),
    can: ({ modules }) => modules.length > 0,
    async run(walk, { pick: number, families: other }) {
      const module = chosen(walk.life.modules, number);
      const families = chosen(FAMILIES, other);
      walk.tell(`module ${module.name}: families ${families.join(' and ')}`);
      await walk.patch(`/v1/modules/${module.id}`, { families });
      module.families = families;
    },
  }),
  deed({
    weight: 1,
    drawn: fc.record({ pick }),
    can: ({ modules }) => modules.some(({ type }) => type === 'CDN_SOURCES'),
    async run(walk, { pick: number }) {
      const modules = walk.life.modules.filter(({ type }) => type === 'CDN_SOURCES');
      const module = chosen(modules, number);
      walk.tell(`module ${module.name}: it ${module.canBeEmpty ? 'may not' : 'may'} be empty`);
      await walk.patch(`/v1/modules/${module.id}`, { can_be_empty: !module.canBeEmpty });
      module.canBeEmpty = !module.canBeEmpty;
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
];
