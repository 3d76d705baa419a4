/** Makes the body of a request out of options. */
import type { Field, Noun } from '../nouns/noun.ts';
import { UsageError } from '../process/command-error.ts';
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
    body[field.member] = await valueOf(option, field, given, names);
  }
  return body;
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
  kind: 'text' | 'number' | 'reference' | 'json',
  given: string,
  noun: Field['noun'],
  names: Names,
): unknown {
  if (kind === 'reference') return names.idOf(noun!, given);
  if (kind === 'text') return given;
  if (kind === 'number') {
    if (!/^\d{1,15}$/.test(given))
      throw new UsageError(`--${option} ${given} cannot be read: write a whole number`);
    return Number(given);
  }
  try {
    return JSON.parse(given) as unknown;
  } catch (error) {
    throw new UsageError(`--${option} is not JSON: ${(error as Error).message}`);
  }
}
