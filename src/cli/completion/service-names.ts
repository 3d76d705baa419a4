/** Names that only the service knows, for somebody who waits at a keyboard: soon, or none. */
import type { Page, PrefixcastClient } from '#client';
import type { Item, NounName } from '../nouns/noun.ts';
import { ENTRY_KINDS } from '../nouns/entry-kinds.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { NAMED_BY_SETTINGS } from '../nouns/named-by-settings.ts';
import { memberOf } from '../render/formats.ts';
import { clientOf, findTarget } from '../session/connect.ts';
import { readContexts } from '../session/contexts.ts';
import type { Named } from '../table/command.ts';
import type { Candidate } from './candidates.ts';

/** With the start of the program, an answer is there within 300 ms. */
const TIMEOUT_MS = 200;
const LONGEST_LIST = 100;
const RECENT = 20;

interface Asked {
  readonly of: Named;
  /** Of entries, the module that they are of; of values, the setting. */
  readonly within?: string | undefined;
}

/** None where the service does not answer in time, or refuses: nobody reads a message there. */
export async function serviceNames(
  { of, within }: Asked,
  start: string,
  context: string | undefined,
): Promise<readonly Candidate[]> {
  try {
    const found = of === 'context' ? await contextNames() : await ask({ of, within }, start, context);
    return found.filter(({ word }) => word.startsWith(start));
  } catch {
    return [];
  }
}

async function contextNames(): Promise<Candidate[]> {
  const { contexts } = await readContexts();
  return Object.entries(contexts).map(([word, { url }]) => ({ word, about: url }));
}

async function ask(
  { of, within }: Asked & { readonly of: Exclude<Named, 'context'> },
  start: string,
  context: string | undefined,
): Promise<Candidate[]> {
  // A vault may ask for a password, and must not while somebody types something else.
  const client = clientOf(await findTarget(context, { mayAskVault: false }), { retries: { attempts: 1 } });
  if (of === 'revision') return revisions(client);
  if (of === 'setting') return settings(client);
  if (of === 'job' || of === 'apply') return jobs(client, of === 'apply' ? 'apply' : undefined);
  if (of === 'deleted module') return deletedModules(client);
  if (of === 'entry') return within === undefined ? [] : entries(client, within, start);
  if (of === 'node') return nodes(client);
  if (of === 'setting value') return within === undefined ? [] : settingValues(client, within, start);
  return resources(client, of, start);
}

async function resources(client: PrefixcastClient, of: NounName, start: string): Promise<Candidate[]> {
  const { path, names, isUnsearchable } = NOUNS[of];
  const items = await found(client, path, isUnsearchable === true ? '' : start);
  return items.flatMap((item) => {
    const [first, ...others] = names.map((name) => memberOf(item, name)).filter(isText);
    const fitting = [first, ...others].find((name) => name?.startsWith(start));
    if (fitting === undefined) return [];
    return [{ word: fitting, about: (fitting === first ? others[0] : first) ?? '' }];
  });
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

async function revisions(client: PrefixcastClient): Promise<Candidate[]> {
  const items = await page(client, '/v1/revisions', { limit: RECENT });
  return [
    { word: 'latest', about: 'the newest' },
    { word: 'applied', about: 'what is announced' },
    ...items.map(({ number, status, created_at: at }) => ({
      word: String(number),
      about: `${String(status)}, ${String(at)}`,
    })),
  ];
}

async function settings(client: PrefixcastClient): Promise<Candidate[]> {
  const { known } = await read<{ known: readonly { key: string; description: string }[] }>(
    client,
    '/v1/settings',
  );
  return known.map(({ key, description }) => ({ word: key, about: description }));
}

/** Behind the last comma, what a list has not got yet. */
async function settingValues(client: PrefixcastClient, key: string, start: string): Promise<Candidate[]> {
  const noun = NAMED_BY_SETTINGS.get(key);
  if (noun === undefined) return [];
  const before = start.slice(0, start.lastIndexOf(',') + 1);
  const given = new Set(before.split(','));
  const names = await resources(client, noun, start.slice(before.length));
  return names
    .filter(({ word }) => !given.has(word))
    .map(({ word, about }) => ({ word: before + word, about }));
}

async function jobs(client: PrefixcastClient, type: string | undefined): Promise<Candidate[]> {
  const items = await page(client, '/v1/jobs', { type, limit: RECENT });
  return items.map(({ id, type: what, state }) => ({
    word: String(id),
    about: `${String(what)}, ${String(state)}`,
  }));
}

async function deletedModules(client: PrefixcastClient): Promise<Candidate[]> {
  const items = await page(client, '/v1/removed-modules', { limit: LONGEST_LIST });
  return items.map(({ name, removed_at: at }) => ({ word: String(name), about: `deleted ${String(at)}` }));
}

async function entries(client: PrefixcastClient, called: string, start: string): Promise<Candidate[]> {
  const modules = await found(client, NOUNS.module.path, called);
  const module = modules.find(({ id, name }) => name === called || id === called);
  if (module === undefined) return [];
  const { path, key } = ENTRY_KINDS[String(module.type)]!;
  const items = await found(client, `${NOUNS.module.path}/${String(module.id)}/${path}`, start);
  return items.map((item) => ({ word: String(item[key]), about: isText(item.note) ? item.note : '' }));
}

/** Speakers that a machine pulls the routes of. */
async function nodes(client: PrefixcastClient): Promise<Candidate[]> {
  const items = await page(client, NOUNS.speaker.path, { limit: LONGEST_LIST });
  return items
    .filter(({ mode }) => mode === 'agent')
    .map(({ name, label }) => ({ word: String(name), about: isText(label) ? label : '' }));
}

/** What may begin with the text. To search takes longer than to read a short list, which the time may not allow. */
async function found(client: PrefixcastClient, path: string, start: string): Promise<readonly Item[]> {
  const first = await read<Page<Item>>(client, path, { limit: LONGEST_LIST });
  if (first.next_cursor === null || start === '') return first.items;
  return page(client, path, { q: start.slice(0, 100), limit: LONGEST_LIST });
}

type Query = Readonly<Record<string, string | number | undefined>>;

async function page(client: PrefixcastClient, path: string, query: Query): Promise<readonly Item[]> {
  return (await read<Page<Item>>(client, path, query)).items;
}

async function read<T>(client: PrefixcastClient, path: string, query: Query = {}): Promise<T> {
  const answer = await client.request('GET', path, { query, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return (await answer.json()) as T;
}
