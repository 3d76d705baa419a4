/** A grid of many rows, of which those in sight are in the page; one of them is active, and keys walk. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { useRowHeight } from './density.ts';

/** How many rows before the last one the next page is asked for. */
const AHEAD = 200;

/** The row that is active, by its key once somebody has gone there: others may add and remove rows meanwhile. */
interface Place {
  readonly index: number;
  readonly key?: string;
}

/** Where the row is now; one that is gone leaves its place to the next. */
function indexOf({ index, key }: Place, count: number, keyOf: (index: number) => string): number {
  const nearest = Math.max(0, Math.min(index, count - 1));
  if (key === undefined || count === 0 || keyOf(nearest) === key) return nearest;
  for (let at = 0; at < count; at++) if (keyOf(at) === key) return at;
  return nearest;
}

/**
 * @param keyOf names the row of an index
 * @param onEnd reads the next rows
 */
export function useGridWindow(count: number, keyOf: (index: number) => string, onEnd: () => void) {
  const scroll = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place>({ index: 0 });
  const active = indexOf(place, count, keyOf);
  const setActive = (index: number): void => setPlace({ index, key: keyOf(index) });
  const row = useRowHeight();
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroll.current,
    estimateSize: () => row,
    getItemKey: keyOf,
    overscan: 12,
  });
  useEffect(() => virtual.measure(), [virtual, row]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last > count - AHEAD) onEnd();
  }, [last, count, onEnd]);
  /** To the row of this index, or the nearest that there is. */
  const goTo = (index: number): void => {
    const found = Math.min(count - 1, Math.max(0, index));
    setActive(found);
    virtual.scrollToIndex(found);
    scroll.current?.focus();
  };
  /** As in every table, whoever has gone nowhere yet begins at the first row. */
  const goToNext = (): void => goTo(place.key === undefined ? active : active + 1);
  return { scroll, active, setActive, virtual, items, goTo, goToNext };
}
