import { useInfiniteQuery, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import {
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from 'react';
import { ENTRY_KINDS } from '../../../../src/api/entries/entry-kinds.ts';
import { Button } from '../../design/controls/Button.tsx';
import { Empty } from '../../design/messages/Empty.tsx';
import { later } from '../../design/behaviour/later.tsx';
import { useShortcut } from '../../design/behaviour/shortcuts.tsx';
import { client } from '../../service/client.ts';
import { useMay } from '../../service/permissions.ts';
import { communitiesQuery, type Module } from '../../service/queries.ts';
import { entriesText } from '../../strings/entries.ts';
import { text } from '../../strings/english.ts';
import { useGridWindow } from '../../design/behaviour/grid-window.ts';
import { Loaded } from '../../views/page/Loaded.tsx';
import { GridHead } from '../../design/shown/GridHead.tsx';
import { Problem } from '../../views/faults/Problem.tsx';
import { saveFile } from '../../views/tables/csv.ts';
import { FilterSelect } from '../../views/tables/FilterSelect.tsx';
import { entriesPath, keyLabel, keyOf, type Entry } from './entry-kinds.ts';
import { EntryCells } from './EntryCells.tsx';
import type { EntryDialogsProps, EntryTask } from './EntryDialogs.tsx';
import './entry-grid.css';

const EntryDialogs = later<EntryDialogsProps>(async () => (await import('./EntryDialogs.tsx')).EntryDialogs);

interface EntryPage {
  readonly items: readonly Entry[];
  readonly next_cursor: string | null;
}

const PAGE = 500;
const FIRST_PAGE: { readonly cursor?: string } = {};
/** An address or a prefix, by which entries are found that have it. */
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|[\da-f:]*:[\da-f:.]*)(\/\d{1,3})?$/i;
const TYPING_MILLISECONDS = 250;

const route = getRouteApi('/modules/$moduleId');

export function EntryGrid({ module }: { module: Module }) {
  const { q = '', order } = route.useSearch();
  const [task, setTask] = useState<EntryTask | null>(null);
  const may = useMay();
  const canWrite = may('bgp:lists:write');
  const path = entriesPath(module);
  const filter = {
    ...(q === '' ? {} : ADDRESS.test(q) ? { contains: q } : { q }),
    ...(order === undefined ? {} : { sort: order === 'newest' ? '-created_at' : order }),
  };
  const entries = useInfiniteQuery({
    queryKey: ['entries', module.id, filter],
    queryFn: async ({ pageParam }) => {
      const query = { ...filter, ...pageParam, limit: PAGE };
      return (await (await client.request('GET', path, { query })).json()) as EntryPage;
    },
    initialPageParam: FIRST_PAGE,
    getNextPageParam: ({ next_cursor }) => (next_cursor === null ? undefined : { cursor: next_cursor }),
  });
  const pages = entries.data?.pages;
  const rows = useMemo(() => (pages ?? []).flatMap(({ items }) => items), [pages]);
  /** Whoever was in the list is in it again once a filter has another one. */
  const hadFocus = useRef(false);
  useShortcut('n', entriesText.keys.add, canWrite ? () => setTask({ what: 'add' }) : null);
  const adding = canWrite && (
    <Button look="primary" onClick={() => setTask({ what: 'add' })}>
      {entriesText.add}
    </Button>
  );
  return (
    <div className="section">
      {(module.entry_count > 0 || q !== '') && (
        <div className="table-tools">
          <Filter key={module.id} />
          <FilterSelect
            label={entriesText.order}
            name="order"
            value={order}
            all={entriesText.oldestFirst}
            choices={[
              { value: 'newest', label: entriesText.newestFirst },
              { value: 'name', label: entriesText.ascending(keyLabel(module.type)) },
              { value: '-name', label: entriesText.descending(keyLabel(module.type)) },
            ]}
          />
          <SaveEntries module={module} />
          {adding}
        </div>
      )}
      <Loaded query={entries}>
        {() => {
          if (rows.length > 0)
            return (
              <Rows
                key={`${q} ${order}`}
                module={module}
                rows={rows}
                hadFocus={hadFocus}
                found={q === '' ? undefined : { isAll: !entries.hasNextPage }}
                onTask={canWrite ? setTask : undefined}
                onEnd={() => {
                  if (entries.hasNextPage && !entries.isFetchingNextPage) void entries.fetchNextPage();
                }}
              />
            );
          if (q !== '') return <p className="muted">{entriesText.noneFound}</p>;
          return (
            <Empty
              title={entriesText.emptyTitle}
              what={entriesText.emptyWhat}
              action={adding}
              command={entriesText.emptyCommand(module.name)}
            />
          );
        }}
      </Loaded>
      {task !== null && (
        <EntryDialogs isOpen module={module} task={ofThose(task, rows)} onClose={() => setTask(null)} />
      )}
    </div>
  );
}

/** Of those that are still in the list: the window that asks about several goes on when somebody else deletes one of them. */
function ofThose(task: EntryTask, rows: readonly Entry[]): EntryTask {
  if (!('entries' in task)) return task;
  const present = new Set(rows.map(({ id }) => id));
  const entries = task.entries.filter(({ id }) => present.has(id));
  // Of none, the service says what became of them.
  return entries.length === 0 ? task : { ...task, entries, gone: task.entries.length - entries.length };
}

/** All of them, as the service takes them back: what is filtered is a look at the list, and not another list. */
function SaveEntries({ module }: { module: Module }) {
  const saving = useMutation({
    mutationFn: async () => {
      const { readEntries } = await import('./read-entries.ts');
      saveFile(`${module.name}.csv`, await readEntries(module.id), 'text/csv');
    },
  });
  return (
    <>
      <Button title={entriesText.exportAll} isBusy={saving.isPending} onClick={() => saving.mutate()}>
        {text.csv}
      </Button>
      {saving.error !== null && <Problem error={saving.error} onRetry={() => saving.mutate()} />}
    </>
  );
}

/** What is typed goes into the address, and from there to the service. */
function Filter() {
  const { q = '' } = route.useSearch();
  const [typed, setTyped] = useState(q);
  const navigate = useNavigate();
  useEffect(() => {
    if (typed.trim() === q) return;
    const timer = setTimeout(
      () =>
        void navigate({
          from: '/modules/$moduleId',
          search: ({ q: _, ...rest }) => (typed.trim() === '' ? rest : { ...rest, q: typed.trim() }),
          replace: true,
        }),
      TYPING_MILLISECONDS,
    );
    return () => clearTimeout(timer);
  }, [typed, q, navigate]);
  const field = useRef<HTMLInputElement>(null);
  useShortcut('f', text.filterRows, () => field.current?.focus());
  return (
    <input
      ref={field}
      className="input"
      type="search"
      aria-label={entriesText.filter}
      placeholder={entriesText.filter}
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
    />
  );
}

interface RowsProps {
  readonly module: Module;
  readonly rows: readonly Entry[];
  /** Whether the list before this one had the focus. */
  readonly hadFocus: RefObject<boolean>;
  /** Of a filter, whether they are all that it finds; undefined: nobody filters. */
  readonly found: { readonly isAll: boolean } | undefined;
  /** Undefined: nothing may be changed. */
  readonly onTask: ((task: EntryTask) => void) | undefined;
  readonly onEnd: () => void;
}

/** A hundred thousand entries are some forty rows in the page. */
function Rows({ module, rows, hadFocus, found, onTask, onEnd }: RowsProps) {
  const id = useId();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { scroll, active, setActive, virtual, items, goTo, goToNext } = useGridWindow(
    rows.length,
    (index) => rows[index]!.id,
    onEnd,
  );
  useLayoutEffect(() => {
    const grid = scroll.current!;
    // Nobody has gone elsewhere meanwhile.
    if (hadFocus.current && document.activeElement?.contains(grid) === true)
      grid.focus({ preventScroll: true });
    hadFocus.current = false;
    return () => {
      hadFocus.current = document.activeElement === grid;
    };
  }, [scroll, hadFocus]);

  const toggle = (entry: Entry): void => {
    const next = new Set(selected);
    if (!next.delete(entry.id)) next.add(entry.id);
    setSelected(next);
  };
  // Somebody else may have deleted some of them.
  const marked = selected.size === 0 ? [] : rows.filter((entry) => selected.has(entry.id));
  const chosen = (): readonly Entry[] => (marked.length > 0 ? marked : rows.slice(active, active + 1));
  const begin = (what: 'remove' | 'enable' | 'disable' | 'move'): void => {
    onTask?.({ what, entries: chosen(), onDone: () => setSelected(new Set()) });
  };
  const edit = (entry: Entry | undefined): void => {
    if (entry !== undefined) onTask?.({ what: 'edit', entry });
  };
  /** Whoever does something with the first row is there: the next key goes on to the second. */
  const toggleActive = (): void => {
    setActive(active);
    toggle(rows[active]!);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => goTo(active + 1),
    ArrowUp: () => goTo(active - 1),
    PageDown: () => goTo(active + 20),
    PageUp: () => goTo(active - 20),
    Home: () => goTo(0),
    End: () => goTo(rows.length - 1),
    ' ': toggleActive,
    Enter: () => edit(rows[active]),
    Delete: () => begin('remove'),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (run === undefined) return;
    event.preventDefault();
    run();
  };
  useShortcut('j', entriesText.keys.next, goToNext);
  useShortcut('k', entriesText.keys.previous, () => goTo(active - 1));
  useShortcut('x', entriesText.keys.select, toggleActive);
  useShortcut('e', entriesText.keys.edit, onTask === undefined ? null : () => edit(rows[active]));
  useShortcut('Delete', entriesText.keys.remove, onTask === undefined ? null : () => begin('remove'));
  const { data: communities = [] } = useQuery(communitiesQuery);
  const all = found === undefined ? Math.max(module.entry_count, rows.length) : rows.length;
  return (
    <>
      <div className="entry-tools">
        <span className="muted number">
          {marked.length > 0
            ? entriesText.selected(marked.length)
            : found === undefined
              ? entriesText.loaded(rows.length, all)
              : entriesText.found(rows.length, found.isAll)}
        </span>
        {onTask !== undefined && marked.length > 0 && (
          <>
            <Button onClick={() => begin('enable')}>{entriesText.enable}</Button>
            <Button onClick={() => begin('disable')}>{entriesText.disable}</Button>
            {/* What is collected would have to be read again there, and be gone until then. */}
            {!ENTRY_KINDS[module.type].isCollected && (
              <Button onClick={() => begin('move')}>{entriesText.move.action}</Button>
            )}
            <Button look="danger" onClick={() => begin('remove')}>
              {entriesText.remove}
            </Button>
          </>
        )}
      </div>
      <div
        ref={scroll}
        className="entries"
        style={{ blockSize: virtual.getTotalSize() + 2 }}
        role="grid"
        aria-label={entriesText.entries}
        // How many a filter finds, nobody knows before all are read.
        aria-rowcount={found?.isAll === false ? -1 : all + 1}
        aria-multiselectable
        aria-activedescendant={`${id}-${active}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <GridHead columns={[keyLabel(module.type), ...entriesText.columns]} />
        <div role="rowgroup" className="entries-rows" style={{ blockSize: virtual.getTotalSize() }}>
          {items.map(({ index, start, key }) => {
            const entry = rows[index]!;
            return (
              <div
                key={key}
                id={`${id}-${index}`}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={selected.has(entry.id)}
                className={`entry ${index === active ? 'is-active' : ''} ${entry.enabled ? '' : 'is-off'}`}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => {
                  setActive(index);
                  toggle(entry);
                }}
                onDoubleClick={() => edit(entry)}
              >
                <span role="gridcell" className="entry-mark" aria-hidden="true">
                  {selected.has(entry.id) ? '✓' : ''}
                </span>
                <EntryCells
                  name={keyOf(module.type, entry)}
                  entry={entry}
                  communities={communities.filter(({ id: one }) => entry.community_ids.includes(one))}
                />
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}
