/** Names that only the service knows, for somebody who waits at a keyboard: soon, or none. */
import type { Page, PrefixcastClient } from '#client';
import type { Item } from '../nouns/noun.ts';
import { ENTRY_KINDS } from '../nouns/entry-kinds.ts';
import { NOUNS } from '../nouns/nouns.ts';
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
  /** Of entries: the module that they are of. */
  readonly module?: string | undefined;
}

/** None where the service does not answer in time, or refuses: nobody reads a message there. */
export async function serviceNames(
  { of, module }: Asked,
  start: string,
  context: string | undefined,
): Promise<readonly Candidate[]> {
  try {
    const found = of === 'context' ? await contextNames() : await ask({ of, module }, start, context);
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
  { of, module }: Asked & { readonly of: Exclude<Named, 'context'> },
  start: string,
  context: string | undefined,
): Promise<Candidate[]> {
  // A vault may ask for a password, and must not while somebody types something else.
  const client = clientOf(await findTarget(context, { mayAskVault: false }), { retries: { attempts: 1 } });
  if (of === 'revision') return revisions(client);
  if (of === 'setting') return settings(client);
  if (of === 'job' || of === 'apply') return jobs(client, of === 'apply' ? 'apply' : undefined);
  if (of === 'deleted module') return deletedModules(client);
  if (of === 'entry') return module === undefined ? [] : entries(client, module, start);
  if (of === 'node') return nodes(client);
  const { path, names, isUnsearchable } = NOUNS[of];
  const q = isUnsearchable === true || start === '' ? undefined : start.slice(0, 100);
  const items = await page(client, path, { q, limit: LONGEST_LIST });
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
  const modules = await page(client, NOUNS.module.path, { q: called.slice(0, 100), limit: LONGEST_LIST });
  const module = modules.find(({ id, name }) => name === called || id === called);
  if (module === undefined) return [];
  const { path, key } = ENTRY_KINDS[String(module.type)]!;
  const q = start === '' ? undefined : start.slice(0, 100);
  const items = await page(client, `${NOUNS.module.path}/${String(module.id)}/${path}`, {
    q,
    limit: LONGEST_LIST,
  });
  return items.map((item) => ({ word: String(item[key]), about: isText(item.note) ? item.note : '' }));
}

/** Speakers that a machine pulls the routes of. */
async function nodes(client: PrefixcastClient): Promise<Candidate[]> {
  const items = await page(client, NOUNS.speaker.path, { limit: LONGEST_LIST });
  return items
    .filter(({ mode }) => mode === 'agent')
    .map(({ name, label }) => ({ word: String(name), about: isText(label) ? label : '' }));
}

type Query = Readonly<Record<string, string | number | undefined>>;

async function page(client: PrefixcastClient, path: string, query: Query): Promise<readonly Item[]> {
  return (await read<Page<Item>>(client, path, query)).items;
}

async function read<T>(client: PrefixcastClient, path: string, query: Query = {}): Promise<T> {
  const answer = await client.request('GET', path, { query, signal: AbortSignal.timeout(TIMEOUT_MS) });
  return (await answer.json()) as T;
}
