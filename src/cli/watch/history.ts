/** What became of a prefix, revision by revision. */
import type { Schemas } from '#client';
import { appliedTexts } from './applied-times.ts';
import { cutText, isCut } from './pruned.ts';
import { column, wide, type Column, type Item } from '../nouns/noun.ts';
import { parsePrefix } from '../../core/prefix.ts';
import { say } from '../process/ask.ts';
import { UsageError } from '../process/command-error.ts';
import { type Format, printList } from '../render/formats.ts';
import { readList, type ListOptions } from '../records/crud.ts';
import type { Session } from '../session/run-remote.ts';
import { deletedNames, restoreLinesOf, type DeletedNames } from './deleted-names.ts';

type HistoryItem = Schemas['HistoryItem'];

const of =
  (text: (item: HistoryItem) => unknown): ((item: Item) => unknown) =>
  (item) =>
    text(item as unknown as HistoryItem);

const columnsWith = (deleted: DeletedNames, isPruned: (item: HistoryItem) => boolean): readonly Column[] => [
  column('REVISION', 'revision'),
  column('AT', 'created_at'),
  column(
    'CHANGE',
    of((item) => (isPruned(item) ? `${item.change} by then` : item.change)),
  ),
  column(
    'ROUTES',
    of(({ routes }) => routes.map(({ prefix }) => prefix)),
  ),
  column(
    'BY',
    of(({ contributors }) => changedOf(contributors).map((one) => byText(one, deleted))),
  ),
  column(
    'SINCE',
    of(({ applied }) => appliedTexts(applied)),
  ),
  wide('ANNOUNCED', 'announced'),
  wide(
    'BEFORE',
    of(({ routes_before: routes }) => routes.map(({ prefix }) => prefix)),
  ),
  wide(
    'TRIGGER',
    of(({ trigger }) => triggerText(trigger)),
  ),
  wide('ROLLBACK OF', 'rollback_of'),
];

function triggerText({ kind, actor }: HistoryItem['trigger']): string {
  return actor === null ? kind : `${kind} by ${actor}`;
}

const SIGNS = { added: '+', removed: '-', changed: '~', kept: '' } as const;

/** An entry that is gone has no value any more: what it had says which one it was. */
export function byText(
  { module, purpose, entry, change, prefixes }: HistoryItem['contributors'][number],
  deleted: DeletedNames,
): string {
  const value = entry.value ?? prefixes.join(' and ');
  const excludes = purpose === 'exclude' ? ' (excludes)' : '';
  const before = deleted.get(module.id);
  const name = module.name ?? (before === undefined ? 'a deleted module' : `${before} (deleted)`);
  return `${SIGNS[change]}${name}: ${value}${excludes}`;
}

export function changedOf(contributors: HistoryItem['contributors']): HistoryItem['contributors'] {
  return contributors.filter(({ change }) => change !== 'kept');
}

/** Of cells, whose texts name what is deleted. */
const TABLES: ReadonlySet<Format> = new Set(['table', 'wide', 'csv']);

/** What scripts read calls modules what tables call them. */
function withNames(item: HistoryItem, deleted: DeletedNames): Item {
  const contributors = item.contributors.map((one) => {
    const { id, name } = one.module;
    return name === null ? { ...one, module: { id, name: deleted.get(id) ?? null, deleted: true } } : one;
  });
  return { ...item, contributors };
}

/** The newest first. */
export async function history(session: Session, prefix: string, options: ListOptions): Promise<void> {
  const parsed = parsePrefix(prefix);
  if (!parsed.ok) throw new UsageError(`${prefix} cannot be read: ${parsed.reason}`);
  const { items, more } = await readList(session, '/v1/history', { prefix }, options);
  const all = items as unknown as HistoryItem[];
  const changed = all.map(({ contributors }) => changedOf(contributors));
  const isTable = TABLES.has(session.format);
  const read = isTable ? changed : all.map(({ contributors }) => contributors);
  const deleted = await deletedNames(session, read.flat());
  const shown = isTable ? items : all.map((item) => withNames(item, deleted));
  const { oldest } = await session.client.get('/v1/history', { params: { query: { prefix, limit: 1 } } });
  // What the oldest revision has may have been there for long; so may what came with one that is gone.
  const isPruned = ({ previous_revision: previous, pruned_between: between }: HistoryItem): boolean =>
    between > 0 || (previous === null && isCut(oldest));
  const columns = columnsWith(deleted, isPruned);
  const beside = { oldest };
  await printList({ items: shown, columns, name: 'revision', more, beside }, session.format);
  if (session.format === 'table')
    for (const line of await restoreLinesOf(session, changed[0] ?? [], deleted)) say(line);
  if (isCut(oldest) && more === undefined) say(cutText(session, oldest, prefix));
  if (session.format !== 'table' || items.length > 0) return;
  say(
    oldest === null
      ? 'There is no revision yet'
      : `No revision from ${oldest.revision} on, the oldest that is kept, changed anything of it`,
  );
}
