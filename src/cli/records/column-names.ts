import type { Column, Item, NounName } from '../nouns/noun.ts';
import { valueOf } from '../render/formats.ts';

/** The nouns whose names columns show, as far as any item has one. */
export function columnNouns(columns: readonly Column[], items: readonly Item[]): NounName[] {
  const isFilled = (column: Column): boolean =>
    items.some((item) => {
      const value = valueOf(column, item);
      return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined;
    });
  return columns.flatMap((column) => (column.noun !== undefined && isFilled(column) ? [column.noun] : []));
}
