/** Names in place of ids, in both directions. */
import type { Page, PrefixcastClient } from '#client';
import { nearestOnes } from '../../api/problems/nearest.ts';
import { isUuid } from '../../api/shapes/uuid.ts';
import type { Item, Noun, NounName } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { alternatives } from '../render/counted.ts';
import { memberOf } from '../render/formats.ts';

const PAGE = 500;

export class Names {
  readonly #client: PrefixcastClient;
  readonly #lists = new Map<NounName, Promise<readonly Item[]>>();

  constructor(client: PrefixcastClient) {
    this.#client = client;
  }

  /** The item that somebody calls so: by one of its names, in any case, or by its id. */
  async find(noun: Noun, given: string): Promise<Item> {
    if (isUuid(given)) return this.#read(`${noun.path}/${given}`);
    const wanted = given.toLowerCase();
    const [first] = noun.names;
    const items = lasting(noun, await this.#search(noun, given));
    const firstIs = (item: Item): boolean => String(memberOf(item, first)).toLowerCase() === wanted;
    const isCalledSo = (item: Item): boolean =>
      namesOf(noun, item).some((name) => name.toLowerCase() === wanted);
    for (const isIt of [(item: Item) => memberOf(item, first) === given, firstIs, isCalledSo]) {
      const found = items.filter(isIt);
      if (found.length > 0) return this.#onlyOne(noun, given, found);
    }
    throw await this.#nothingCalled(noun, given, noun.names);
  }

  /**
   * The item to change or to delete: by its first name as it is written, or its id. Second names are for people, and others may have
   * them: who deletes twice by mistake would delete another one.
   */
  async findExactly(noun: Noun, given: string): Promise<Item> {
    if (isUuid(given)) return this.#read(`${noun.path}/${given}`);
    const exact = [noun.names[0], ...(noun.exactName === undefined ? [] : [noun.exactName])];
    const items = await this.#search(noun, given);
    for (const name of exact) {
      const found = items.filter((item) => memberOf(item, name) === given);
      if (found.length > 0) return this.#onlyOne(noun, given, lastingOnly(noun, given, found));
    }
    throw await this.#nothingCalled(noun, given, exact);
  }

  async idOf(noun: NounName, given: string): Promise<string> {
    return isUuid(given) ? given : String((await this.find(NOUNS[noun], given)).id);
  }

  /** Everything of a noun, read once. */
  all(name: NounName): Promise<readonly Item[]> {
    const known = this.#lists.get(name);
    if (known !== undefined) return known;
    const list = this.#readAll(NOUNS[name].path, {});
    this.#lists.set(name, list);
    return list;
  }

  /** What ids are called. */
  async byId(nouns: Iterable<NounName>): Promise<ReadonlyMap<string, string>> {
    const names = new Map<string, string>();
    for (const noun of new Set(nouns))
      for (const item of await this.all(noun))
        names.set(String(item.id), String(memberOf(item, NOUNS[noun].names[0])));
    return names;
  }

  /** What one is called; read again where it was not there yet. */
  async called(name: NounName, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const known = await this.byId([name]);
    if (ids.every((id) => known.has(id))) return known;
    this.#lists.delete(name);
    return this.byId([name]);
  }

  async #onlyOne(noun: Noun, given: string, found: readonly Item[]): Promise<Item> {
    if (found.length === 1) return found[0]!;
    const owned = (noun.ofOthers ?? []).filter(({ member }) =>
      found.some((item) => typeof item[member] === 'string'),
    );
    const owners = await this.byId(owned.map((one) => one.noun));
    throw new CommandError(
      `${found.length} ${noun.plural} are called ${given}: use another name of it, or its id: ${found.map(describedBriefly(noun, owners)).join(', ')}`,
      EXIT.conflict,
    );
  }

  #search(noun: Noun, given: string): Promise<readonly Item[]> {
    return noun.isUnsearchable === true
      ? this.all(noun.name)
      : this.#readAll(noun.path, { q: given.slice(0, 100) });
  }

  async #readAll(path: string, query: Record<string, string>): Promise<readonly Item[]> {
    const items: Item[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const asked = { ...query, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
      const page = await this.#read<Page<Item>>(path, asked);
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return items;
  }

  /** Says which one somebody may have meant. */
  async #nothingCalled(noun: Noun, given: string, members: readonly string[]): Promise<CommandError> {
    const items = await this.all(noun.name);
    const known = items.flatMap((item) => textsOf(members, item));
    const bySecond = items.find((item) => namesOf(noun, item).includes(given));
    const near =
      bySecond === undefined ? nearestOnes(given, known) : textsOf([noun.names[0]], bySecond).slice(0, 1);
    const hint = near.length > 0 ? `did you mean ${oneOf(near)}?` : await this.#otherHint(noun, given);
    return new CommandError(`There is no ${noun.words} called ${given}; ${hint}`, EXIT.notFound);
  }

  /** Nothing is called nearly so: perhaps something else is. */
  async #otherHint(noun: Noun, given: string): Promise<string> {
    if (noun.name === 'community' && /^\d+:\d+(?::\d+)?$/.test(given))
      return `create it: prefixcast community create ${given} --title TEXT`;
    const others = Object.values(NOUNS).filter((one) => one !== noun);
    const called = await Promise.all(others.map((other) => this.#isCalled(other, given)));
    const found = others.filter((_, at) => called[at]).map(({ words }) => `a ${words}`);
    const list = `see prefixcast ${noun.words} list`;
    return found.length === 0 ? list : `${found.join(' and ')} is called so; ${list}`;
  }

  /** Of what this key may not read, nobody says that it is there. */
  async #isCalled(noun: Noun, given: string): Promise<boolean> {
    try {
      const items = await this.#search(noun, given);
      return items.some((item) => namesOf(noun, item).includes(given));
    } catch {
      return false;
    }
  }

  async #read<T = Item>(path: string, query?: Record<string, string | number>): Promise<T> {
    return (await (
      await this.#client.request('GET', path, query === undefined ? {} : { query })
    ).json()) as T;
  }
}

const SHOWN = 3;

function oneOf(names: readonly string[]): string {
  return alternatives(names.slice(0, SHOWN).map((name) => `"${name}"`));
}

/** Those that others of the same name have taken the place of do not count. */
function lasting(noun: Noun, items: readonly Item[]): readonly Item[] {
  const { endedBy, names } = noun;
  if (endedBy === undefined) return items;
  const left = items.filter((item) => item[endedBy.member] === null);
  const taken = new Set(left.map((item) => memberOf(item, names[0])));
  return items.filter((item) => item[endedBy.member] === null || !taken.has(memberOf(item, names[0])));
}

/** @throws {CommandError} where there is none left to change */
function lastingOnly(noun: Noun, given: string, found: readonly Item[]): readonly Item[] {
  const { endedBy } = noun;
  const left = endedBy === undefined ? found : found.filter((item) => item[endedBy.member] === null);
  if (left.length > 0) return left;
  throw new CommandError(
    `The ${noun.words} ${given} was ${endedBy!.word} at ${String(found[0]![endedBy!.member])}`,
    EXIT.notFound,
  );
}

/** With its other names and what it belongs to, by which people know which one they mean. */
function describedBriefly(noun: Noun, owners: ReadonlyMap<string, string>): (item: Item) => string {
  return (item) => {
    const others = textsOf(
      [...noun.names.slice(1), ...(noun.exactName === undefined ? [] : [noun.exactName])],
      item,
    );
    const of = (noun.ofOthers ?? []).flatMap(({ member, noun: owner }) => {
      const name = owners.get(String(item[member]));
      return name === undefined ? [] : [`of the ${NOUNS[owner].words} ${name}`];
    });
    const known = [...new Set(others), ...of].join(', ');
    return known === '' ? String(item.id) : `${String(item.id)} (${known})`;
  };
}

function namesOf(noun: Noun, item: Item): string[] {
  return textsOf(noun.names, item);
}

function textsOf(members: readonly string[], item: Item): string[] {
  return members.map((name) => memberOf(item, name)).filter((name) => typeof name === 'string');
}
