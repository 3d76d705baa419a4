/** Values that a JSON Schema takes, and values that it should not, from a seeded source of chance. */
export type Json = Record<string, unknown>;

/** A number from 0 to 1, 1 not included. */
export type Chance = () => number;

/** A document with `#/…` references inside. */
export interface Described {
  readonly document: Json;
  readonly chance: Chance;
  /** Ids that answers have named so far. */
  readonly ids: KnownIds;
}

const TEXTS = ['a', 'Cloud providers', 'ä😀', 'x'.repeat(300), "'; --", '%00', '<b>', ' ', '=1+1', '\u200b'];
const WRONG = [
  null,
  true,
  -1,
  1.5,
  1e300,
  '',
  'x',
  [],
  {},
  [null],
  { a: { b: [] } },
  '\u0000',
  '2026-02-30',
  '\ud800',
];
/** Places that no source may reach, so that nothing leaves the machine. */
const URLS = [
  'https://127.0.0.1:9/list',
  'http://[::1]/x',
  'https://169.254.169.254/latest',
  'http://10.0.0.1/',
];
const BY_FORMAT: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2031-01-31T12:00:00.000Z', '2020-02-29T00:00:00Z'],
  ipv4: ['192.0.2.1', '8.8.8.8'],
  ipv6: ['2001:db8::1', '::1'],
  uri: URLS,
};

/** Ids by what they identify, in the words of the description. */
export class KnownIds {
  readonly #byNoun = new Map<string, string[]>();
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  add(chance: Chance, noun: string, id: string): void {
    const known = this.#byNoun.get(noun) ?? [];
    this.#byNoun.set(noun, known);
    known[known.length < this.#limit ? known.length : Math.floor(chance() * this.#limit)] = id;
  }

  /** Mostly one of that noun; where none is known, any. */
  pick(chance: Chance, noun: string): string {
    const known = this.#byNoun.get(noun);
    return pick(chance, known !== undefined && chance() < 0.9 ? known : [...this.#byNoun.values()].flat());
  }
}

export function pick<T>(chance: Chance, from: readonly T[]): T {
  return from[Math.floor(chance() * from.length)]!;
}

export function resolveSchema(document: Json, schema: Json): Json {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const found = $ref
    .slice(2)
    .split('/')
    .reduce<unknown>((value, name) => (value as Json)[name.replaceAll('~1', '/')], document);
  return resolveSchema(document, found as Json);
}

/** A value that the schema takes, as far as it says; what it leaves open is drawn from what people send. */
export function rightValue(from: Described, given: Json, name = '', example?: unknown): unknown {
  const { chance } = from;
  const schema = resolveSchema(from.document, given);
  if (example !== undefined && chance() < 0.5) return example;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return pick(chance, schema.enum);
  const branches = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (branches !== undefined) return rightValue(from, pick(chance, branches), name);
  if (schema.type === 'object') return rightObject(from, schema, example as Json | undefined);
  if (schema.type === 'array') {
    const size = Math.max(Number(schema.minItems ?? 0), Math.floor(chance() * 4));
    return Array.from({ length: size }, () => rightValue(from, (schema.items ?? {}) as Json, name));
  }
  if (schema.type === 'integer' || schema.type === 'number') return rightNumber(chance, schema);
  if (schema.type === 'boolean') return chance() < 0.5;
  if (schema.type === 'null') return null;
  if (schema.type === 'string') return rightText(from, schema, name);
  return pick(chance, [...WRONG.slice(0, -1), 'any']);
}

function rightObject(from: Described, schema: Json, example: Json | undefined): Json {
  const properties = (schema.properties ?? {}) as Record<string, Json>;
  const required = (schema.required ?? []) as readonly string[];
  const members = Object.entries(properties).filter(
    ([name]) => required.includes(name) || from.chance() < 0.4 || example?.[name] !== undefined,
  );
  return Object.fromEntries(
    members.map(([name, member]) => [name, rightValue(from, member, name, example?.[name])]),
  );
}

function rightNumber(chance: Chance, schema: Json): number {
  const minimum = Number(schema.minimum ?? 0);
  const maximum = Number(schema.maximum ?? minimum + 100);
  return pick(chance, [minimum, maximum, minimum + Math.floor(chance() * (maximum - minimum + 1))]);
}

function rightText(from: Described, schema: Json, name: string): string {
  const { chance, ids } = from;
  if (schema.format === 'uuid') return ids.pick(chance, name.replace(/_ids?$/, ''));
  const examples = schema.examples as readonly string[] | undefined;
  if (name.endsWith('url')) return pick(chance, URLS);
  if (examples !== undefined && chance() < 0.7) return pick(chance, examples);
  const formatted = BY_FORMAT[String(schema.format)];
  if (formatted !== undefined) return pick(chance, formatted);
  if (/cidr|prefix/.test(name)) return `${Math.floor(chance() * 223)}.${Math.floor(chance() * 256)}.0.0/16`;
  if (name === 'community') return `65000:${Math.floor(chance() * 65_536)}`;
  if (name === 'address' || name === 'q') return `203.0.113.${Math.floor(chance() * 256)}`;
  if (name === 'domain') return `host-${Math.floor(chance() * 1e6)}.example.net`;
  if (name === 'name' || name === 'slug') return `n-${Math.floor(chance() * 1e9).toString(36)}`;
  return pick(chance, TEXTS).slice(0, Number(schema.maxLength ?? 200));
}

/** A right value with one thing made wrong somewhere in it: a value, a name, a size, a depth. */
export function wrongValue(from: Described, schema: Json, example?: unknown): unknown {
  const value = rightValue(from, schema, '', example);
  const { chance } = from;
  if (typeof value !== 'object' || value === null || chance() < 0.1) return pick(chance, WRONG);
  const copy = structuredClone(value) as Json;
  const names = Object.keys(copy);
  const kind = chance();
  if (names.length === 0 || kind < 0.15) copy[pick(chance, ['no_such_field', '__proto__', 'id', ''])] = 1;
  else if (kind < 0.3) delete copy[pick(chance, names)];
  else {
    const name = pick(chance, names);
    const nested = copy[name];
    const isDeep = typeof nested === 'object' && nested !== null && Object.keys(nested).length > 0;
    if (isDeep && kind < 0.6) (nested as Json)[pick(chance, Object.keys(nested))] = pick(chance, WRONG);
    else copy[name] = name.endsWith('url') ? pick(chance, URLS) : pick(chance, WRONG);
  }
  return copy;
}

/** The text of a parameter in a query or a path; `name` of a path's is what it identifies. */
export function parameterText(from: Described, schema: Json, name: string, isRight: boolean): string {
  const value = isRight
    ? rightValue(from, schema, name)
    : pick(from.chance, [...WRONG, '..', '%', '💥', '9'.repeat(400)]);
  return typeof value === 'string' ? value : JSON.stringify(value);
}
