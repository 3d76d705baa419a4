import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Compile } from 'typebox/compile';
import { describe, expect, test } from 'vitest';
import { PROBLEMS } from '../../../src/api/problems/problem.ts';
import { describeApi } from '../../../src/http/description/openapi.ts';
import { problemsOf } from '../../../src/http/description/openapi-problems.ts';
import { EVENT_KINDS } from '../../../src/api/activity/events.ts';
import { JOB_TYPES } from '../../../src/api/activity/jobs.ts';
import { EXPORTED_SCHEMAS, isSchema } from '../../../src/http/description/schema-files.ts';
import { exampleOf, UNKNOWN_TEXT } from '../../../src/http/description/openapi-example.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';

type Json = Record<string, unknown>;
interface Operation {
  readonly operationId: string;
  readonly security?: readonly unknown[];
  readonly parameters: readonly { name: string; in: string; required?: boolean; $ref?: string }[];
  readonly requestBody?: { content: Record<string, { schema: Json; example: unknown }> };
  readonly responses: Record<string, { $ref?: string; description: string; content?: Record<string, Json> }>;
}

const version = {
  name: 'prefixcast',
  version: '1.2.3',
  commit: null,
  built_at: null,
  node: process.version,
  api: 'v1',
} as const;
// As clients see it: through JSON.
const description = JSON.parse(JSON.stringify(describeApi(ROUTES, version, null))) as Json & {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, Json>>;
};
const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Every object inside `value`, itself included. */
function* objectsIn(value: unknown): Generator<Json> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield value as Json;
  for (const member of Object.values(value)) yield* objectsIn(member);
}

function resolve(reference: string): unknown {
  return reference
    .slice(2)
    .split('/')
    .reduce<unknown>((value, name) => (value as Json | undefined)?.[name], description);
}

test('every route is described once, and nothing else is', () => {
  const described = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort();
  expect(described).toEqual(ROUTES.map(({ path, method }) => `${method} ${path}`).sort());
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

describe('the document is OpenAPI 3.1', () => {
  test('has the members that must be there', () => {
    expect(description).toMatchObject({ openapi: '3.1.0', info: { title: 'Prefixcast', version: '1.2.3' } });
    for (const { operation } of operations) {
      expect(Object.keys(operation.responses).length).toBeGreaterThan(0);
      for (const { $ref, description: text } of Object.values(operation.responses))
        expect($ref ?? text).toBeTruthy();
    }
  });

  test('has no reference that leads nowhere', () => {
    const references = [...objectsIn(description)].flatMap(({ $ref }) =>
      typeof $ref === 'string' ? [$ref] : [],
    );
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter((reference) => resolve(reference) === undefined)).toEqual([]);
  });

  test.each(operations)('$method $path declares each parameter of its path once', ({ path, operation }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(declared.map(({ name }) => name).sort()).toEqual(named.sort());
    expect(declared.every(({ required }) => required === true)).toBe(true);
    const all = operation.parameters.map(
      (parameter) => parameter.$ref ?? `${parameter.in} ${parameter.name}`,
    );
    expect(new Set(all).size).toBe(all.length);
  });
});

test('client generators find the type of every enum and of every map', () => {
  const objects = [...objectsIn(description)];
  const enums = objects.filter((one) => Array.isArray(one.enum));
  expect(enums.length).toBeGreaterThan(20);
  expect(enums.filter(({ type }) => type !== 'string')).toEqual([]);
  expect(objects.filter((one) => 'patternProperties' in one)).toEqual([]);
});

test('members and parameters are in snake_case, previews as well', () => {
  const seen = new Set<string>();
  const strange = new Set<string>();
  const walk = (value: unknown, isProperties: boolean): void => {
    if (value === null || typeof value !== 'object') return;
    for (const [name, inner] of Object.entries(value)) {
      if (isProperties) seen.add(name);
      if (isProperties && !/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(name)) strange.add(name);
      // An example may have anything that is written by somebody.
      if (!['example', 'examples', 'default'].includes(name) || isProperties)
        walk(inner, name === 'properties' && !isProperties);
    }
  };
  walk(description, false);
  for (const { operation } of operations)
    for (const { name, in: place } of (operation.parameters ?? []) as { name: string; in: string }[])
      if (place !== 'header' && !/^[a-z][a-z0-9_]*$/.test(name)) strange.add(`${place} ${name}`);
  expect([...strange].sort()).toEqual([]);
  for (const name of ['prefix_count', 'json_path', 'http_status']) expect([...seen]).toContain(name);
});

test('every resource says what its members mean, where the name alone does not', () => {
  const { Module, CdnSource, Peer, Speaker, Community } = description.components.schemas!;
  const plain = new Set(['id', 'created_at', 'updated_at', 'module_id', 'applied_at', 'since']);
  for (const schema of [Module, CdnSource, Peer, Speaker, Community]) {
    for (const [name, member] of Object.entries(schema!.properties as Record<string, Json>)) {
      const isDescribed =
        'description' in member || '$ref' in member || member.type === 'array' || plain.has(name);
      if (!isDescribed && !/_(label|on_speakers)$/.test(name))
        expect(member, name).toHaveProperty('description');
    }
  }
});

test('public operations need no key, all others do', () => {
  for (const route of ROUTES) {
    const operation = description.paths[route.path]![route.method.toLowerCase()]!;
    const needsNone = route.permission === 'public' || route.keyInBody === true;
    const takesOne = route.permission === 'public' && route.takesKey === true;
    expect(operation.security).toEqual(takesOne ? [{}, { apiKey: [] }] : needsNone ? [] : undefined);
  }
  expect(description.security).toEqual([{ apiKey: [] }, { browserSession: [] }]);
  expect(description.components.securitySchemes).toMatchObject({
    apiKey: { type: 'http', scheme: 'bearer' },
    browserSession: { type: 'apiKey', in: 'cookie' },
  });
});

test('every code that a route names is reported under its status', () => {
  for (const route of ROUTES) {
    const { responses } = description.paths[route.path]![route.method.toLowerCase()]!;
    for (const code of problemsOf(route))
      expect(responses[PROBLEMS[code].status]?.content).toMatchObject({
        'application/problem+json': { examples: { [code]: { $ref: `#/components/examples/${code}` } } },
      });
  }
});

test('every code of the table is in the problem schema', () => {
  const { properties } = description.components.schemas!.ProblemDocument as { properties: Json };
  expect(properties.code).toEqual({ type: 'string', enum: Object.keys(PROBLEMS) });
});

test('every body has an example, and the example is good', () => {
  for (const route of ROUTES) {
    if (route.permission === 'public' || route.body === undefined) continue;
    expect(route.example, route.operation).toBeDefined();
    expect(Compile(route.body).Check(route.example), route.operation).toBe(true);
  }
});

test('every body and answer in JSON has a name, or is one of several that have', () => {
  const media = operations.flatMap(({ operation: { requestBody, responses } }) =>
    [requestBody, ...Object.values(responses)].flatMap((one) => Object.entries(one?.content ?? {})),
  );
  const schemas = media.filter(([type]) => type.endsWith('json')).map(([, { schema }]) => schema as Json);
  expect(schemas.length).toBeGreaterThan(200);
  expect(schemas.filter(({ $ref }) => $ref === undefined)).toEqual([]);
  expect(Object.keys(description.components.schemas!)).toEqual(
    expect.arrayContaining(['DomainEntry', 'DomainEntryPage', 'SettingsAnswer', 'JobEvent', 'StreamEvent']),
  );
});

test('the description knows every file of src/api that has schemas', async () => {
  const root = join(import.meta.dirname, '../../../src/api');
  const inPlace = ['entry-members.ts', 'members.ts'];
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !inPlace.includes(basename(file)),
  );
  const missing: string[] = [];
  for (const file of files)
    for (const [name, value] of Object.entries((await import(join(root, file))) as object))
      if (isSchema(value) && !name.endsWith('Query') && EXPORTED_SCHEMAS.get(value) !== name)
        missing.push(`${file}: ${name}`);
  expect(missing, 'a row is missing in schema-files.ts').toEqual([]);
});

test('a job says by its type what its result holds', () => {
  const { Job } = description.components.schemas!;
  const { mapping } = Job!.discriminator as { mapping: Record<string, string> };
  expect(Object.keys(mapping)).toEqual(JOB_TYPES);
  for (const [type, reference] of Object.entries(mapping))
    expect(resolve(reference)).toMatchObject({ properties: { type: { const: type } } });
});

/** Where a schema says nothing of a value. */
function* unknownIn(schema: unknown, at: string): Generator<string> {
  const known = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'enum', 'const', 'not'];
  const {
    properties = {},
    patternProperties = {},
    items,
    additionalProperties: rest,
    ...other
  } = schema as Json;
  if (!known.some((name) => name in other)) yield at;
  for (const [name, member] of Object.entries(properties as Json)) yield* unknownIn(member, `${at}.${name}`);
  for (const member of Object.values(patternProperties as Json)) yield* unknownIn(member, `${at}.*`);
  if (items !== undefined) yield* unknownIn(items, `${at}[]`);
  if (rest instanceof Object || rest === true) yield* unknownIn(rest === true ? {} : rest, `${at}.*`);
  for (const several of [other.anyOf, other.oneOf, other.allOf])
    for (const one of (several as unknown[] | undefined) ?? []) yield* unknownIn(one, at);
  const says = [properties, patternProperties].some((members) => Object.keys(members as Json).length > 0);
  if (other.type === 'object' && !says && rest === undefined) yield `${at}.*`;
}

test('nothing is unknown where something is known: what may be anything is what operators or other operations say', () => {
  const found = Object.entries(description.components.schemas!).flatMap(([name, schema]) => [
    ...unknownIn(schema, name),
  ]);
  expect([...new Set(found)].sort()).toEqual([
    ...['ApiDescription.components.*', 'ApiDescription.paths.*'], // the language of OpenAPI
    ...['AuditRecord.changes.after.*', 'AuditRecord.changes.before.*'], // members of any resource
    ...['ChangesAnswer.answers[].body.*', 'PlannedAnswer.body.*', 'PlannedChange.body'], // of any operation
    ...['SettingsAnswer.settings.*', 'SettingsPatch.*'], // keys of a tenant's own
  ]);
});

test('events are described: the text is a stream of them', () => {
  const { content } = description.paths['/v1/events']!.get!.responses['200']!;
  expect(content!['text/event-stream']!.schema).toEqual({ $ref: '#/components/schemas/EventStream' });
  const { EventStream, StreamEvent } = description.components.schemas!;
  expect(EventStream).toMatchObject({ contentSchema: { $ref: '#/components/schemas/StreamEvent' } });
  const branches = StreamEvent!.anyOf as { properties: Record<string, Json> }[];
  expect(branches.map(({ properties }) => properties.event!.const)).toEqual([...EVENT_KINDS, 'reset']);
});

test('servers are where others reach the service', () => {
  expect(description.servers).toEqual([{ url: '/' }]);
  expect(describeApi(ROUTES, version, 'https://routes.example.net').servers).toEqual([
    { url: 'https://routes.example.net' },
  ]);
});

test('no example is made up: each text is one that could stand there', () => {
  const unknown = Object.entries(description.components.schemas!).filter(([, { examples }]) =>
    JSON.stringify(examples ?? '').includes(`"${UNKNOWN_TEXT}"`),
  );
  expect(
    unknown.map(([name]) => name),
    'give the member `examples`, or a row in example-values.ts',
  ).toEqual([]);
});

test('every named object has an example, and every answer takes the example made for it', () => {
  const exported = new Set(EXPORTED_SCHEMAS.values());
  for (const [name, schema] of Object.entries(description.components.schemas!))
    if (schema.type === 'object' && exported.has(name))
      expect((schema.examples as unknown[]).length, name).toBe(1);
  for (const { response, operation } of ROUTES) {
    if (response === undefined) continue;
    const check = Compile(response);
    const example = exampleOf(response);
    if (!check.Check(example)) expect(check.Errors(example), operation).toEqual([]);
  }
});
