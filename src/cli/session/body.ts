/** Makes the body of a request out of options. */
import type { Field, Item, Noun } from '../nouns/noun.ts';
import { UsageError } from '../process/command-error.ts';
import { readSecret } from '../process/secret.ts';
import { READERS } from '../table/value-types.ts';
import type { Names } from './names.ts';

/** `none` takes a value away. */
const NONE = 'none';
/** Of a list that means all where it is empty. */
const ALL = 'all';

export async function bodyOf(
  noun: Pick<Noun, 'fields'>,
  options: Readonly<Record<string, unknown>>,
  names: Names,
): Promise<Record<string, unknown>> {
  const body: Record<string, unknown> = {};
  for (const [option, field] of Object.entries(noun.fields)) {
    const given = options[option] as string | readonly string[] | undefined;
    if (given === undefined || (typeof given === 'object' && given.length === 0)) continue;
    const value = await valueOf(option, field, given, names);
    const { member, inner } = field;
    body[member] = inner === undefined ? value : { ...(body[member] as object | undefined), [inner]: value };
  }
  return body;
}

/**
 * The body with all of the objects that options set members of: a write replaces them as a whole.
 * @param item what is written, as it is; nothing of it: it is new
 */
export function withInner(
  { fields }: Pick<Noun, 'fields'>,
  body: Readonly<Record<string, unknown>>,
  item: Item = {},
): Record<string, unknown> {
  const outer = new Set(
    Object.values(fields).flatMap(({ member, inner }) => (inner === undefined ? [] : [member])),
  );
  return Object.fromEntries(
    Object.entries(body).map(([member, value]) => [
      member,
      outer.has(member) ? merged(item[member] as Item | null | undefined, value as Item) : value,
    ]),
  );
}

/** Null: nothing is left in it. */
function merged(before: Item | null | undefined, given: Item): Item | null {
  const members = Object.entries({ ...before, ...given }).filter(([, value]) => value !== null);
  return members.length === 0 ? null : Object.fromEntries(members);
}

async function valueOf(
  option: string,
  { kind, noun, emptyMeansAll }: Field,
  given: string | readonly string[],
  names: Names,
): Promise<unknown> {
  const isNone = [given].flat().join() === NONE;
  switch (kind) {
    case 'references':
      if (emptyMeansAll !== undefined) refuseNone(option, given, emptyMeansAll.insteadOfNone);
      if (isNone || (emptyMeansAll !== undefined && [given].flat().join() === ALL)) return [];
      return Promise.all([given].flat().map((name) => names.idOf(noun!, name)));
    case 'list':
      return isNone ? [] : (given as string).split(',').map((part) => part.trim());
    case 'flag':
      return given === 'yes';
    default:
      return isNone ? null : singleValue(option, kind, given as string, noun, names);
  }
}

function refuseNone(option: string, given: string | readonly string[], instead: string): void {
  if ([given].flat().includes(NONE))
    throw new UsageError(`--${option} ${NONE}: an empty list means all: write all, or ${instead}`);
}

function singleValue(
  option: string,
  kind: Exclude<Field['kind'], 'references' | 'list' | 'flag'>,
  given: string,
  noun: Field['noun'],
  names: Names,
): unknown {
  if (kind === 'reference') return names.idOf(noun!, given);
  if (kind === 'text') return given;
  if (kind === 'secret') return readSecret(option, given);
  if (kind === 'asn') return numberIn(option, given, /^(?:as)?(\d{1,10})$/i, 'an AS number, such as 64496');
  if (kind === 'number') return numberIn(option, given, /^(\d{1,15})$/, 'a whole number');
  if (kind === 'duration') {
    if (given === '0') return 0;
    const read = READERS.duration(given);
    if (!read.ok) throw new UsageError(`--${option} ${given} cannot be read: ${read.reason}`);
    return read.value;
  }
  try {
    return JSON.parse(given) as unknown;
  } catch (error) {
    throw new UsageError(`--${option} is not JSON: ${(error as Error).message}`);
  }
}

function numberIn(option: string, given: string, form: RegExp, what: string): number {
  const digits = form.exec(given)?.[1];
  if (digits === undefined) throw new UsageError(`--${option} ${given} cannot be read: write ${what}`);
  return Number(digits);
}
