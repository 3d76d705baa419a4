/** Makes an example out of a schema, for the API description. */
import type { TSchema } from 'typebox';
import { EXAMPLE_ID, EXAMPLE_VALUES } from './example-values.ts';
import { EXPORTED_SCHEMAS } from './schema-files.ts';

export { EXAMPLE_ID } from './example-values.ts';

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly const?: unknown;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
}

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: EXAMPLE_ID,
  'date-time': '2026-01-31T12:00:00.000Z',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

/** Stands in an example where nothing says what should: a test refuses it. */
export const UNKNOWN_TEXT = '(no example)';

/** A value that the schema takes. */
export function exampleOf(schema: TSchema): unknown {
  return make(schema, '', '');
}

/** @param around the name of the schema or of the member around it */
function make(schema: Schema, name: string, around: string): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  const known = [`${around}.${name}`, name].find((key) => Object.hasOwn(EXAMPLE_VALUES, key));
  if (known !== undefined && takes(schema, EXAMPLE_VALUES[known])) return EXAMPLE_VALUES[known];
  if (schema.default !== undefined) return schema.default;
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return make(schema.anyOf[0]!, name, around);
  switch (schema.type) {
    case 'object': {
      const own = EXPORTED_SCHEMAS.get(schema) ?? (name || around);
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, member]) => [key, make(member, key, own)]),
      );
    }
    case 'array':
      return [make(schema.items ?? {}, '', name)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return BY_FORMAT[schema.format ?? ''] ?? UNKNOWN_TEXT;
    default:
      return null;
  }
}

/** Members of one name may mean different things: a value of another type is not for this one. */
function takes(schema: Schema, value: unknown): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some((one) => takes(one, value));
  if ('const' in schema || schema.enum !== undefined || schema.format === 'uuid')
    return schema.const === value || schema.enum?.includes(value) === true || value === EXAMPLE_ID;
  switch (schema.type) {
    case 'array':
      return Array.isArray(value) && value.every((item) => takes(schema.items ?? {}, item));
    case 'object':
      return (
        typeof value === 'object' &&
        value !== null &&
        Object.keys(schema.properties ?? {}).join() === Object.keys(value).join()
      );
    case 'integer':
    case 'number':
      return typeof value === 'number' && value <= (schema.maximum ?? value);
    case 'null':
      return value === null;
    default:
      return typeof value === schema.type;
  }
}
