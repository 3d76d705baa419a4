/** Which lists have what was asked for, as text. */
import type { Schemas } from '#client';
import { readList } from '../records/crud.ts';
import type { Item } from '../nouns/noun.ts';
import { coloured } from '../render/terminal.ts';
import type { HeldModule } from '../session/held-module.ts';
import { deletedHeld, heldText } from '../session/held.ts';
import type { Session } from '../session/run-remote.ts';

type Lookup = Schemas['Lookup'];
export type Match = Lookup['matches'][number];

/** What a match says in a line. */
function matchText({ module, entry, prefix }: Match): string {
  const what = prefix === undefined || prefix === entry.value ? '' : `, which has ${prefix}`;
  return `  ${module.name}: ${entry.value}${what}`;
}

/** What it has, by whatever name: of a source that was edited since, the revision has the URL of then. */
function keyOf({ module, entry, prefix }: Match): string {
  return `${module.id} ${entry.id} ${prefix ?? ''}`;
}

/** Whether its entry was to end by itself, and has ended: a rollback or an older revision has it all the same. */
function isOver({ entry }: Match): boolean {
  return entry.expires_at !== null && Date.parse(entry.expires_at) <= Date.now();
}

/** Under a title, each line once; nothing where there is none. */
export function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...new Set(lines)];
}

/** Why entries of a name have no route: they could not be read, or have no address that may be announced. */
export async function unannouncedNames(
  { client }: Session,
  { kind, matches, announced }: Lookup,
): Promise<string[]> {
  if (kind !== 'fqdn' || announced.length > 0) return [];
  const lines = await Promise.all(
    matches.slice(0, NAMED).map(async ({ module, entry }) => {
      const query = { module_id: module.id, q: entry.value.slice(0, 100), limit: NAMED };
      const { items } = await client.get('/v1/sources', { params: { query } });
      const source = items.find(({ id }) => id === entry.id);
      if (source === undefined) return [];
      const { ipv4, ipv6 } = source.prefix_count;
      const error = source.last_error === null ? '' : `: ${source.last_error}`;
      if (ipv4 + ipv6 === 0)
        return [`  ${module.name}: ${entry.value} has no address that could be used${error}`];
      return source.last_error === null ? [] : [`  ${module.name}: ${entry.value}${error}`];
    }),
  );
  return section('Because:', lines.flat());
}

export interface Listing {
  readonly session: Session;
  /** What the announced revisions were built from, by query. */
  readonly causes: ReadonlyMap<string, readonly Match[]>;
  readonly modules: readonly Item[];
}

/** Entries of a module that are named; of a short prefix, a list may have a hundred thousand. */
const NAMED = 10;

/** Those of lists that announce what they have. */
export function announcing(matches: readonly Match[], modules: readonly Item[]): readonly Match[] {
  return matches.filter(({ module }) => !excludes(module.id, modules));
}

function excludes(id: string, modules: readonly Item[]): boolean {
  return modules.some((one) => one.id === id && one.purpose === 'exclude');
}

/** The lists that have it: those of the announced revision, those that are not announced, those that exclude it, and which modules are held. */
export async function listed(
  { query, kind, matches, announced, has_more: hasMore }: Lookup,
  { session, causes: allCauses, modules }: Listing,
): Promise<string[]> {
  const causes = allCauses.get(query) ?? [];
  const heldOf = (id: string): Schemas['Module']['held'] =>
    (modules.find((one) => one.id === id)?.held ?? null) as Schemas['Module']['held'];
  const isCut = hasMore === true;
  const now = new Set(matches.flatMap((match) => [matchText(match), keyOf(match)]));
  const causing = causes.map((match): NamedLine => {
    const { id } = match.module;
    // What is held says why below.
    const hasLeft = !isCut && heldOf(id) === null && !isIn(now, match);
    const isOff = modules.find((module) => module.id === id)?.enabled === false;
    const change = isOff
      ? ' (the module is disabled now)'
      : isOver(match)
        ? ` (its time was over at ${match.entry.expires_at!})`
        : hasLeft
          ? ' (no longer in the list)'
          : '';
    return { module: match.module.name, text: matchText(match) + change, excludes: excludes(id, modules) };
  });
  const isCaused = causing.some((line) => line.excludes !== true);
  const deleted = isCaused ? [] : await deletedCauses(session, announced);
  for (const { name } of deleted)
    causing.push({ module: name, text: `  ${name}, a module that has been deleted, and is held` });
  if (announced.length > 0 && !isCaused && deleted.length === 0)
    causing.push({
      module: '',
      text: `  an entry or a module that was deleted or has expired since: prefixcast${session.contextWords} history ${announced[0]!.prefix} says which`,
    });
  const caused = new Set(causes.flatMap((match) => [matchText(match), keyOf(match)]));
  // Of a name, the entry itself stands beside what it has: that is the same, and no other list.
  const causingIds = new Set(causes.map(({ entry }) => entry.id));
  const isKnown = (match: Match): boolean =>
    isIn(caused, match) || (kind === 'fqdn' && match.layer === 'entry' && causingIds.has(match.entry.id));
  const others = matches
    .filter((match) => !isKnown(match))
    .map((match): NamedLine => ({
      ...{ module: match.module.name, text: matchText(match), excludes: excludes(match.module.id, modules) },
    }));
  const all = [...causing, ...others];
  // Where not all is listed, what is missing on one side may be announced all the same.
  const [first, second] = (isCut ? [all, []] : [causing, others]).map((lines) =>
    lines.filter((line) => line.excludes !== true),
  ) as [NamedLine[], NamedLine[]];
  const excluding = all.filter((line) => line.excludes === true);
  const title =
    announced.length > 0 && !isCut
      ? 'Lists that have it now, which is not announced:'
      : 'Lists that have it:';
  const lines = [
    ...section(isCut ? 'Lists that have parts of it:' : 'Lists that have it:', shortened(first, isCut)),
    ...section(title, shortened(second, isCut)),
    ...section(
      isCut ? 'Lists that exclude parts of it:' : 'Lists that exclude it:',
      shortened(excluding, isCut),
    ),
  ];
  for (const module of deleted) lines.push('', coloured('Held:', 'yellow'), await heldText(session, module));
  for (const { id, name } of new Map(
    [...causes, ...matches].map(({ module }) => [module.id, module]),
  ).values()) {
    const held = heldOf(id);
    if (held === null) continue;
    const of = { id, name, isDeleted: false, held };
    lines.push('', `${coloured('Held', 'yellow')} since ${held.since}:`, await heldText(session, of));
  }
  return lines;
}

function isIn(known: ReadonlySet<string>, match: Match): boolean {
  return known.has(matchText(match)) || known.has(keyOf(match));
}

interface NamedLine {
  readonly module: string;
  readonly text: string;
  /** Whether the list takes it out of what others announce. */
  readonly excludes?: boolean;
}

/** Each line once, and of each module the first ones. */
function shortened(lines: readonly NamedLine[], isCut: boolean): string[] {
  return [...Map.groupBy(lines, ({ module }) => module)].flatMap(([module, own]) => {
    const texts = [...new Set(own.map(({ text }) => text))];
    const rest = texts.length - NAMED;
    if (rest <= 0) return texts;
    return [...texts.slice(0, NAMED), `  ${module}: … and ${isCut ? 'more' : `${rest} more`} inside`];
  });
}

/** Entries that nobody could read yet may have any address: who asks for one must not take them for read. Null: there are none. */
export async function unreadText({ client, contextWords }: Session): Promise<string | null> {
  const query = { status: ['failed' as const], enabled: true, limit: NAMED + 1 };
  const { items } = await client.get('/v1/sources', { params: { query } });
  if (items.length === 0) return null;
  const lines = items.slice(0, NAMED).map(({ module_name: module, name, last_error: error }) => {
    const why = error === null ? '' : `: ${error}`;
    return `  ${module}: ${name}${why}`;
  });
  const more = items.length > NAMED ? [`  … and more: prefixcast${contextWords} source stale`] : [];
  return [`${coloured('Never read yet', 'yellow')}, and may have it:`, ...lines, ...more].join('\n');
}

/** Routes of a held deletion that are looked through. */
const LOOKED_THROUGH = 10_000;

/** Deleted modules that these routes go with, once they are released. */
async function deletedCauses(
  session: Session,
  announced: Lookup['announced'],
): Promise<readonly HeldModule[]> {
  if (announced.length === 0) return [];
  const prefixes = new Set(announced.map(({ prefix }) => prefix));
  const found = (await deletedHeld(session)).map(async (module) => {
    const path = `/v1/modules/${module.id}/held/diff`;
    const { items } = await readList(session, path, {}, { limit: LOOKED_THROUGH });
    const has = items.some(({ prefix, change }) => change !== 'announced' && prefixes.has(String(prefix)));
    return has ? [module] : [];
  });
  return (await Promise.all(found)).flat();
}
