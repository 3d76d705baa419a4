/** What an operator does to sources, AS numbers and domains, and what these do by themselves. */
import fc from 'fast-check';
import { chosen, deed, pick } from '../deed.ts';
import { type Answer, type EntryModel, type ModuleModel, NOTHING_YET } from '../model.ts';
import type { Life } from '../life.ts';
import { PARTS, PROTECTED, SMALL, largeList } from '../universe.ts';
import type { Walk } from '../walk.ts';
import { GEOFEEDS } from '../world.ts';
import {
  deleted,
  doneTo,
  expired,
  entriesOf,
  entriesPath,
  FAMILIES,
  given,
  givenCommunities,
  namesOf,
  ownOf,
  renamed,
  switched,
  type Things,
  toCollect,
} from './things.ts';

/** States that a source is in again and again; with a few more, which it is in once. */
const STATES: readonly (readonly string[])[] = [
  ['45.10.0.0/24'],
  ['45.10.0.0/24', '45.10.1.0/24'],
  ['45.10.0.128/25', '2a0e:b100::/32'],
  ['2a0e:b101::/32', '2a0e:b100:8000::/33', '45.10.2.0/24'],
];

/** What a source may say and nobody may announce. */
const BAD = PROTECTED.replace('0/24', '128/25');

/** Addresses of names, which are host prefixes. */
const HOSTS = SMALL.map((prefix) => prefix.replace(/\/\d+$/, prefix.includes(':') ? '/128' : '/32')).filter(
  (host, at, all) => all.indexOf(host) === at,
);

const list = (rows: readonly string[]): Answer => ({ kind: 'list', rows, told: `{${rows.join(', ')}}` });

const answer: fc.Arbitrary<Answer> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...STATES).map(list) },
  {
    weight: 2,
    arbitrary: fc.uniqueArray(fc.constantFrom(...SMALL), { minLength: 1, maxLength: 6 }).map(list),
  },
  { weight: 1, arbitrary: fc.constantFrom(...STATES).map((rows) => list([...rows, BAD])) },
  { weight: 1, arbitrary: fc.constant<Answer>({ kind: 'nothing' }) },
  { weight: 1, arbitrary: fc.constant<Answer>({ kind: 'nonsense' }) },
  { weight: 1, arbitrary: fc.constantFrom(404, 500).map((status): Answer => ({ kind: 'failure', status })) },
  { weight: 1, arbitrary: fc.constant<Answer>({ kind: 'broken line' }) },
);

/** The same for a tenant of large lists. */
const LARGE: readonly Answer[] = [0, 1, 2].map((state) => ({
  ...{ kind: 'list', rows: largeList(state), told: `the large list ${state}` },
}));

/** The same for a tenant of lists that are long enough for a slip. */
const LONG: readonly Answer[] = PARTS.map(({ block, share, rows }) => ({
  ...{ kind: 'list', rows, told: `${share} of 4 ranges of block ${block}` },
}));

/** What fast-check drew, as entries of the module can answer; of large and long lists always one of a few, and seldom anything else. */
function fitting(
  { hasLargeLists, hasSlips }: Life,
  { type }: ModuleModel,
  said: Answer,
  number: number,
): Answer {
  if (hasSlips) return said.kind === 'list' || number % 3 > 0 ? chosen(LONG, number >> 1) : said;
  if (hasLargeLists) return said.kind === 'list' || number % 3 > 0 ? chosen(LARGE, number >> 2) : said;
  if (type === 'DOMAINS' && said.kind === 'list') {
    const hosts = said.rows.map((row) =>
      chosen(
        HOSTS,
        Math.max(
          0,
          SMALL.findIndex((one) => one === row),
        ),
      ),
    );
    return list([...new Set(hosts)]);
  }
  // The table of AS numbers is one for all.
  return type === 'AS_PREFIXES' && said.kind !== 'list' ? { kind: 'nothing' } : said;
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

const collected = entriesOf('CDN_SOURCES', 'AS_PREFIXES', 'DOMAINS', 'GEOFEED');
const sources = entriesOf('CDN_SOURCES', 'GEOFEED');

function collectedModules(life: Life): ModuleModel[] {
  return life.modules.filter(({ type }) => type !== 'IP_RANGES');
}

function answers({ life, world }: Walk, key: string, said: Answer): void {
  life.answers.set(key, said);
  world.answerTo(key, said);
}

/** What a new entry of the module is called and asked for, and the body that makes it. */
function named(
  { life, slug, world }: Walk,
  { type }: ModuleModel,
): { readonly name: string; readonly key: string; readonly body: object } {
  const name = `s${++life.made}`;
  switch (type) {
    case 'AS_PREFIXES': {
      const asn = world.nextAsn();
      return { name, key: `AS${asn}`, body: { asn } };
    }
    case 'DOMAINS':
      return { name, key: `${name}.${slug}.test`, body: { domain: `${name}.${slug}.test` } };
    case 'GEOFEED': {
      const key = `${GEOFEEDS}${slug}/${name}`;
      return { name, key, body: { name, url: world.listUrl + key, countries: ['DE'] } };
    }
    default:
      return { name, key: `/${slug}/${name}`, body: { name, url: `${world.listUrl}/${slug}/${name}` } };
  }
}

/**
 * What most walks would begin with: a module, and a source that answers.
 * @param number picks what it answers in a tenant of long lists
 */
export async function addSource(walk: Walk, state: number, number = 0): Promise<void> {
  const { life } = walk;
  const name = `m${life.made + 1}`;
  const community = life.communities[0]!;
  const body = { name, type: 'CDN_SOURCES', community_id: community.id };
  const { id } = await walk.post<{ id: string }>('/v1/modules', body);
  const module: ModuleModel = {
    ...{ id, name, type: 'CDN_SOURCES', purpose: 'announce', enabled: true, canBeEmpty: false },
    ...{ community, families: FAMILIES[0]!, entries: [], ...NOTHING_YET },
  };
  life.modules.push(module);
  const said = fitting(life, module, list(STATES[state]!), number);
  await addEntry(walk, module, said, [], 'make it, with');
}

async function addEntry(
  walk: Walk,
  module: ModuleModel,
  said: Answer,
  communities: EntryModel['communities'],
  how: string,
): Promise<void> {
  const { name, key, body } = named(walk, module);
  walk.tell(
    `module ${module.name}: ${how} ${name} (${key.split('/').at(-1)}), which answers ${told(said)}${communities.length === 0 ? '' : `, ${namesOf(communities, '')}`}`,
  );
  answers(walk, key, said);
  const whole = { ...body, ...given(communities) };
  const { id } = await walk.post<{ id: string }>(entriesPath(module), whole);
  module.entries.push({ id, name, key, enabled: true, communities, held: null });
  toCollect(walk.life, module);
}

/** Where the service is about to ask by itself, chance would say whether it gets the answer of before or after. */
const calm: Things<EntryModel> = (life) =>
  collected(life).filter(({ module }) => !life.autoRevision || !life.toCollect.has(module!));

export const answering = doneTo({
  ...{ weight: 14, of: calm, drawn: fc.record({ pick, said: answer }) },
  async does(walk, { model, module }, { pick: number, said: drawn }) {
    const said = fitting(walk.life, module!, drawn, number);
    walk.tell(`${model.name} answers ${told(said)}; refresh module ${module!.name}`);
    answers(walk, model.key, said);
    return walk.refresh([module!]);
  },
});

export const sourceDeeds = [
  deed({
    weight: 6,
    drawn: fc.record({ pick, said: answer, carried: fc.nat(24) }),
    can: (life) => collectedModules(life).length > 0 && collected(life).length < (life.hasLargeLists ? 2 : 6),
    async run(walk, { pick: number, said: drawn, carried }) {
      const { life } = walk;
      const module = chosen(collectedModules(life), number);
      await addEntry(walk, module, fitting(life, module, drawn, number), ownOf(walk, carried), 'add');
    },
  }),
  answering,
  switched(3, collected),
  deleted(1, collected),
  expired(1, collected),
  givenCommunities(2, collected),
  renamed(1, sources, 'name'),
  renamed(1, entriesOf('AS_PREFIXES', 'DOMAINS'), 'note'),
  doneTo({
    ...{ weight: 2, of: sources, drawn: fc.record({ pick, said: answer }) },
    async does(walk, { model, path, module }, { pick: number, said: drawn }) {
      const { life, slug, world } = walk;
      const said = fitting(life, module!, drawn, number);
      const root = module!.type === 'GEOFEED' ? GEOFEEDS : '/';
      const key = `${root}${slug}/${model.name}-${++life.made}`;
      walk.tell(`source ${model.name}: another URL, which answers ${told(said)}`);
      answers(walk, key, said);
      await walk.patch(path, { url: world.listUrl + key });
      model.key = key;
      if (model.enabled) toCollect(life, module);
      return undefined;
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
