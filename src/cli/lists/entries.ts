/** Entries of a module, which their value names: a prefix, an AS number, a domain, or the name of a source. */
import { ApiProblem, type Schemas } from '#client';
import { readList, type ListOptions } from '../records/crud.ts';
import { columnNouns } from '../records/column-names.ts';
import { AT_ONCE, findEntries, openModule, type OpenModule } from './find-entries.ts';
import { noteUndo, undoEntriesText } from '../session/undo-text.ts';
import { ENTRY_FIELDS, ENTRY_KINDS } from '../nouns/entry-kinds.ts';
import { column, type Item } from '../nouns/noun.ts';
import { say } from '../process/ask.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { named } from '../render/counted.ts';
import { print, printAnswer, printList } from '../render/formats.ts';
import { shellWord } from '../render/shell-word.ts';
import { bodyOf } from '../session/body.ts';
import { isMeant, type CautionOptions } from '../session/consequences.ts';
import { sayEmpty } from '../session/empty-entries.ts';
import { ForeseenHolds } from '../session/foreseen-holds.ts';
import { endMember, serviceClock, untilEnd, type EndOptions } from '../session/ends.ts';
import type { Session } from '../session/run-remote.ts';
import { isUnchanged } from '../session/unchanged.ts';
import { beforeEdit, endOfEdit } from '../session/wait-for-edits.ts';
import type { WaitOptions } from '../session/wait.ts';

export async function list(
  session: Session,
  name: string,
  options: ListOptions & { readonly find?: string | undefined },
): Promise<void> {
  const { base, path, key, columns: own } = await openModule(session, name);
  const columns = [
    column(key.toUpperCase(), key),
    ...own,
    column('ENABLED', 'enabled'),
    column('COMMUNITY', 'community_ids', 'community'),
  ];
  const { items, more } = await readList(session, `${base}/${path}`, { q: options.find }, options);
  if (items.some(({ expires_at: end }) => typeof end === 'string')) {
    const now = session.format === 'table' ? (await serviceClock(session))() : null;
    columns.push(column('EXPIRES', ({ expires_at: end }) => (now === null ? end : untilEnd(end, now))));
  }
  const names = await session.names.byId(columnNouns(columns, items));
  await printList({ items, columns, name: key, names, more }, session.format);
}

const OF_SOME_KINDS = Object.values(ENTRY_KINDS).flatMap(({ options }) => options);

type MemberOptions = Readonly<Record<string, unknown>> & EndOptions;

/**
 * What options say of entries. What lasts from now on begins when it is written, and not before a question: so it is asked each time.
 * @throws {UsageError} for an option that entries of this module do not have
 */
async function membersOf(
  session: Session,
  { name, type, options: own }: OpenModule,
  options: MemberOptions,
): Promise<() => Record<string, unknown>> {
  const foreign = OF_SOME_KINDS.find((option) => options[option] !== undefined && !own.includes(option));
  if (foreign !== undefined)
    throw new UsageError(
      `--${foreign} is of other lists: entries of ${name}, which is of type ${type}, have ${own.map((option) => `--${option}`).join(', ')}`,
    );
  const body = await bodyOf({ fields: ENTRY_FIELDS }, options, session.names);
  const now = options.for === undefined ? Date.now : await serviceClock(session);
  return () => ({ ...body, ...endMember(options, now()) });
}

export async function add(
  session: Session,
  named: readonly string[],
  options: MemberOptions & WaitOptions & CautionOptions,
): Promise<number> {
  try {
    return await addNew(session, named, options);
  } catch (error) {
    const isThere = error instanceof ApiProblem && error.code === 'conflict';
    if (isThere) sayHowToEdit(session, named, options);
    throw error;
  }
}

async function addNew(
  session: Session,
  [name, ...values]: readonly string[],
  options: MemberOptions & WaitOptions & CautionOptions,
): Promise<number> {
  const module = await openModule(session, name!);
  const { base, path, key, id, type, isHeldBack } = module;
  const members = await membersOf(session, module, options);
  if (module.options.includes('url') && options.url === undefined) {
    const url = values.find((value) => value.includes('://')) ?? 'URL';
    const called = values.find((value) => !value.includes('://')) ?? 'NAME';
    throw new UsageError(
      `Lists of ${name!} have a name and an address: prefixcast${session.contextWords} entry add ${shellWord(name!)} ${shellWord(called)} --url ${url === 'URL' ? url : shellWord(url)}`,
    );
  }
  const body = (): object => ({ items: values.map((value) => ({ [key]: value, ...members() })) });
  const write = { method: 'POST', path: `${base}/${path}`, body: body() } as const;
  // Of what has to be read first, nobody knows yet. Another entry gives the module other content, and what a rollback took back of it comes along.
  const holds = isHeldBack || type === 'IP_RANGES' ? await ForeseenHolds.read(session, id) : null;
  const question = isHeldBack
    ? `Add ${values.length === 1 ? values[0]! : `${values.length} entries`}?`
    : null;
  if (!(await isMeant(session, write, question, options, holds))) return EXIT.ok;
  const before = await beforeEdit(session, 'entries', id, options);
  const answer = await session.client.request('POST', write.path, { body: body() });
  const words = values.length === 1 ? `${values[0]} added` : `${values.length} entries added`;
  const made = (await answer.json()) as { readonly items: readonly { readonly id: string }[] };
  await printAnswer(made, words, session.format);
  const exitCode = await endOfEdit(session, before, holds, options);
  if (before !== null && module.isCollected)
    await sayEmpty(session, id, new Set(made.items.map((one) => one.id)));
  return exitCode;
}

/** Somebody who adds one that is there with another end means its end. */
function sayHowToEdit(
  { contextWords }: Session,
  [name, ...values]: readonly string[],
  { for: seconds, expires }: EndOptions,
): void {
  if (values.length !== 1 || (seconds === undefined && expires === undefined)) return;
  const end = seconds === undefined ? `--expires ${String(expires)}` : `--for ${seconds}s`;
  const words = ['entry edit', shellWord(name!), shellWord(values[0]!), end].join(' ');
  say(`It is there already. To give it another end: prefixcast${contextWords} ${words}`);
}

export async function edit(
  session: Session,
  [name, value]: readonly string[],
  options: MemberOptions & WaitOptions & CautionOptions,
): Promise<number> {
  const module = await openModule(session, name!);
  const members = await membersOf(session, module, options);
  const body = members();
  if (Object.keys(body).length === 0)
    throw new UsageError('Nothing is to be changed: name at least one option');
  const [entry] = (await findEntries(session, module, [value!])).keys();
  const write = { method: 'PATCH', path: `${module.base}/${module.path}/${entry!}`, body } as const;
  const question = body.enabled === false ? `Disable ${value!}?` : null;
  const holds = await ForeseenHolds.read(session, module.id);
  if (!(await isMeant(session, write, question, options, holds))) return EXIT.ok;
  const was = (await (await session.client.request('GET', write.path)).json()) as Item;
  const before = await beforeEdit(session, 'entries', module.id, options);
  const sent = members();
  const answer = await session.client.request('PATCH', write.path, { body: sent });
  const now = (await answer.json()) as Item;
  const isSame = isUnchanged(sent, was, now);
  const words = isSame ? `${value!} was so already: nothing has changed` : `${value!} changed`;
  await printAnswer(now, words, session.format);
  return endOfEdit(session, before, holds, options);
}

export async function remove(
  session: Session,
  [name, ...values]: readonly string[],
  options: WaitOptions & CautionOptions,
): Promise<number> {
  const module = await openModule(session, name!);
  const found = await findEntries(session, module, values);
  try {
    return await removeFound(session, module, found, options);
  } catch (error) {
    throw goneOf(error, module, [...found.values()]) ?? error;
  }
}

/** Where somebody else was quicker; null: it is something else. */
function goneOf(error: unknown, { name }: OpenModule, values: readonly string[]): CommandError | null {
  if (!(error instanceof ApiProblem)) return null;
  const gone = error.errors.flatMap(({ pointer }) => {
    const [, at] = /^\/ids\/(\d+)$/.exec(pointer) ?? [];
    return at === undefined ? [] : [values[Number(at)]!];
  });
  if (gone.length === 0) return null;
  const { names } = named('entry', gone);
  return new CommandError(
    `The module ${name} has ${names} no longer: somebody has removed it meanwhile, and nothing was removed now`,
    EXIT.notFound,
    { cause: error },
  );
}

async function removeFound(
  session: Session,
  module: OpenModule,
  found: ReadonlyMap<string, string>,
  options: WaitOptions & CautionOptions,
): Promise<number> {
  const ids = [...found.keys()];
  if (ids.length > AT_ONCE)
    throw new UsageError(
      `${ids.length} are too many at once: name ${AT_ONCE} at most, or import a file with --replace`,
    );
  const [path, body] = [`${module.base}/${module.path}`, { ids }];
  const removed = [...found.values()];
  const what = removed.length === 1 ? removed[0]! : `${removed.length} entries`;
  const holds = await ForeseenHolds.read(session, module.id);
  if (!(await isMeant(session, { method: 'DELETE', path, body }, `Remove ${what}?`, options, holds)))
    return EXIT.ok;
  const before = await beforeEdit(session, 'entries', module.id, options);
  const answer = await session.client.request('DELETE', path, { body });
  const deleted = (await answer.json()) as Schemas['DeletedEntries'];
  await printAnswer(deleted, `${what} removed`, session.format);
  say(undoEntriesText(session, module.name, deleted.batch));
  noteUndo(session, deleted.batch);
  return endOfEdit(session, before, holds, options);
}

export async function exportEntries(session: Session, name: string): Promise<void> {
  const { base } = await openModule(session, name);
  const headers = { accept: 'text/csv' };
  print(await (await session.client.request('GET', `${base}/entries.csv`, { headers })).text());
}
