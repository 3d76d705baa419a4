/** Which entries a record of the audit log names, where one request touched many. */
import { grouped } from '../shapes/grouped.ts';

/** Entries that a record names of those that met the same fate. */
export const NAMED_ENTRIES = 100;
/** Their length together, in UTF-16 units: names of sources may be long. */
const NAMED_LENGTH = 8_192;

/** What may become of entries, as `changes.after` counts them; beside `created`, `created_entries` names them. */
const ENTRY_FATES = ['created', 'changed', 'updated', 'deleted', 'restored'] as const;
type EntryFate = (typeof ENTRY_FATES)[number];

/** The names of entries by what became of them; at least the first {@link NAMED_ENTRIES} of each. */
export type EntryNames = Readonly<Partial<Record<EntryFate, readonly string[]>>>;

function namesMember<Fate extends EntryFate>(fate: Fate): `${Fate}_entries` {
  return `${fate}_entries`;
}

/**
 * The members that name entries in `changes.after`: `created_entries` and the like, and where some are left out, `more_entries` with
 * their number.
 * @param counts of all, by what became of them
 */
export function namedEntries(
  names: EntryNames,
  counts: Readonly<Partial<Record<EntryFate, number>>>,
): Readonly<Record<string, readonly string[] | number>> {
  const members: Record<string, readonly string[] | number> = {};
  let more = 0;
  for (const fate of ENTRY_FATES) {
    const count = counts[fate] ?? 0;
    if (count === 0) continue;
    const first = firstOf(names[fate] ?? []);
    members[namesMember(fate)] = first;
    more += count - first.length;
  }
  return more > 0 ? { ...members, more_entries: more } : members;
}

function firstOf(names: readonly string[]): string[] {
  const first: string[] = [];
  let length = 0;
  for (const name of names.slice(0, NAMED_ENTRIES)) {
    length += name.length;
    if (length > NAMED_LENGTH) break;
    first.push(name);
  }
  return first;
}

const NAMES = ['name', 'title', 'domain', 'cidr', 'asn', 'number'] as const;

/** What operators call a resource; null: it has no name. Of a community both its value, which routers and colleagues use, and its title. */
export function resourceName(resource: Readonly<Record<string, unknown>>): string | null {
  const { community, title } = resource;
  if (typeof community === 'string' && typeof title === 'string') return `${community} ${title}`;
  const member = NAMES.find((one) => resource[one] !== undefined && resource[one] !== null);
  const name = member === undefined ? undefined : resource[member];
  if (member === 'asn') return `AS${String(name)}`;
  return typeof name === 'string' || typeof name === 'number' ? String(name) : null;
}

/** Entries that a line names of a record. */
const SHOWN_ENTRIES = 3;

interface Recorded {
  readonly resource: { readonly name: string | null };
  readonly changes: { readonly after: Readonly<Record<string, unknown>> | null };
}

/** What a record is about, in a line: the resource, of many entries the first ones and how many more there are; null: it has no name. */
export function subjectText({ resource: { name }, changes: { after } }: Recorded): string | null {
  const named = ENTRY_FATES.flatMap((fate) => (after?.[namesMember(fate)] ?? []) as readonly string[]);
  // One entry is its record's resource.
  if (named.length === 0 || named[0] === name) return name;
  const more = named.length - SHOWN_ENTRIES + Number(after?.more_entries ?? 0);
  const first = named.slice(0, SHOWN_ENTRIES).join(', ');
  const text = more > 0 ? `${first} … and ${grouped(more)} more` : first;
  return name === null ? text : `${name}: ${text}`;
}
