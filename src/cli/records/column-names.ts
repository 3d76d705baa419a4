import type { Column, Item, Noun, NounName } from '../nouns/noun.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { nameOfNames, valueOf } from '../render/formats.ts';

/** The nouns whose names columns show, as far as any item has one. */
export function columnNouns(columns: readonly Column[], items: readonly Item[]): NounName[] {
  const isFilled = (column: Column): boolean =>
    items.some((item) => {
      const value = valueOf(column, item);
      return Array.isArray(value) ? value.length > 0 : value !== null && value !== undefined;
    });
  return columns.flatMap((column) => (column.noun !== undefined && isFilled(column) ? [column.noun] : []));
}

/** The nouns of which objects inside an item have an id, such as the speakers of its sessions. */
export function innerNouns(item: Item): NounName[] {
  const inner = Object.values(item).flatMap((value) =>
    Array.isArray(value) ? value.filter((one): one is Item => typeof one === 'object' && one !== null) : [],
  );
  const members = new Set(inner.flatMap((one) => Object.keys(one)));
  return Object.values(NOUNS).flatMap(({ name }) => (members.has(`${name}_id`) ? [name] : []));
}

/** What people call members: as the options that set them. */
export function labelsOf({ fields, labels = {} }: Noun): ReadonlyMap<string, string> {
  const options = Object.entries(fields)
    .filter(([, { inner }]) => inner === undefined)
    .map(
      ([option, { member, kind }]) => [member, kind === 'references' ? nameOfNames(member) : option] as const,
    );
  return new Map([...options, ...Object.entries(labels)]);
}
