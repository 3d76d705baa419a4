/** Schemas of the API description: which have a name, and references to them in place of all others. */
import { type TSchema, Type } from 'typebox';
import { exampleOf } from './openapi-example.ts';
import { EXPORTED_SCHEMAS } from './schema-files.ts';

interface ObjectSchema {
  readonly const?: unknown;
  readonly type?: string;
  readonly anyOf?: readonly object[];
  readonly items?: object;
  readonly minItems?: number;
  readonly properties?: Readonly<Record<string, ObjectSchema>>;
}

const EXPORTED_NAMES = new Set(EXPORTED_SCHEMAS.values());

/** How TypeBox writes a record whose names are any text. */
const ANY_NAME = '^.*$';
const PAGE = ['has_more', 'items', 'next_cursor'];

/** A member that may be left out holds a copy of its schema: of objects, the text says which it is. */
const nameByText = new Map(
  Array.from(EXPORTED_SCHEMAS)
    .filter(([schema]) => (schema as ObjectSchema).properties !== undefined)
    .map(([schema, name]) => [JSON.stringify(schema), name]),
);

/** The name of a schema of its own, or of one that follows from it: a page, a list, a body for many, one of several. */
function nameOf(schema: object): string | undefined {
  const exported = EXPORTED_SCHEMAS.get(schema);
  if (exported !== undefined) return exported;
  const { properties, anyOf } = schema as ObjectSchema;
  if (properties !== undefined) return nameByText.get(JSON.stringify(schema)) ?? listName(properties);
  const names = (anyOf ?? []).map(nameOf);
  return names.length > 1 && !names.includes(undefined) ? names.join('Or') : undefined;
}

function listName(properties: NonNullable<ObjectSchema['properties']>): string | undefined {
  const { items: list } = properties;
  const item = list?.items === undefined ? undefined : nameOf(list.items);
  if (item === undefined) return undefined;
  const members = Object.keys(properties).sort().join();
  if (members === PAGE.join()) return `${item}Page`;
  if (members === 'items') return list?.minItems === undefined ? `${item}List` : `${item}Bulk`;
  return undefined;
}

/** The schemas that a description refers to, which come to stand in its `components.schemas`. */
export class NamedSchemas {
  readonly #schemas = new Map<string, TSchema>();
  readonly #dryRuns = new Map<string, Set<number>>();
  readonly #examples = new Map<object, unknown>();

  /** The body of an operation, with one that was written for it. */
  referBody(schema: TSchema, example: unknown): unknown {
    if (example !== undefined) this.#examples.set(schema, example);
    return this.refer(schema);
  }

  /** A schema as plain JSON, with references in place of the named schemas inside it. */
  refer(schema: unknown): unknown {
    const name = typeof schema === 'object' && schema !== null ? nameOf(schema) : undefined;
    return name === undefined ? this.#unfolded(schema) : this.#named(name, schema as TSchema);
  }

  /**
   * What `dry_run=true` is answered where the write itself would be answered with this.
   * @param body undefined: with nothing
   */
  referDryRun(status: number, body: TSchema | undefined, effect: TSchema): unknown {
    const name = `${body === undefined ? 'Nothing' : (nameOf(body) ?? 'Any')}DryRun`;
    const statuses = (this.#dryRuns.get(name) ?? new Set()).add(status);
    this.#dryRuns.set(name, statuses);
    const members = {
      dry_run: Type.Literal(true),
      status: Type.Integer({
        minimum: Math.min(...statuses),
        maximum: Math.max(...statuses),
        description: 'Of the answer to the write itself',
      }),
      body: body ?? Type.Null(),
      effect,
    };
    return this.#named(name, Type.Object(members, { additionalProperties: false }));
  }

  /** All of them by name: what was referred to so far, and what these refer to. */
  components(): Record<string, unknown> {
    const written = new Map<string, unknown>();
    // Writing one may name others, which a map iterates too.
    for (const [name, schema] of this.#schemas) written.set(name, this.#described(name, schema));
    return Object.fromEntries([...written].sort(([a], [b]) => a.localeCompare(b, 'en')));
  }

  #named(name: string, schema: TSchema): { readonly $ref: string } {
    this.#schemas.set(name, schema);
    return { $ref: `#/components/schemas/${name}` };
  }

  #unfolded(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.refer(one));
    if (typeof schema !== 'object' || schema === null) return schema;
    const plain = Object.entries(schema).map(([key, value]) => [key, this.refer(value)] as const);
    return { ...forGenerators(Object.fromEntries(plain)), ...discriminatorOf(schema) };
  }

  /** An object comes with an example; what is made of named ones has theirs, and a value by itself says enough. */
  #described(name: string, schema: TSchema): unknown {
    const plain = this.#unfolded(schema) as { type?: string };
    if (plain.type !== 'object' || !EXPORTED_NAMES.has(name)) return plain;
    return { ...plain, examples: [this.#examples.get(schema) ?? exampleOf(schema)] };
  }
}

/** The member that distinguishes the named branches of a union, if there is one (OpenAPI 3.1, 4.8.25). */
function discriminatorOf({ anyOf = [] }: ObjectSchema): { readonly discriminator?: unknown } {
  const branches = anyOf.map(
    (schema) => [nameOf(schema), (schema as ObjectSchema).properties ?? {}] as const,
  );
  const [first] = branches;
  const member = Object.keys(first?.[1] ?? {}).find((name) =>
    branches.every(([branch, members]) => branch !== undefined && members[name]?.const !== undefined),
  );
  if (member === undefined) return {};
  const mapping = branches.map(([name, members]) => [members[member]!.const, `#/components/schemas/${name}`]);
  return { discriminator: { propertyName: member, mapping: Object.fromEntries(mapping) as unknown } };
}

/** The same said so that client generators understand it: most know neither an enum without its type nor members by pattern. */
function forGenerators({ patternProperties, ...schema }: Record<string, unknown>): Record<string, unknown> {
  const said = 'enum' in schema && !('type' in schema) ? { type: 'string', ...schema } : schema;
  if (patternProperties === undefined) return said;
  const [[pattern, value]] = Object.entries(patternProperties as object) as [[string, unknown]];
  return {
    ...said,
    ...(pattern === ANY_NAME ? {} : { propertyNames: { pattern } }),
    additionalProperties: value,
  };
}
