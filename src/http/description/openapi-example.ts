/** Makes an example out of a schema, for the API description. */
import type { TSchema } from 'typebox';

interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly examples?: readonly unknown[];
}

export const EXAMPLE_ID = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77';

const BY_FORMAT: Readonly<Record<string, string>> = {
  uuid: EXAMPLE_ID,
  'date-time': '2026-01-31T12:00:00.000Z',
  ipv4: '192.0.2.1',
  ipv6: '2001:db8::1',
};

/** Fields that mean more than their schema says. */
const BY_NAME: Readonly<Record<string, unknown>> = {
  address: '192.0.2.2',
  asn: 64500,
  cidr: '198.51.100.0/24',
  code: 'not_found',
  color: '#3366cc',
  community: '65000:100',
  content_hash: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60',
  has_more: false,
  hold_time: 90,
  json_path: '$.prefixes[*].ip_prefix',
  local_asn: 64512,
  next_cursor: null,
  port: 179,
  prefix: '198.51.100.0/24',
  remote_asn: 64500,
  requested_by: 'key:looking glass',
  url: 'https://example.net/list.json',
};

/** A value that the schema takes. */
export function exampleOf(schema: TSchema, name = ''): unknown {
  return make(schema, name);
}

function make(schema: Schema, name: string): unknown {
  if (schema.examples !== undefined) return schema.examples[0];
  const isObject = (schema.anyOf?.[0] ?? schema).properties !== undefined;
  if (Object.hasOwn(BY_NAME, name) && !isObject) return BY_NAME[name];
  if ('const' in schema) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.anyOf !== undefined) return make(schema.anyOf[0]!, name);
  switch (schema.type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, member]) => [key, make(member, key)]),
      );
    case 'array':
      return [make(schema.items ?? {}, '')];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    case 'string':
      return BY_FORMAT[schema.format ?? ''] ?? 'text';
    default:
      return null;
  }
}
