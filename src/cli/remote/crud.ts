/** list, get, create, edit and delete of every noun of the table. */
import type { Page } from '#client';
import { columnNouns } from './column-names.ts';
import type { Item, Noun } from '../nouns/noun.ts';
import { UsageError } from '../process/command-error.ts';
import { memberOf, print, printList, printObject } from '../render/formats.ts';
import { isTerminal } from '../render/terminal.ts';
import { bodyOf } from '../session/body.ts';
import { isMeant, type CautionOptions } from '../session/consequences.ts';
import type { Session } from '../session/run-remote.ts';

const PAGE = 500;
/** A terminal gets a page, a pipe gets all. */
const SCREEN = 50;

export interface ListOptions {
  readonly limit?: number | undefined;
  readonly all?: boolean;
}

/** The items of a list as far as they are asked for, and what to say of the others. */
export async function readList(
  { client }: Session,
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
  { limit, all }: ListOptions,
): Promise<{ readonly items: Item[]; readonly more: string | undefined }> {
  const wanted = limit ?? (all !== true && isTerminal() ? SCREEN : Infinity);
  const items: Item[] = [];
  for (let cursor: string | undefined; ;) {
    const page = (await (
      await client.request('GET', path, {
        query: { ...query, cursor, limit: Math.min(PAGE, wanted - items.length) },
      })
    ).json()) as Page<Item>;
    items.push(...page.items);
    if (page.next_cursor === null) return { items, more: undefined };
    if (items.length >= wanted) return { items, more: `… and more: --limit N or --all shows them` };
    cursor = page.next_cursor;
  }
}

export async function list(
  session: Session,
  noun: Noun,
  options: ListOptions & { readonly find?: string | undefined },
): Promise<void> {
  const { items, more } = await readList(session, noun.path, { q: options.find }, options);
  await printList({ ...(await shown(session, noun, items)), items, more }, session.format);
}

export async function get(session: Session, noun: Noun, given: string): Promise<void> {
  const item = await session.names.find(noun, given);
  await printObject(item, await shown(session, noun, [item]), session.format);
}

/** Names are read for tables alone: programs want what the API says. */
async function shown(
  { names, format }: Session,
  noun: Noun,
  items: readonly Item[],
): Promise<{
  readonly columns: Noun['columns'];
  readonly name: string;
  readonly names: ReadonlyMap<string, string>;
}> {
  const isRead = format === 'table' || format === 'wide' || format === 'csv';
  const nouns = isRead ? columnNouns(noun.columns, items) : [];
  return { columns: noun.columns, name: noun.names[0], names: await names.byId(nouns) };
}

export async function create(
  session: Session,
  noun: Noun,
  given: string,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  const body = { [noun.names[0]]: given, ...(await bodyOf(noun, options, session.names)) };
  if (!(await isMeant(session, { method: 'POST', path: noun.path, body }, null, options))) return;
  const made = (await (await session.client.request('POST', noun.path, { body })).json()) as Item;
  if (options.output !== undefined)
    return printObject(made, await shown(session, noun, [made]), session.format);
  print(`${noun.words} ${given} created\n`);
  if (noun.secret !== undefined) print(`${String(memberOf(made, noun.secret))}\n`);
}

export async function edit(
  session: Session,
  noun: Noun,
  given: string,
  options: Readonly<Record<string, unknown>>,
): Promise<void> {
  const body = await bodyOf(noun, options, session.names);
  if (options.rename !== undefined) body[noun.names[0]] = options.rename;
  if (Object.keys(body).length === 0)
    throw new UsageError('Nothing is to be changed: name at least one option');
  const item = await session.names.findExactly(noun, given);
  const path = `${noun.path}/${String(item.id)}`;
  const question =
    ANNOUNCING.has(noun.name) && body.enabled === false ? `Disable ${ownName(noun, item)}?` : null;
  if (!(await isMeant(session, { method: 'PATCH', path, body }, question, options))) return;
  const changed = (await (await session.client.request('PATCH', path, { body })).json()) as Item;
  if (options.output !== undefined)
    return printObject(changed, await shown(session, noun, [changed]), session.format);
  print(`${noun.words} ${ownName(noun, item)} changed\n`);
}

/** Nouns whose end withdraws routes by itself. */
const ANNOUNCING: ReadonlySet<Noun['name']> = new Set(['module', 'speaker', 'peer', 'community']);

export async function remove(
  session: Session,
  noun: Noun,
  given: readonly string[],
  options: CautionOptions,
): Promise<void> {
  for (const name of given) {
    const item = await session.names.findExactly(noun, name);
    const path = `${noun.path}/${String(item.id)}`;
    const question = ANNOUNCING.has(noun.name) ? `Delete ${ownName(noun, item)}?` : null;
    if (!(await isMeant(session, { method: 'DELETE', path }, question, options))) continue;
    await session.client.request('DELETE', path);
    print(`${noun.words} ${ownName(noun, item)} deleted\n`);
  }
}

/** What changed is called by its own name, whatever somebody wrote. */
function ownName(noun: Noun, item: Item): string {
  return String(memberOf(item, noun.names[0]));
}
