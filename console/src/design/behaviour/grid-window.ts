/** A grid of many rows, of which those in sight are in the page; one of them is active, and keys walk. */
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { useRowHeight } from './density.ts';

/** How many rows before the last one the next page is asked for. */
const AHEAD = 200;

/**
 * @param keyOf names the row of an index
 * @param onEnd reads the next rows
 */
export function useGridWindow(count: number, keyOf: (index: number) => string, onEnd: () => void) {
  const scroll = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
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
  return { scroll, active, setActive, virtual, items, goTo };
}
