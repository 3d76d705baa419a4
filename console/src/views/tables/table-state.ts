/** What a table is filtered by and sorted by. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { Column } from './column.ts';

export interface Order {
  /** Of the column. */
  readonly name: string;
  readonly isDescending: boolean;
}

export interface TableState {
  readonly filter: string;
  /** Null: as the rows came. */
  readonly order: Order | null;
  readonly setFilter: (filter: string) => void;
  readonly setOrder: (order: Order | null) => void;
}

const TYPING_MILLISECONDS = 250;

type Search = Readonly<Record<string, unknown>>;

/** In the address of the page, so that it can be sent to somebody, and is there again after a reload. */
export function useAddressedState(): TableState {
  const { find = '', sort } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [filter, setFilter] = useState(find);
  const written = useRef(find);
  const write = (name: 'find' | 'sort', value: string | undefined): void =>
    void navigate({
      to: '.',
      search: (({ [name]: _, ...rest }: Search) =>
        value === undefined ? rest : { ...rest, [name]: value }) as never,
      ...{ replace: true, resetScroll: false },
    });
  const writing = useRef(write);
  useEffect(() => {
    writing.current = write;
  });
  useEffect(() => {
    // Another address of the same page, such as the one before.
    if (find === written.current) return;
    written.current = find;
    setFilter(find);
  }, [find]);
  useEffect(() => {
    if (filter === written.current) return;
    const timer = setTimeout(() => {
      written.current = filter;
      writing.current('find', filter === '' ? undefined : filter);
    }, TYPING_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [filter]);
  return {
    ...{ filter, setFilter, order: readOrder(sort) },
    setOrder: (order) => write('sort', order === null ? undefined : writeOrder(order)),
  };
}

/** The order of the page's table as the service calls it; undefined: it has none by that column, or nobody sorts. */
export function useServiceOrder<Row>(columns: readonly Column<Row>[]): string | undefined {
  const { sort } = useSearch({ strict: false });
  const order = readOrder(sort);
  const member = columns.find(({ name }) => name === order?.name)?.sort;
  return order === null || member === undefined ? undefined : `${order.isDescending ? '-' : ''}${member}`;
}

/** In the page alone, where a page has several tables. */
export function useOwnState(): TableState {
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<Order | null>(null);
  return { filter, setFilter, order, setOrder };
}

/** `-Routes`: downwards by that column. */
function readOrder(sort: string | undefined): Order | null {
  if (sort === undefined) return null;
  return sort.startsWith('-')
    ? { name: sort.slice(1), isDescending: true }
    : { name: sort, isDescending: false };
}

function writeOrder({ name, isDescending }: Order): string {
  return `${isDescending ? '-' : ''}${name}`;
}
