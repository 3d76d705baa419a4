/** Entries of a module, which their value names: a prefix, an AS number, a domain, or the name of a source. */
import { readFileSync } from 'node:fs';
import type { Schemas } from '#client';
import { covers } from '../../core/bits.ts';
import { parsePrefix } from '../../core/prefix.ts';
import { readList, type ListOptions } from './crud.ts';
import { columnNouns } from './column-names.ts';
import { undoEntriesText } from './undo-text.ts';
import { ENTRY_FIELDS, ENTRY_KINDS } from '../nouns/entry-kinds.ts';
import { column, type Item } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { asksYes, canAsk, say } from '../process/ask.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { print, printList } from '../render/formats.ts';
import { bodyOf } from '../session/body.ts';
import { effectText, isMeant, type CautionOptions } from '../session/consequences.ts';
import { ForeseenHolds, isRolledBack } from '../session/foreseen-holds.ts';
import { endMember, untilEnd, type EndOptions } from '../session/ends.ts';
import type { Session } from '../session/run-remote.ts';
import { beforeEdit, waitForEntries } from '../session/wait-for-edits.ts';
import type { WaitOptions } from '../session/wait.ts';

async function openModule(session: Session, name: string) {
  const module = await session.names.find(NOUNS.module, name);
  const kind = ENTRY_KINDS[module.type as string]!;
  const isHeldBack = isRolledBack(module as unknown as Schemas['Module']);
  return {
    ...kind,
    name,
    base: `${NOUNS.module.path}/${String(module.id)}`,
    id: String(module.id),
    isHeldBack,
  };
}

export async function list(session: Session, name: string, options: ListOptions): Promise<void> {
  const { base, path, key, columns: own } = await openModule(session, name);
  const columns = [
    column(key.toUpperCase(), key),
    ...own,
    column('ENABLED', 'enabled'),
    column('COMMUNITY', 'community_id', 'community'),
  ];
  const { items, more } = await readList(session, `${base}/${path}`, {}, options);
  if (items.some(({ expires_at: end }) => typeof end === 'string'))
    columns.push(
      column('EXPIRES', ({ expires_at: end }) => (session.format === 'table' ? untilEnd(end) : end)),
    );
  const names = await session.names.byId(columnNouns(columns, items));
  await printList({ items, columns, name: key, names, more }, session.format);
}

type MemberOptions = Readonly<Record<string, unknown>> & EndOptions;

async function membersOf(session: Session, options: MemberOptions): Promise<Record<string, unknown>> {
  return { ...(await bodyOf({ fields: ENTRY_FIELDS }, options, session.names)), ...endMember(options) };
}

export async function add(
  session: Session,
  [name, ...values]: readonly string[],
  options: MemberOptions & WaitOptions & CautionOptions,
): Promise<number> {
  const { base, path, key, id, isHeldBack } = await openModule(session, name!);
  const members = await membersOf(session, options);
  const body = { items: values.map((value) => ({ [key]: value, ...members })) };
  const write = { method: 'POST', path: `${base}/${path}`, body } as const;
  // Another entry gives the module other content, and what a rollback took back of it comes along.
  const holds = isHeldBack ? await ForeseenHolds.read(session) : null;
  const question = isHeldBack
    ? `Add ${values.length === 1 ? values[0]! : `${values.length} entries`}?`
    : null;
  if (!(await isMeant(session, write, question, options, holds))) return EXIT.ok;
  const before = await beforeEdit(session, 'module_refresh', id, options);
  await session.client.request('POST', write.path, { body });
  print(`${values.length === 1 ? `${values[0]} added` : `${values.length} entries added`}\n`);
  return waitForEntries(session, before, options);
}

export async function edit(
  session: Session,
  [name, value]: readonly string[],
  options: MemberOptions & WaitOptions & CautionOptions,
): Promise<number> {
  const module = await openModule(session, name!);
  const body = await membersOf(session, options);
  if (Object.keys(body).length === 0)
    throw new UsageError('Nothing is to be changed: name at least one option');
  const [entry] = (await findEntries(session, module, [value!])).keys();
  const write = { method: 'PATCH', path: `${module.base}/${module.path}/${entry!}`, body } as const;
  const question = body.enabled === false ? `Disable ${value!}?` : null;
  if (!(await isMeant(session, write, question, options))) return EXIT.ok;
  const before = await beforeEdit(session, 'module_refresh', module.id, options);
  await session.client.request('PATCH', write.path, { body });
  print(`${value!} changed\n`);
  return waitForEntries(session, before, options);
}

/** As many as the service deletes at once. */
const AT_ONCE = 10_000;

export async function remove(
  session: Session,
  [name, ...values]: readonly string[],
  options: WaitOptions & CautionOptions,
): Promise<number> {
  const module = await openModule(session, name!);
  const found = await findEntries(session, module, values);
  const ids = [...found.keys()];
  if (ids.length > AT_ONCE)
    throw new UsageError(
      `${ids.length} are too many at once: name ${AT_ONCE} at most, or import a file with --replace`,
    );
  const [path, body] = [`${module.base}/${module.path}`, { ids }];
  const question = `Remove ${values.length === 1 ? values[0]! : `${values.length} entries`}?`;
  if (!(await isMeant(session, { method: 'DELETE', path, body }, question, options))) return EXIT.ok;
  const before = await beforeEdit(session, 'module_refresh', module.id, options);
  await session.client.request('DELETE', path, { body });
  print(`${values.length === 1 ? `${values[0]} removed` : `${values.length} entries removed`}\n`);
  say(await undoEntriesText(session, module, { count: ids.length, removed: [...found.values()] }));
  return waitForEntries(session, before, options);
}

type OpenModule = Awaited<ReturnType<typeof openModule>>;

/** Values that are looked for one by one; of more, or where one is written otherwise, the whole list is read. */
const SEARCHED = 5;

/** @returns what they are called by their ids, each once. @throws {CommandError} for a value that the module does not have */
async function findEntries(
  session: Session,
  { base, path, key, name }: OpenModule,
  values: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const read = async (query: Readonly<Record<string, string>>): Promise<readonly Item[]> =>
    (await readList(session, `${base}/${path}`, query, { all: true })).items;
  const isFew = values.length <= SEARCHED && values.every((value) => plain(value).length <= 100);
  const found = isFew ? (await Promise.all(values.map((value) => read({ q: plain(value) })))).flat() : [];
  const byName = (items: readonly Item[]): Map<string, Item> =>
    new Map(items.map((item) => [plain(item[key]), item]));
  const near = byName(found);
  const known = values.every((value) => near.has(plain(value))) ? near : byName(await read({}));
  return new Map(
    values.map((value) => {
      const item = known.get(plain(value)) ?? known.get(`${value}/${value.includes(':') ? 128 : 32}`);
      if (item !== undefined) return [String(item.id), String(item[key])];
      const hint = around(
        value,
        [...known.values()].map((one) => String(one[key])),
      );
      throw new CommandError(`The module ${name} has no entry ${value}${hint}`, EXIT.notFound);
    }),
  );
}

/** Of many, those that are named in a message. */
const NAMED = 3;

/** Whoever names an address of an entry, or its first one without the length, learns what contains it. */
function around(value: string, entries: readonly string[]): string {
  const asked = parsePrefix(value);
  if (!asked.ok) return '';
  const { family, length, words } = asked.value;
  const containing = entries.filter((entry) => {
    const one = parsePrefix(entry);
    if (!one.ok || one.value.family !== family || one.value.length > length) return false;
    return covers(one.value.words, 0, one.value.length, words, 0);
  });
  if (containing.length === 0) return '';
  const rest = containing.length > NAMED ? ' and others' : '';
  return `; it is inside ${containing.slice(0, NAMED).join(', ')}${rest}`;
}

/** AS3333 and 3333, and letters in any case, mean the same. */
function plain(value: unknown): string {
  return String(value)
    .toLowerCase()
    .replace(/^as(?=\d+$)/, '');
}

export async function exportEntries(session: Session, name: string): Promise<void> {
  const { base } = await openModule(session, name);
  const headers = { accept: 'text/csv' };
  print(await (await session.client.request('GET', `${base}/entries.csv`, { headers })).text());
}

export interface ImportOptions extends WaitOptions {
  readonly replace: boolean;
  readonly 'dry-run': boolean;
  readonly 'allow-empty': boolean;
  readonly yes: boolean;
}

/** A file with a header as the export writes it; lines of single values do as well. */
export async function importEntries(
  session: Session,
  [name, file]: readonly string[],
  options: ImportOptions,
): Promise<number> {
  const { base, key, id } = await openModule(session, name!);
  const body = withHeader(readText(file!), key);
  if (options.replace && !options['allow-empty'] && isEmpty(body))
    throw new CommandError(
      `${file === '-' ? 'Standard input' : file!} has no entries, and --replace would delete all of ${name!}: use --allow-empty where that is meant`,
      EXIT.usage,
    );
  const mode = options.replace ? 'replace' : 'append';
  if (options['dry-run']) return planImport(session, `${base}/entries.csv?mode=${mode}`, body);
  const headers = { 'content-type': 'text/csv' };
  if (options.replace) await askBeforeLoss(session, name!, { base, body }, options);
  const before = await beforeEdit(session, 'module_refresh', id, options);
  const answer = await session.client.request('POST', `${base}/entries.csv`, {
    query: { mode },
    body,
    headers,
  });
  const counts = (await answer.json()) as Counts;
  print(`${countsText(counts)}\n`);
  if (counts.deleted > 0) say(await undoEntriesText(session, { id, name: name! }, { count: counts.deleted }));
  return waitForEntries(session, before, options);
}

type Counts = Schemas['EntryImport'];

function countsText({ created, updated, unchanged, deleted }: Counts): string {
  return `${created} created, ${updated} updated, ${unchanged} unchanged, ${deleted} deleted`;
}

/** What the import would do to entries and to routes. */
async function planImport({ client, format }: Session, path: string, csv: string): Promise<number> {
  const body = { changes: [{ method: 'POST', path, body: csv }] };
  const answer = await client.request('POST', '/v1/revisions/plan', { body });
  const { answers, effect } = (await answer.json()) as Schemas['Plan'];
  const counts = answers[0]!.body as Counts;
  print(
    format === 'json'
      ? `${JSON.stringify({ entries: { ...counts, dry_run: true }, effect }, null, 2)}\n`
      : `${countsText(counts)} (dry run: nothing has changed)\n${effectText(effect)}\n`,
  );
  return EXIT.ok;
}

/** @throws {CommandError} where the answer at the terminal is no */
async function askBeforeLoss(
  { client }: Session,
  name: string,
  { base, body }: { readonly base: string; readonly body: string },
  { yes }: ImportOptions,
): Promise<void> {
  const query = { mode: 'replace', dry_run: true };
  const headers = { 'content-type': 'text/csv' };
  const answer = await client.request('POST', `${base}/entries.csv`, { query, body, headers });
  const { updated, unchanged, deleted } = (await answer.json()) as Record<
    'updated' | 'unchanged' | 'deleted',
    number
  >;
  const all = updated + unchanged + deleted;
  if (deleted > 0) say(`--replace deletes ${deleted} of the ${all} entries of ${name}`);
  if (deleted * 2 <= all || yes || !canAsk() || (await asksYes('Go on?'))) return;
  throw new CommandError('Nothing has changed', EXIT.no);
}

function readText(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} can't be read: ${(error as Error).message}`, EXIT.noInput);
  }
}

/** With its header alone: perhaps what was to fill the pipe has failed. */
function isEmpty(csv: string): boolean {
  return csv.split(/\r?\n/).filter((line) => line.replaceAll(/[\s,"]/g, '') !== '').length <= 1;
}

/** A plain list has no header, and perhaps comments. */
function withHeader(text: string, key: string): string {
  const [first = ''] = text.split(/\r?\n/, 1);
  if (first.split(',').some((cell) => cell.trim().replaceAll('"', '') === key)) return text;
  const lines = text.split(/\r?\n/).map((line) => line.replace(/\s*[#;].*$/, '').trim());
  return [key, ...lines.filter((line) => line !== '')].join('\n');
}
