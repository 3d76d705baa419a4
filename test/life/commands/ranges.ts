/** What an operator does to address ranges. */
import fc from 'fast-check';
import { chosen, deed, pick } from '../deed.ts';
import type { Life, ModuleModel } from '../model.ts';
import { SMALL } from '../universe.ts';

const range = fc.constantFrom(...SMALL);

function rangeModules({ modules }: Life): ModuleModel[] {
  return modules.filter(({ type }) => type === 'IP_RANGES');
}

export const rangeDeeds = [
  deed({
    weight: 5,
    drawn: fc.record({
      pick,
      cidrs: fc.uniqueArray(range, { minLength: 1, maxLength: 4 }),
      community: fc.nat(24),
    }),
    can: (life) => rangeModules(life).length > 0,
    async run(walk, { pick: number, cidrs, community: other }) {
      const { life } = walk;
      const module = chosen(rangeModules(life), number);
      const held = new Set(module.ranges.map(({ cidr }) => cidr));
      const fresh = cidrs.filter((cidr) => !held.has(cidr));
      const community = other < 5 ? walk.communityOf(other) : null;
      walk.tell(
        `module ${module.name}: add ${fresh.join(', ') || 'nothing'}, community ${community?.value ?? "the module's"}`,
      );
      if (fresh.length === 0) return;
      const { items } = await walk.post<{ items: { id: string }[] }>(walk.path(module, 'ip-range-entries'), {
        items: fresh.map((cidr) => ({ cidr, community_id: community?.id ?? null })),
      });
      items.forEach(({ id }, at) =>
        module.ranges.push({ id, name: `r${++life.made}`, cidr: fresh[at]!, enabled: true, community }),
      );
    },
  }),
  deed({
    weight: 3,
    drawn: fc.record({ pick }),
    can: ({ ranges }) => ranges.length > 0,
    async run(walk, { pick: number }) {
      const { module, range: entry } = chosen(walk.life.ranges, number);
      walk.tell(`module ${module.name}: remove ${entry.cidr}`);
      await walk.delete(`${walk.path(module, 'ip-range-entries')}/${entry.id}`);
      module.ranges.splice(module.ranges.indexOf(entry), 1);
    },
  }),
  deed({
    weight: 2,
    drawn: fc.record({ pick }),
    can: ({ ranges }) => ranges.length > 0,
    async run(walk, { pick: number }) {
      const { module, range: entry } = chosen(walk.life.ranges, number);
      walk.tell(`module ${module.name}: ${entry.enabled ? 'disable' : 'enable'} ${entry.cidr}`);
      await walk.patch(`${walk.path(module, 'ip-range-entries')}/${entry.id}`, { enabled: !entry.enabled });
      entry.enabled = !entry.enabled;
    },
  }),
  deed({
    weight: 2,
    drawn: fc.record({ pick, cidr: range }),
    can: ({ ranges }) => ranges.length > 0,
    async run(walk, { pick: number, cidr }) {
      const { module, range: entry } = chosen(walk.life.ranges, number);
      if (module.ranges.some((other) => other.cidr === cidr)) return;
      walk.tell(`module ${module.name}: ${entry.cidr} becomes ${cidr}`);
      await walk.patch(`${walk.path(module, 'ip-range-entries')}/${entry.id}`, { cidr });
      entry.cidr = cidr;
    },
  }),
  deed({
    weight: 2,
    drawn: fc.record({ pick, community: pick }),
    can: ({ ranges }) => ranges.length > 0,
    async run(walk, { pick: number, community: other }) {
      const { module, range: entry } = chosen(walk.life.ranges, number);
      const community = walk.communityOf(other);
      walk.tell(`module ${module.name}: ${entry.cidr} has community ${community?.value ?? "the module's"}`);
      await walk.patch(`${walk.path(module, 'ip-range-entries')}/${entry.id}`, {
        community_id: community?.id ?? null,
      });
      entry.community = community;
    },
  }),
];
