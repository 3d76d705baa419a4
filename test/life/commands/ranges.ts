/** What an operator does to address ranges. */
import fc from 'fast-check';
import type { Family } from '../../../src/core/address.ts';
import { chosen, deed, pick } from '../deed.ts';
import { type EntryModel, type ModuleModel, NOTHING_YET } from '../model.ts';
import { meetsRoutes, routesOf } from '../oracle.ts';
import { MOST_MODULES, PROTECTED, SMALL, WIDE } from '../universe.ts';
import { Contradiction, type Walk } from '../walk.ts';
import {
  deleted,
  doneTo,
  entriesOf,
  entriesPath,
  expired,
  FAMILIES,
  given,
  givenCommunities,
  namesOf,
  ownOf,
  renamed,
  switched,
  toCollect,
} from './things.ts';

const range = fc.oneof(
  { weight: 24, arbitrary: fc.constantFrom<string[]>(...SMALL) },
  { weight: 1, arbitrary: fc.constant(PROTECTED) },
  { weight: 1, arbitrary: fc.constant(WIDE) },
);
const ranges = entriesOf('IP_RANGES');

/** Longer than a walk. */
const HOUR = 3_600_000;

/** Edits of ranges that are there, whose answers nobody needs. */
export const rangePatches = [
  deleted(3, ranges),
  switched(2, ranges),
  givenCommunities(2, ranges),
  doneTo({
    ...{ weight: 2, of: ranges, drawn: range },
    async does(walk, { model, among, told, path, module }, cidr) {
      if (among.some(({ key }) => key === cidr)) return undefined;
      walk.tell(`${told} becomes ${cidr}`);
      await walk.patch(path, { cidr });
      model.key = cidr;
      if (model.enabled) toCollect(walk.life, module);
      return undefined;
    },
  }),
];

/** Edits of ranges that may follow each other closely. */
export const rangeEdits = [
  deed({
    weight: 5,
    drawn: fc.record({
      pick,
      cidrs: fc.uniqueArray(range, { minLength: 1, maxLength: 4 }),
      carried: fc.nat(24),
      isForAWhile: fc.nat(3).map((one) => one === 0),
    }),
    can: (life) => life.modulesOf('IP_RANGES').length > 0,
    async run(walk, { pick: number, cidrs, carried, isForAWhile }) {
      const { life } = walk;
      const module = chosen(life.modulesOf('IP_RANGES'), number);
      const known = new Set(module.entries.map(({ key }) => key));
      const fresh = cidrs.filter((cidr) => !known.has(cidr));
      const communities = ownOf(walk, carried);
      walk.tell(
        `module ${module.name}: add ${fresh.join(', ') || 'nothing'}, ${namesOf(communities, "the module's")}${isForAWhile ? ', for an hour' : ''}`,
      );
      if (fresh.length === 0) return;
      const end = isForAWhile ? { expires_at: new Date(Date.now() + HOUR).toISOString() } : {};
      const { items } = await walk.post<{ items: { id: string; expires_at: string | null }[] }>(
        entriesPath(module),
        { items: fresh.map((cidr) => ({ cidr, ...given(communities), ...end })) },
      );
      items.forEach(({ id, expires_at: at }, place) =>
        module.entries.push({
          ...{ id, name: id, key: fresh[place]!, enabled: true, communities, held: null },
          ...(at === null ? {} : { end: at }),
        }),
      );
      toCollect(life, module);
    },
  }),
  expired(2, ranges),
  ...rangePatches,
];

/** The lines of a file, without its header, whatever their order. */
function linesOf(entries: readonly EntryModel[]): string[] {
  return entries.map((entry) => `${entry.key},${entry.enabled},${cellOf(entry)},${entry.end ?? ''}`).sort();
}

/** Says what the file of the module holds. */
async function exported(walk: Walk, { id, name, entries }: ModuleModel): Promise<string> {
  const file = await walk.text(`/v1/modules/${id}/entries.csv`);
  const [header, ...lines] = file.trimEnd().split(/\r?\n/);
  if (header !== 'cidr,note,enabled,community,expires_at')
    throw new Contradiction(`The file of module ${name} begins with ${header}`);
  const found = lines.map((line) => line.replace(/^([^,]*),[^,]*,/, '$1,')).sort();
  if (found.join('\n') !== linesOf(entries).join('\n'))
    throw new Contradiction(
      `The file of module ${name} has ${found.join('; ')}, and the module ${linesOf(entries).join('; ')}`,
    );
  return file;
}

/** A line of a file. */
type Row = Pick<EntryModel, 'enabled' | 'communities'> & { readonly cidr: string };

/** Values with blanks between them. */
function cellOf({ communities }: Pick<EntryModel, 'communities'>): string {
  return communities.map(({ value }) => value).join(' ');
}

const lineOf = (row: Row): string => `${row.cidr},${row.enabled},${cellOf(row)}`;

/** Brings a file of these into the module. */
export async function importRows(
  walk: Walk,
  module: ModuleModel,
  rows: readonly Row[],
  mode: 'append' | 'replace',
): Promise<void> {
  const { life } = walk;
  await walk.import(module, ['cidr,enabled,community', ...rows.map(lineOf), ''].join('\n'), mode);
  const { items } = await walk.get<{ items: { id: string; cidr: string }[] }>(
    `${entriesPath(module)}?limit=500`,
  );
  for (const { cidr, enabled, communities } of rows) {
    const entry = module.entries.find(({ key }) => key === cidr);
    const id = items.find((item) => item.cidr === cidr)?.id;
    if (id === undefined) throw new Contradiction(`${cidr} was imported, and is not there`);
    if (enabled && entry?.enabled !== true) toCollect(life, module);
    if (entry === undefined)
      module.entries.push({ id, name: id, key: cidr, enabled, communities, held: null });
    else Object.assign(entry, { enabled, communities });
  }
  if (mode === 'append') return;
  const isKept = ({ key }: EntryModel): boolean => rows.some(({ cidr }) => cidr === key);
  const kept = module.entries.filter(isKept);
  const gone = module.entries.filter((entry) => !isKept(entry));
  if (gone.length > 0) life.removals.push({ kind: 'entries', module, entries: gone });
  module.entries.splice(0, Infinity, ...kept);
}

/**
 * Takes out a part of what is announced, in one go: an exclusion that is drawn like any other module meets routes of IPv6 in few walks
 * of a hundred.
 */
const excluding = deed({
  weight: 5,
  drawn: fc.record({
    family: fc.constantFrom<Family>('ipv6', 'ipv6', 'ipv4'),
    picks: fc.uniqueArray(pick, { minLength: 1, maxLength: 2 }),
  }),
  can: (life) => life.modules.length < MOST_MODULES,
  async run(walk, { family, picks }) {
    const { life } = walk;
    const routes = routesOf(life);
    const small = SMALL.filter((cidr) => cidr.includes(':') === (family === 'ipv6'));
    const met = small.filter((cidr) => meetsRoutes(routes, cidr));
    const cidrs = [...new Set(picks.map((number) => chosen(met.length > 0 ? met : small, number)))];
    const name = `m${++life.made}`;
    walk.tell(`module ${name}: make it, IP_RANGES, exclude, and add ${cidrs.join(', ')}`);
    const body = { name, type: 'IP_RANGES', purpose: 'exclude' } as const;
    const { id } = await walk.post<{ id: string }>('/v1/modules', body);
    const module: ModuleModel = {
      ...{ id, ...body, community: null, enabled: true, canBeEmpty: false },
      ...{ families: FAMILIES[0]!, entries: [], ...NOTHING_YET },
    };
    life.modules.push(module);
    const { items } = await walk.post<{ items: { id: string }[] }>(entriesPath(module), {
      items: cidrs.map((cidr) => ({ cidr })),
    });
    items.forEach((item, at) =>
      module.entries.push({
        ...{ id: item.id, name: item.id, key: cidrs[at]! },
        ...{ enabled: true, communities: [], held: null },
      }),
    );
    toCollect(life, module);
  },
});

export const rangeDeeds = [
  ...rangeEdits,
  excluding,
  renamed(1, ranges, 'note'),
  deed({
    weight: 1,
    drawn: fc.record({ pick }),
    can: (life) => life.modulesOf('IP_RANGES').length > 0,
    async run(walk, { pick: number }) {
      const module = chosen(walk.life.modulesOf('IP_RANGES'), number);
      walk.tell(`module ${module.name}: export it, and import that again`);
      const file = await exported(walk, module);
      const { created, updated, deleted: gone } = await walk.import(module, file, 'replace');
      if (created + updated + gone > 0)
        throw new Contradiction(`Importing the export of module ${module.name} changed something`);
      return walk.life.autoRevision && walk.life.toCollect.size === 0 ? { makesNothing: true } : undefined;
    },
  }),
  deed({
    weight: 2,
    drawn: fc.record({
      pick,
      isReplace: fc.boolean(),
      rows: fc.uniqueArray(fc.record({ cidr: range, enabled: fc.boolean(), carried: fc.nat(24) }), {
        ...{ minLength: 1, maxLength: 5 },
        selector: ({ cidr }) => cidr,
      }),
    }),
    can: (life) => life.modulesOf('IP_RANGES').length > 0,
    async run(walk, { pick: number, isReplace, rows }) {
      const { life } = walk;
      const module = chosen(life.modulesOf('IP_RANGES'), number);
      const told = rows.map(({ carried, ...row }) => ({ ...row, communities: ownOf(walk, carried) }));
      const mode = isReplace ? 'replace' : 'append';
      walk.tell(`module ${module.name}: import (${mode}) ${told.map(lineOf).join('; ')}`);
      await importRows(walk, module, told, mode);
    },
  }),
];
