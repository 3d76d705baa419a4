/** The entries of a module that values on a command line name. */
import type { Schemas } from '#client';
import { formatPrefix, parsePrefix } from '../../core/prefix.ts';
import { readList } from '../records/crud.ts';
import { ENTRY_KINDS, type EntryKind } from '../nouns/entry-kinds.ts';
import type { Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { isRolledBack } from '../session/rolled-back.ts';
import type { Session } from '../session/run-remote.ts';

export interface OpenModule extends EntryKind {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  /** Its path. */
  readonly base: string;
  /** Held for content that a rollback took back. */
  readonly isHeldBack: boolean;
}

/** As many as the service deletes at once. */
export const AT_ONCE = 10_000;

export async function openModule(session: Session, name: string): Promise<OpenModule> {
  const module = await session.names.find(NOUNS.module, name);
  const type = String(module.type);
  const id = String(module.id);
  return {
    ...ENTRY_KINDS[type]!,
    ...{ id, name, type, base: `${NOUNS.module.path}/${id}` },
    isHeldBack: isRolledBack(module as unknown as Schemas['Module']),
  };
}

/** Values that are looked for one by one; of more, the whole list is read. */
const SEARCHED = 50;
/** Of these, at a time. */
const SIDE_BY_SIDE = 5;
/** The service takes no longer text. */
const LONGEST = 100;

/** @returns what they are called by their ids, each once. @throws {CommandError} for a value that the module does not have */
export async function findEntries(
  session: Session,
  module: OpenModule,
  values: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { key, name, type } = module;
  const wanted = new Map(values.map((value) => [canonical(type, value), value]));
  const isFew = wanted.size <= SEARCHED && [...wanted.keys()].every((text) => text.length <= LONGEST);
  const items = isFew
    ? await searchEach(session, module, [...wanted.keys()])
    : await read(session, module, {});
  const known = new Map(items.map((item) => [canonical(type, String(item[key])), item]));
  const found = new Map<string, string>();
  for (const [text, value] of wanted) {
    const item = known.get(text);
    if (item === undefined)
      throw new CommandError(
        `The module ${name} has no entry ${value}${await around(session, module, value)}`,
        EXIT.notFound,
      );
    found.set(String(item.id), String(item[key]));
  }
  return found;
}

async function searchEach(
  session: Session,
  module: OpenModule,
  texts: readonly string[],
): Promise<readonly Item[]> {
  const found: Item[] = [];
  for (let at = 0; at < texts.length; at += SIDE_BY_SIDE) {
    const some = texts.slice(at, at + SIDE_BY_SIDE);
    found.push(...(await Promise.all(some.map((q) => read(session, module, { q })))).flat());
  }
  return found;
}

async function read(
  session: Session,
  { base, path }: OpenModule,
  query: Readonly<Record<string, string>>,
): Promise<readonly Item[]> {
  return (await readList(session, `${base}/${path}`, query, { all: true })).items;
}

/** As the service writes it, letters in lower case: an address is its host prefix, AS3333 and 3333 are the same. */
function canonical(type: string, value: string): string {
  if (type === 'IP_RANGES') {
    const prefix = parsePrefix(value);
    if (prefix.ok) return formatPrefix(prefix.value);
  }
  const text = value.toLowerCase();
  return type === 'AS_PREFIXES' ? text.replace(/^as(?=\d+$)/, '') : text;
}

/** Of many, those that are named in a message. */
const NAMED = 3;

/** Whoever names an address of an entry, or its first one without the length, learns what contains it. */
async function around(session: Session, { base, path, key }: OpenModule, value: string): Promise<string> {
  if (!parsePrefix(value).ok) return '';
  const query = { contains: value };
  const { items } = await readList(session, `${base}/${path}`, query, { limit: NAMED + 1 });
  if (items.length === 0) return '';
  const names = items.slice(0, NAMED).map((one) => String(one[key]));
  return `; it is inside ${names.join(', ')}${items.length > NAMED ? ' and others' : ''}`;
}
