/** What an operator does to sources, and what sources do by themselves. */
import fc from 'fast-check';
import { chosen, deed, pick } from '../deed.ts';
import type { Answer, Life, ModuleModel } from '../model.ts';
import { SMALL, largeList } from '../universe.ts';
import type { Walk } from '../walk.ts';

/** States that a source is in again and again; with a few more, which it is in once. */
const STATES: readonly (readonly string[])[] = [
  ['45.10.0.0/24'],
  ['45.10.0.0/24', '45.10.1.0/24'],
  ['45.10.0.128/25', '2a0e:b100::/32'],
  ['2a0e:b101::/32', '2a0e:b100:8000::/33', '45.10.2.0/24'],
];

const list = (rows: readonly string[]): Answer => ({ kind: 'list', rows, told: `{${rows.join(', ')}}` });

const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...STATES).map(list) },
  {
    weight: 2,
    arbitrary: fc.uniqueArray(fc.constantFrom(...SMALL), { minLength: 1, maxLength: 6 }).map(list),
  },
  { weight: 1, arbitrary: fc.constant<Answer>({ kind: 'nothing' }) },
  { weight: 1, arbitrary: fc.constant<Answer>({ kind: 'nonsense' }) },
  { weight: 1, arbitrary: fc.constantFrom(404, 500).map((status): Answer => ({ kind: 'failure', status })) },
  { weight: 1, arbitrary: fc.constant<Answer>({ kind: 'broken line' }) },
);

/** The same for a tenant of large lists. */
const LARGE: readonly Answer[] = [0, 1, 2].map((state) => ({
  ...{ kind: 'list', rows: largeList(state), told: `the large list ${state}` },
}));

/** What fast-check drew; of large lists always one of a few, and seldom anything else. */
function sized({ hasLargeLists }: Life, said: Answer, number: number): Answer {
  return hasLargeLists && (said.kind === 'list' || number % 3 > 0) ? chosen(LARGE, number >> 2) : said;
}

function told(said: Answer): string {
  switch (said.kind) {
    case 'list':
      return said.told;
    case 'failure':
      return `status ${said.status}`;
    default:
      return said.kind;
  }
}

function sourceModules({ modules }: Life): ModuleModel[] {
  return modules.filter(({ type }) => type === 'CDN_SOURCES');
}

function answers(walk: Walk, path: string, said: Answer): void {
  walk.life.answers.set(path, said);
  walk.world.answers.set(path, said);
}

/** What most walks would begin with: a module, and a source that answers. */
export async function addSource(walk: Walk, state: number): Promise<void> {
  const { life } = walk;
  const said = sized(life, list(STATES[state]!), 0);
  const [name, module] = [`s${++life.made}`, `m${life.made}`];
  const path = `/${walk.slug}/${name}`;
  walk.tell(`module ${module}: make it, with source ${name}, which answers ${told(said)}`);
  answers(walk, path, said);
  const [community] = life.communities;
  const body = { name: module, type: 'CDN_SOURCES', community_id: community!.id };
  const { id } = await walk.post<{ id: string }>('/v1/modules', body);
  const url = walk.world.listUrl + path;
  const source = await walk.post<{ id: string }>(`/v1/modules/${id}/cdn-sources`, { name, url });
  life.modules.push({
    ...{ id, name: module, type: 'CDN_SOURCES', purpose: 'announce', enabled: true, canBeEmpty: false },
    ...{ community: community!, families: ['ipv4', 'ipv6'], ranges: [] },
    sources: [{ id: source.id, name, path, enabled: true, community: null, held: null }],
  });
}

export const sourceDeeds = [
  deed({
    weight: 5,
    drawn: fc.record({
      pick,
      said: answer,
      community: fc.nat(24),
    }),
    can: (life) => sourceModules(life).length > 0 && life.sources.length < (life.hasLargeLists ? 2 : 5),
    async run(walk, { pick: number, said: drawn, community: other }) {
      const { life } = walk;
      const said = sized(life, drawn, number);
      const module = chosen(sourceModules(life), number);
      const name = `s${++life.made}`;
      const path = `/${walk.slug}/${name}`;
      const community = other < 5 ? walk.communityOf(other) : null;
      walk.tell(
        `module ${module.name}: add source ${name}, which answers ${told(said)}, community ${community?.value ?? "the module's"}`,
      );
      answers(walk, path, said);
      const { id } = await walk.post<{ id: string }>(walk.path(module, 'cdn-sources'), {
        ...{ name, url: walk.world.listUrl + path, community_id: community?.id ?? null },
      });
      module.sources.push({ id, name, path, enabled: true, community, held: null });
    },
  }),
  deed({
    weight: 14,
    drawn: fc.record({ pick, said: answer }),
    can: ({ sources }) => sources.length > 0,
    async run(walk, { pick: number, said: drawn }) {
      const { module, source } = chosen(walk.life.sources, number);
      const said = sized(walk.life, drawn, number);
      walk.tell(`source ${source.name} answers ${told(said)}; refresh module ${module.name}`);
      answers(walk, source.path, said);
      return walk.refresh([module]);
    },
  }),
  deed({
    weight: 3,
    drawn: fc.record({ pick }),
    can: ({ sources }) => sources.length > 0,
    async run(walk, { pick: number }) {
      const { module, source } = chosen(walk.life.sources, number);
      walk.tell(`source ${source.name}: ${source.enabled ? 'disable' : 'enable'}`);
      await walk.patch(`${walk.path(module, 'cdn-sources')}/${source.id}`, { enabled: !source.enabled });
      source.enabled = !source.enabled;
    },
  }),
  deed({
    weight: 1,
    drawn: fc.record({ pick }),
    can: ({ sources }) => sources.length > 0,
    async run(walk, { pick: number }) {
      const { module, source } = chosen(walk.life.sources, number);
      walk.tell(`source ${source.name}: delete`);
      await walk.delete(`${walk.path(module, 'cdn-sources')}/${source.id}`);
      module.sources.splice(module.sources.indexOf(source), 1);
    },
  }),
  deed({
    weight: 2,
    drawn: fc.record({ pick, said: answer }),
    can: ({ sources }) => sources.length > 0,
    async run(walk, { pick: number, said: drawn }) {
      const { life } = walk;
      const said = sized(life, drawn, number);
      const { module, source } = chosen(life.sources, number);
      const path = `/${walk.slug}/${source.name}-${++life.made}`;
      walk.tell(`source ${source.name}: another URL, which answers ${told(said)}`);
      answers(walk, path, said);
      await walk.patch(`${walk.path(module, 'cdn-sources')}/${source.id}`, {
        url: walk.world.listUrl + path,
      });
      source.path = path;
    },
  }),
  deed({
    weight: 2,
    drawn: fc.record({ pick, community: pick }),
    can: ({ sources }) => sources.length > 0,
    async run(walk, { pick: number, community: other }) {
      const { module, source } = chosen(walk.life.sources, number);
      const community = walk.communityOf(other);
      walk.tell(`source ${source.name}: community ${community?.value ?? "the module's"}`);
      await walk.patch(`${walk.path(module, 'cdn-sources')}/${source.id}`, {
        community_id: community?.id ?? null,
      });
      source.community = community;
    },
  }),
  deed({
    weight: 2,
    drawn: fc.constant(null),
    can: ({ modules }) => modules.some(({ enabled }) => enabled),
    async run(walk) {
      walk.tell('refresh all modules at once');
      return walk.refresh(walk.life.modules);
    },
  }),
];
