/** docs/reference/api.md: every operation and every shape, out of the description that the service itself gives. */
import type { ProblemCode } from '../../src/api/problems/problem.ts';
import { ROLES, roleHas, type Permission } from '../../src/api/access/permissions.ts';
import { describeApi } from '../../src/http/description/openapi.ts';
import { EXPORTED_SCHEMAS } from '../../src/http/description/schema-files.ts';
import { ROUTES } from '../../src/http/server/route-table.ts';
import { headingAnchor } from './heading-anchors.ts';
import { cell, meaning, memberTable, nameOf, table, typeText, type Schema } from './schema-text.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

interface Media {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, unknown>>;
}

interface Answer {
  readonly $ref?: string;
  readonly description: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Readonly<Record<string, Media>>;
}

interface Operation {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly 'x-permission'?: Permission;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<Record<string, Answer>>;
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags: readonly { readonly name: string }[];
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema & { readonly examples?: readonly unknown[] }>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

const EXPORTED = new Set(EXPORTED_SCHEMAS.values());

/** What every operation may answer, and every one that needs a key: said once. */
const COMMON: readonly ProblemCode[] = ['internal_error', 'shutting_down'];
const COMMON_WITH_KEY: readonly ProblemCode[] = [
  'unauthenticated',
  'forbidden',
  'tenant_suspended',
  'validation_failed',
  'rate_limited',
  'database_unavailable',
];

const INTRODUCTION = `# API reference

Made by \`npm run docs\` from the table of routes; do not edit. The service describes itself, as OpenAPI 3.1, at
\`/v1/openapi.json\`.

- \`Authorization: Bearer <API key>\` is part of every request except those that need no key. The key determines the tenant.
- Lists answer \`items\`, \`next_cursor\` and \`has_more\`; send \`next_cursor\` as \`cursor\` for the next page.
- The name of a revision is its id, its number, \`latest\` (the newest ready one) or \`applied\` (what enabled speakers run; where
  they differ, the one that was applied last).
- A creation answers 201 with \`Location\`, work answers 202 with its job, a deletion 204.
- With \`Prefer: wait=30\` (RFC 7240) the answer to work comes when its job has ended: 200 with the job, failed or not, and \`Preference-Applied\`; or 202
  with the job's current state after this many seconds, 60 at most. \`GET /v1/jobs/{job_id}?wait=30\` waits in the same way. 64 requests of a tenant may wait
  at a process; one more is answered at once.
- \`X-Request-Id\` names a request in logs and errors; the service generates one if it is missing.
- \`Idempotency-Key\` on POST, PATCH and DELETE makes a repetition harmless for 24 hours; \`If-Match\` with the \`ETag\` that was
  read prevents lost updates.
- Errors are \`application/problem+json\` (RFC 9457) with a \`code\`: see [errors](errors.md). Every operation may also answer
  ${codes(COMMON)}, and with a key ${codes(COMMON_WITH_KEY)}.
- Answers to a key carry \`RateLimit\` and \`RateLimit-Policy\`.`;

export function apiDocs(): string {
  // As clients see it: through JSON.
  const named = JSON.parse(
    JSON.stringify(
      describeApi(
        ROUTES,
        { name: 'prefixcast', version: '', commit: null, built_at: null, node: '', api: 'v1' },
        null,
      ),
    ),
  ) as Description;
  const description = inPlace(named, named.components.schemas) as Description;
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      title: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const tags = description.tags.map(({ name }) => ({
    name,
    operations: operations.filter(({ operation }) => operation.tags[0] === name),
  }));
  const contents = tags.map(({ name, operations: some }) =>
    table(
      [name, ''],
      some.map(({ title, operation }) => [`[\`${title}\`](#${headingAnchor(title)})`, operation.summary]),
    ),
  );
  const sections = tags.map(({ name, operations: some }) =>
    [`## ${name}`, ...some.map(({ title, operation }) => operationText(title, operation, description))].join(
      '\n\n',
    ),
  );
  return [INTRODUCTION, '## Operations', ...contents, ...sections, shapes(description)].join('\n\n');
}

/** Pages, lists and dry runs have names for programs; people read in place what these are made of. */
function inPlace(value: unknown, schemas: Description['components']['schemas']): unknown {
  if (Array.isArray(value)) return value.map((one) => inPlace(one, schemas));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: unknown };
  const name = typeof $ref === 'string' && $ref.includes('/schemas/') ? nameOf($ref) : undefined;
  if (name !== undefined && !EXPORTED.has(name)) return inPlace(schemas[name], schemas);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, inPlace(member, schemas)]));
}

function codes(list: readonly string[]): string {
  return list.map((code) => `[\`${code}\`](errors.md#${code})`).join(', ');
}

function operationText(title: string, operation: Operation, { components }: Description): string {
  const { summary, description, requestBody, responses } = operation;
  const permission = operation['x-permission'];
  const about = description
    .split('\n\n')
    .filter((part) => !part.startsWith('Needs '))
    .join('\n\n');
  const parts = [`### \`${title}\``, `${summary}. ${about}`.trim(), permissionText(permission)];
  const parameters = operation.parameters.map(({ $ref, ...own }) =>
    $ref === undefined ? (own as Parameter) : components.parameters[nameOf($ref)]!,
  );
  const rows = parameters
    .filter((one) => one.in !== 'header')
    .map((one) => [
      `\`${one.name}\``,
      `${one.in}${one.required === true ? ', required' : ''}`,
      typeText(one.schema),
      meaning({ ...one.schema, ...(one.description === undefined ? {} : { description: one.description }) }),
    ]);
  if (rows.length > 0) parts.push(table(['parameter', 'in', 'type', 'meaning'], rows));
  for (const [mediaType, media] of Object.entries(requestBody?.content ?? {}))
    parts.push(bodyText(mediaType, media, requestBody!.required));
  const headers = parameters.filter((one) => one.in === 'header' && one.name !== 'X-Request-Id');
  if (headers.length > 0) parts.push(`Headers: ${headers.map(({ name }) => `\`${name}\``).join(', ')}.`);
  parts.push(answersText(responses));
  return parts.join('\n\n');
}

function permissionText(permission: Permission | undefined): string {
  if (permission === undefined) return 'Needs no key.';
  const roles = ROLES.filter((role) => roleHas(role, permission));
  return `Permission \`${permission}\`: ${roles.join(', ')}.`;
}

function bodyText(mediaType: string, { schema, example }: Media, isRequired: boolean): string {
  const kind = mediaType === 'application/json' ? '' : ` (\`${mediaType}\`)`;
  const head = `Body${kind}${isRequired ? '' : ', optional'}: ${typeText(schema)}`;
  if (example === undefined) return head;
  const text =
    typeof example === 'string'
      ? example.replaceAll('\r\n', '\n').trimEnd()
      : JSON.stringify(example, null, 2);
  return `${head}\n\n\`\`\`${typeof example === 'string' ? '' : 'json'}\n${text}\n\`\`\``;
}

function answersText(responses: Operation['responses']): string {
  const lines: string[] = [];
  const problems: ProblemCode[] = [];
  for (const [status, { $ref, headers = {}, content = {} }] of Object.entries(responses)) {
    if ($ref !== undefined) continue; // of every request
    const problem = content['application/problem+json'];
    if (problem !== undefined) {
      problems.push(...(Object.keys(problem.examples ?? {}) as ProblemCode[]));
      continue;
    }
    const kinds = Object.entries(content).map(([mediaType, { schema }]) =>
      mediaType === 'application/json' ? answerText(schema) : `\`${mediaType}\``,
    );
    const named = ['Location', 'ETag'].filter((name) => name in headers).map((name) => `\`${name}\``);
    const extra = named.length > 0 ? `, with ${named.join(' and ')}` : '';
    lines.push(`\`${status}\` ${kinds.length > 0 ? kinds.join(' or ') : 'without a body'}${extra}`);
  }
  const own = problems.filter((code) => !COMMON.includes(code) && !COMMON_WITH_KEY.includes(code));
  if (own.length > 0) lines.push(codes(own));
  return `Answers: ${lines.join('; ')}.`;
}

/** A page of a list is described by what it lists. */
function answerText(schema: Schema): string {
  const { properties } = schema;
  const isPage = properties?.next_cursor !== undefined && Object.keys(properties).length === 3;
  return isPage ? `a page of ${typeText(properties.items!.items!)}` : typeText(schema);
}

function shapes({ components }: Description): string {
  const shown = Object.entries(components.schemas).filter(([name]) => EXPORTED.has(name));
  const sections = shown.map(([name, { examples, ...schema }]) => {
    const parts = [`### ${name}`];
    if (schema.description !== undefined) parts.push(`${schema.description}.`);
    parts.push(schema.properties === undefined ? cell(typeText(schema)) : memberTable(schema));
    if (examples !== undefined) parts.push(`\`\`\`json\n${JSON.stringify(examples[0], null, 2)}\n\`\`\``);
    return parts.join('\n\n');
  });
  return ['## Shapes', ...sections].join('\n\n');
}
