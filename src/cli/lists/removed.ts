/** What was deleted of lists, and how it comes back. */
import type { Page, Schemas } from '#client';
import { isUuid } from '../../api/shapes/uuid.ts';
import { readList, type ListOptions } from '../records/crud.ts';
import { AT_ONCE, openModule, type OpenModule } from './find-entries.ts';
import { column, type Item, type Noun } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { say } from '../process/ask.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { printAnswer, printList } from '../render/formats.ts';
import { shellWord } from '../render/shell-word.ts';
import { isMeant, type CautionOptions } from '../session/consequences.ts';
import type { Session } from '../session/run-remote.ts';
import { beforeEdit, waitForEntries } from '../session/wait-for-edits.ts';
import type { WaitOptions } from '../session/wait.ts';

const REMOVED_MODULES = '/v1/removed-modules';

export interface RestoreOptions extends CautionOptions, WaitOptions {
  readonly 'leave-out-missing': boolean;
}

/** Options of both commands, by the members that they set. */
export const RESTORE: Noun = {
  ...NOUNS.module,
  names: ['id'],
  fields: {
    as: { member: 'name', kind: 'text', about: 'another name' },
    'leave-out-missing': { member: 'leave_out_missing', kind: 'flag', about: 'without what is gone' },
  },
};

const WHO = [column('DELETED', 'removed_at'), column('BY', 'removed_by')];

/** Modules that can be restored, those deleted last first. */
export async function listDeleted(
  session: Session,
  { find, ...options }: ListOptions & { readonly find?: string | undefined },
): Promise<void> {
  const { items, more } = await readList(session, REMOVED_MODULES, { q: find }, options);
  const columns = [
    ...[column('NAME', 'name'), column('TYPE', 'type'), column('ENTRIES', 'entry_count'), ...WHO],
    { ...column('UNTIL', 'kept_until'), isWide: true as const },
    { ...column('ID', 'id'), isWide: true as const },
  ];
  await printList({ items, columns, name: 'name', names: new Map(), more }, session.format);
}

/** Puts the deleted module back that was called so. */
export async function restoreModule(
  session: Session,
  given: string,
  { as, ...options }: RestoreOptions & { readonly as?: string | undefined },
): Promise<number> {
  const id = isUuid(given) ? given : String((await findDeleted(session, given)).id);
  const body = { ...(as === undefined ? {} : { name: as }), ...leavesOut(options) };
  const write = { method: 'POST', path: `${NOUNS.module.path}/${id}/restore`, body } as const;
  if (!(await isMeant(session, write, null, options))) return EXIT.ok;
  const before = await beforeEdit(session, 'entries', id, options);
  const answer = (await (
    await session.client.request('POST', write.path, { body })
  ).json()) as Schemas['RestoredModule'];
  const again = answer.is_collected_again ? '; its sources are read again' : '';
  await printAnswer(answer, `module ${answer.name} restored: ${countsText(answer)}${again}`, session.format);
  return waitForEntries(session, before, options);
}

/** By its name as it is written. @throws {CommandError} where several were called so: which of them is meant, nobody knows */
async function findDeleted(session: Session, name: string): Promise<Item> {
  const called = await deletedCalled(session, name);
  if (called.length === 1) return called[0]!;
  const program = `prefixcast${session.contextWords} module`;
  if (called.length === 0)
    throw new CommandError(
      `No deleted module is called ${name}; see ${program} list --deleted`,
      EXIT.notFound,
    );
  const lines = called.map(({ id, removed_at: at, removed_by: by, entry_count: count }) => {
    const who = typeof by === 'string' ? ` by ${by}` : '';
    return `  deleted ${String(at)}${who}, ${entriesText(Number(count))}: ${program} restore ${String(id)}`;
  });
  throw new CommandError(
    [`${called.length} deleted modules were called ${name}; restore one by its id:`, ...lines].join('\n'),
    EXIT.conflict,
  );
}

/** Those deleted last first. */
export async function deletedCalled(session: Session, name: string): Promise<readonly Item[]> {
  const { items } = await readList(session, REMOVED_MODULES, { q: name.slice(0, 100) }, { all: true });
  const exact = items.filter((item) => item.name === name);
  return exact.length > 0 ? exact : items.filter((item) => isCalled(item, name));
}

function isCalled(item: Item, name: string): boolean {
  return String(item.name).toLowerCase() === name.toLowerCase();
}

/** What was removed from a module, the last removal first. */
export async function listRemoved(session: Session, name: string, options: ListOptions): Promise<void> {
  const id = await session.names.idOf('module', name);
  const path = `${NOUNS.module.path}/${id}/removed-entries`;
  const { items, more } = await readList(session, path, {}, options);
  const columns = [
    ...[column('BATCH', 'id'), column('ENTRIES', 'entry_count'), column('FIRST', 'names')],
    ...[column('REMOVED', 'removed_at'), column('BY', 'removed_by'), column('RESTORED', 'restored_at')],
  ];
  await printList({ items, columns, name: 'id', names: new Map(), more }, session.format);
}

/** Puts the entries of a removal back; of the last one, where none is named. */
export async function restoreEntries(
  session: Session,
  [name, given]: readonly string[],
  options: RestoreOptions & { readonly 'undo-import': boolean },
): Promise<number> {
  const module = await openModule(session, name!);
  const batch = given ?? (await newestBatch(session, module));
  const created = options['undo-import'] ? await createdBeside(session, module, batch) : [];
  const path = `${module.base}/entries/restore`;
  const restore = { method: 'POST', path, body: { batch, ...leavesOut(options) } } as const;
  const removals = inParts(created).map(
    (ids) => ({ method: 'DELETE', path: `${module.base}/${module.path}`, body: { ids } }) as const,
  );
  const changes = { method: 'POST', path: '/v1/changes', body: { changes: [...removals, restore] } } as const;
  const write = removals.length === 0 ? restore : changes;
  if (!(await isMeant(session, write, null, options))) return EXIT.ok;
  const before = await beforeEdit(session, 'entries', module.id, options);
  const body = await (await session.client.request('POST', write.path, { body: write.body })).json();
  const answer = (
    removals.length === 0 ? body : (body as Schemas['ChangesAnswer']).answers.at(-1)!.body
  ) as Schemas['RestoredEntries'];
  const there = answer.already_there > 0 ? `, ${answer.already_there} there already` : '';
  const gone = created.length > 0 ? `, ${created.length} removed` : '';
  await printAnswer(answer, `${countsText(answer)} restored${there}${gone}`, session.format);
  return waitForEntries(session, before, options);
}

/** Ids of entries that the import created which removed the batch: a transaction has one time. @throws {CommandError} for a batch that is none */
async function createdBeside(
  { client }: Session,
  { id, name, base, path }: OpenModule,
  batch: string,
): Promise<string[]> {
  const removals = client.list('/v1/modules/{module_id}/removed-entries', {
    params: { path: { module_id: id } },
  });
  let at: string | null = null;
  for await (const one of removals) if (one.id === batch) at = one.removed_at;
  if (at === null)
    throw new CommandError(`Nothing that was removed from ${name} is called ${batch}`, EXIT.notFound);
  const found: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const query = { sort: '-created_at', limit: 500, cursor };
    const page = (await (await client.request('GET', `${base}/${path}`, { query })).json()) as Page<Item>;
    for (const { id: entry, created_at: time } of page.items) if (time === at) found.push(String(entry));
    const oldest = page.items.at(-1)?.created_at;
    cursor = typeof oldest === 'string' && oldest < at ? null : page.next_cursor;
  }
  return found;
}

/** As many as the service deletes at once. */
function inParts(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, part) =>
    ids.slice(part * AT_ONCE, (part + 1) * AT_ONCE),
  );
}

/**
 * The last removal, and no older one: whoever types the command twice, after a failure or by mistake, would bring back what was removed on purpose.
 * It says what that is.
 * @throws {CommandError} where it is back
 */
async function newestBatch({ client, contextWords }: Session, { id, name }: OpenModule): Promise<string> {
  const removals = client.list('/v1/modules/{module_id}/removed-entries', {
    params: { path: { module_id: id } },
  });
  let isBack = false;
  for await (const { id: batch, restored_at: restoredAt, ...removal } of removals) {
    if (restoredAt !== null) {
      isBack = true;
      continue;
    }
    if (isBack)
      throw new CommandError(
        `What was removed last from ${name} is back. An older removal comes back by its batch: see prefixcast${contextWords} entry removed ${shellWord(name)}`,
        EXIT.conflict,
      );
    const { names, entry_count: count, removed_by: by, removed_at: at } = removal;
    const others = count > names.length ? ` and ${count - names.length} more` : '';
    say(`Removed last${by === null ? '' : ` by ${by}`} at ${at}: ${names.join(', ')}${others}`);
    return batch;
  }
  throw new CommandError(`Nothing that was removed from ${name} can be restored`, EXIT.notFound);
}

function leavesOut({ 'leave-out-missing': isLeftOut }: RestoreOptions): object {
  return isLeftOut ? { leave_out_missing: true } : {};
}

type Counts = Pick<Schemas['RestoredModule'], 'restored' | 'expired' | 'left_out'>;

function countsText({ restored, expired, left_out: missing }: Counts): string {
  const parts = [
    entriesText(restored),
    ...(expired > 0 ? [`${expired} expired meanwhile`] : []),
    ...(missing.length > 0 ? [`without ${missing.join(', ')}`] : []),
  ];
  return parts.join(', ');
}

function entriesText(count: number): string {
  return `${count} ${count === 1 ? 'entry' : 'entries'}`;
}
