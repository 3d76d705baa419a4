/** How high rows are: as `--row` of tokens.css, for whoever places rows by themselves. */
import { useSyncExternalStore } from 'react';

const ROWS: Readonly<Record<string, number>> = { comfortable: 36 };
const ROW = 28;

function subscribe(listener: () => void): () => void {
  const changes = new MutationObserver(listener);
  changes.observe(document.documentElement, { attributeFilter: ['data-density'] });
  return () => changes.disconnect();
}

/** In pixels. */
export function useRowHeight(): number {
  return useSyncExternalStore(subscribe, () => ROWS[document.documentElement.dataset.density ?? ''] ?? ROW);
}
