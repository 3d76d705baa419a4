/**
 * Which objects a set has applied, and as what: own settings of the tenant, `prefixcast.set.<set>.<n>`, each with a share of them.
 * By these nothing is deleted that another set, or a person, has made; and what somebody changed by hand is known.
 */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Members } from './kinds.ts';

/**
 * What is kept of an object under its id: its kind, its name, a digest of what it was then, one of its file of entries, and one of the entries that
 * the module had then; and each of those that end by themselves. An empty digest is not known, and what is missing is not either.
 */
export type OwnRecord = readonly [
  kind: string,
  name: string,
  state: string,
  file?: string,
  entries?: string,
  ending?: string,
];
export type OwnRecords = ReadonlyMap<string, OwnRecord>;

const PREFIX = 'prefixcast.set.';
const FORMER = 'former';
/** Names may be long: a setting has 16 KiB. */
const SHARE_BYTES = 12 * 1024;

/** What every set of the tenant owns, by its name. */
export function readOwnership(settings: Members): Map<string, Map<string, OwnRecord>> {
  const sets = new Map<string, Map<string, OwnRecord>>();
  for (const [key, value] of Object.entries(settings)) {
    if (!isOwnershipKey(key)) continue;
    const name = key.slice(PREFIX.length, key.lastIndexOf('.'));
    const records = sets.get(name) ?? new Map<string, OwnRecord>();
    for (const [id, record] of Object.entries((value ?? {}) as Record<string, OwnRecord>))
      if (Array.isArray(record)) records.set(id, record);
    sets.set(name, records);
  }
  return sets;
}

/** Under what the record of a setting is kept, in place of an id. */
export function settingId(key: string): string {
  return `settings ${key}`;
}

/** Under what it is kept which object the set called so before: a record of the kind `former`, whose name is the id of that object. */
function formerId(kind: string, name: string): string {
  return `${FORMER} ${kind} ${name.toLowerCase()}`;
}

/** @returns the id of the object that the set called so before */
export function formerly(own: OwnRecords, kind: string, name: string): string | null {
  return own.get(formerId(kind, name))?.[1] ?? null;
}

/**
 * The former names of what the set owns from now on: those that it has, and those that it gives up now.
 * @param before what the set owned
 * @param given what the files call each object, by its id
 */
export function formerNames(
  before: OwnRecords,
  records: OwnRecords,
  given: ReadonlyMap<string, { readonly kind: string; readonly name: string; readonly was: string }>,
): OwnRecords {
  const inUse = new Set([...records.values()].map(([kind, name]) => formerId(kind, name)));
  const former = new Map<string, OwnRecord>();
  for (const [key, record] of before)
    if (record[0] === FORMER && records.has(record[1])) former.set(key, record);
  for (const [id, { kind, name, was }] of given)
    if (was.toLowerCase() !== name.toLowerCase()) former.set(formerId(kind, was), [FORMER, id, '']);
  return new Map([...former].filter(([key]) => !inUse.has(key)));
}

export function isOwnershipKey(key: string): boolean {
  return key.startsWith(PREFIX);
}

/** The settings to change so that the set owns exactly these. */
export function ownershipPatch(settings: Members, set: string, records: OwnRecords): Record<string, unknown> {
  const shares: Record<string, OwnRecord>[] = [];
  let room = 0;
  for (const [id, record] of [...records].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const size = Buffer.byteLength(JSON.stringify([id, record]));
    if (size > room) {
      shares.push({});
      room = SHARE_BYTES;
    }
    room -= size;
    shares.at(-1)![id] = record;
  }
  const wanted = new Map(shares.map((share, index) => [`${PREFIX}${set}.${index + 1}`, share]));
  const patch: Record<string, unknown> = {};
  for (const [key, share] of wanted) if (!isDeepStrictEqual(settings[key], share)) patch[key] = share;
  for (const key of Object.keys(settings))
    if (isOwnershipKey(key) && key.slice(PREFIX.length, key.lastIndexOf('.')) === set && !wanted.has(key))
      patch[key] = null;
  return patch;
}

/** Of a value or text, whatever the order of its members. */
export function digestOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(sorted(value));
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, member]) => [name, sorted(member)]));
}
