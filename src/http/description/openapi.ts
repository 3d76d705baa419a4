/** Makes the OpenAPI 3.1 description of the API from the table of routes, so that the two cannot differ. */
import { STATUS_CODES } from 'node:http';
import type { TSchema } from 'typebox';
import { CSRF_HEADER, SESSION_TENANT_HEADER } from '../../api/access/session-headers.ts';
import { ROLES, roleHas } from '../../api/access/permissions.ts';
import { ProblemDocument } from '../../api/problems/problem-document.ts';
import { Effect } from '../../api/revisions/plan.ts';
import { REVISION_NAME, REVISION_NAME_PATTERN } from '../../api/revisions/revisions.ts';
import { OWN_LOG_NAME } from '../../api/operation/runtime-logs.ts';
import type { Version } from '../../api/operation/version.ts';
import { JSON_MEDIA_TYPE } from '../answer.ts';
import { EXAMPLE_ID } from './openapi-example.ts';
import { problemAnswers, problemExamples, PROBLEM_RESPONSES } from './openapi-problems.ts';
import { NamedSchemas } from './openapi-schemas.ts';
import { TAGS } from './openapi-tags.ts';
import { querySchema } from '../dispatch/request-parts.ts';
import type { Route, TenantRoute } from '../route.ts';
import {
  bodyTypesOf,
  isPaged,
  DRY_RUN_MEDIA_TYPE,
  ENROLLING,
  isNamable,
  keepsAnswers,
  namePatternOf,
  takesDryRun,
} from '../route-rules.ts';

type Json = Record<string, unknown>;

const INTRODUCTION = `Lists of prefixes, collected from anywhere, cast over BGP to routers.

Every route under \`/v1\` but health, readiness, version and this description needs \`Authorization: Bearer <API key>\`; the
tenant is the key's. Lists take \`cursor\` and \`limit\` and answer \`items\`, \`next_cursor\`, \`has_more\`. Errors are problem
documents (RFC 9457) with a \`code\`. \`Idempotency-Key\` makes a change safe to repeat for 24 hours; \`If-Match\` with the ETag
that was read prevents lost updates.`;

const SESSION_TEXT = `The session of a browser, which \`POST /v1/auth/session\` opens; on loopback the name of the cookie has no \`__Host-\`.
Writes with it send \`${CSRF_HEADER}\`. Where a browser has sessions of several tenants, \`${SESSION_TENANT_HEADER}\` names the tenant by its id.
\`Authorization\` wins where both are sent.`;

const PARAMETERS: Record<string, Json> = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description: 'Up to 255 printable characters. The first answer is kept for 24 hours and repeated.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
    example: '0d9f3a6e-create-aws',
  },
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`wait=30` (RFC 7240): answers when the job has ended, or with its current state after this many seconds, 60 at most.',
    schema: { type: 'string' },
    example: 'wait=30',
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The ETag of the resource as you read it; the change is refused if the resource has changed since.',
    schema: { type: 'string' },
    example: '"3-Zm9vYmFyYmF6cXV4"',
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The ETag of the resource as you read it; the answer is 304 if nothing has changed since.',
    schema: { type: 'string' },
    example: '"3-Zm9vYmFyYmF6cXV4"',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description: 'The `id` of the last received event; the stream continues after it.',
    schema: { type: 'string', maxLength: 64 },
    example: '1042',
  },
  RequestId: {
    name: 'X-Request-Id',
    in: 'header',
    description: 'Names the request in logs and problems; the service generates one if it is missing.',
    schema: { type: 'string', maxLength: 128 },
  },
};

const HEADERS: Record<string, Json> = {
  RequestId: { description: 'Names the request in logs and problems', schema: { type: 'string' } },
  ETag: { description: 'Names this state of the resource', schema: { type: 'string' } },
  RateLimit: {
    description: 'Requests that the key has left in this minute (`r`), and seconds to its end (`t`)',
    schema: { type: 'string' },
    example: '"reads";r=5990;t=42',
  },
  RateLimitPolicy: {
    description: 'Requests that the key may send (`q`) in a window of seconds (`w`)',
    schema: { type: 'string' },
    example: '"reads";q=6000;w=60',
  },
  Link: {
    description: 'Other pages of the list: `next`, if there is one, and `first` (RFC 8288)',
    schema: { type: 'string' },
    example: '</v1/modules?cursor=eyJ>; rel="next"',
  },
  Location: { description: 'Path of the new resource or job', schema: { type: 'string' } },
  PreferenceApplied: {
    description: 'Present if the job ended within the time of `Prefer`',
    schema: { type: 'string' },
    example: 'wait=30',
  },
  Replayed: {
    description: 'Present if this is the stored answer to an earlier request with the same Idempotency-Key',
    schema: { type: 'string', const: 'true' },
  },
};

const parameter = (name: string): Json => ({ $ref: `#/components/parameters/${name}` });
const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` });

/** @param publicUrl where others reach the service; null: they know by themselves */
export function describeApi(routes: readonly Route[], version: Version, publicUrl: string | null): Json {
  const schemas = new NamedSchemas();
  const paths: Record<string, Json> = {};
  for (const route of routes)
    (paths[route.path] ??= {})[route.method.toLowerCase()] = describe(route, schemas);
  const tags = [...new Set(routes.map(({ tag }) => tag))];
  schemas.refer(ProblemDocument);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Prefixcast',
      version: version.version,
      summary: 'Git for route lists',
      description: INTRODUCTION,
      license: { name: 'Apache 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: publicUrl ?? '/' }],
    tags: tags.map((name) => ({ name, description: TAGS[name] })),
    security: [{ apiKey: [] }, { browserSession: [] }],
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key, `pc_<role letter>_…`' },
        browserSession: {
          ...{ type: 'apiKey', in: 'cookie', name: '__Host-prefixcast-<tenant id>' },
          description: SESSION_TEXT,
        },
      },
      schemas: schemas.components(),
      parameters: PARAMETERS,
      headers: HEADERS,
      responses: PROBLEM_RESPONSES,
      examples: problemExamples(routes),
    },
  };
}

function describe(route: Route, schemas: NamedSchemas): Json {
  const guarded = route.permission !== 'public';
  return {
    operationId: route.operation,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, guarded ? permissionText(route.permission) : 'Needs no key.']
      .filter(Boolean)
      .join('\n\n'),
    ...(guarded ? { 'x-permission': route.permission } : {}),
    ...securityOf(route),
    parameters: parametersOf(route, schemas),
    ...bodyOf(route, schemas),
    responses: { ...goodAnswers(route, schemas), ...problemAnswers(route) },
  };
}

/** Of most routes the security of the whole description holds: a key. */
function securityOf(route: Route): Json {
  if (route.permission === 'public') return { security: route.takesKey === true ? [{}, { apiKey: [] }] : [] };
  return route.keyInBody === true ? { security: [] } : {};
}

function bodyOf(route: Route, schemas: NamedSchemas): Json {
  if (route.permission === 'public') return {};
  const { body, consumes, bodyOptional = false, example } = route;
  const schema = consumes === undefined ? body && schemas.referBody(body, example) : { type: 'string' };
  if (schema === undefined) return {};
  const content = Object.fromEntries(bodyTypesOf(route).map((type) => [type, { schema, example }]));
  return { requestBody: { required: !bodyOptional, content } };
}

function permissionText(permission: Exclude<Route['permission'], 'public'>): string {
  if (ENROLLING.includes(permission)) return 'Needs an enrollment token in place of an API key.';
  return `Needs the permission \`${permission}\`: ${ROLES.filter((role) => roleHas(role, permission)).join(', ')}.`;
}

function parametersOf(route: Route, schemas: NamedSchemas): Json[] {
  if (route.permission === 'public')
    return ['RequestId', ...(hasEntityTag(route) ? ['IfNoneMatch'] : [])].map(parameter);
  const named = Object.entries<string>(route.params ?? {}).map(([name, noun]) => ({
    name,
    in: 'path',
    required: true,
    ...namingOf(noun, isNamable(route, noun)),
  }));
  const asked = querySchema(route);
  const query = Object.entries(asked.properties as Record<string, TSchema & Json>).map(([name, schema]) => ({
    name,
    in: 'query',
    ...((asked as unknown as { required?: readonly string[] }).required?.includes(name)
      ? { required: true }
      : {}),
    ...(schema.description === undefined ? {} : { description: schema.description }),
    schema: schemas.refer(schema),
  }));
  const headers = [parameter('RequestId')];
  if (keepsAnswers(route)) headers.push(parameter('IdempotencyKey'));
  if (route.status === 202) headers.push(parameter('Prefer'));
  if (isConditional(route)) headers.push(parameter('IfMatch'));
  if (hasEntityTag(route) && route.method === 'GET') headers.push(parameter('IfNoneMatch'));
  if (route.query?.properties.last_event_id !== undefined) headers.push(parameter('LastEventId'));
  return [...named, ...query, ...headers];
}

/** Whether it changes a single resource, which has an ETag. */
function isConditional(route: Route): boolean {
  if (route.permission === 'public' || route.isOfList === true) return false;
  return route.method === 'PATCH' || route.method === 'DELETE';
}

/** How a path parameter names its noun. */
function namingOf(noun: string, isRevisionName: boolean): Json {
  const pattern = namePatternOf(noun);
  if (pattern !== null)
    return { description: `Name of the ${noun}`, schema: { type: 'string', pattern }, example: OWN_LOG_NAME };
  if (!isRevisionName)
    return {
      description: `Id of the ${noun}`,
      schema: { type: 'string', format: 'uuid' },
      example: EXAMPLE_ID,
    };
  return {
    description: `${REVISION_NAME[0]!.toUpperCase()}${REVISION_NAME.slice(1)}`,
    schema: { type: 'string', pattern: REVISION_NAME_PATTERN },
    example: 'latest',
  };
}

/** Single resources have one, the settings, which have no id, and what is long; lists and streams have none. */
function hasEntityTag(route: Route): boolean {
  if (route.isCompressed === true) return true;
  if (route.permission === 'public' || route.status === 202 || route.status === 204) return false;
  const { anyOf: branches = [route.response] } = (route.response ?? {}) as { anyOf?: unknown[] };
  return branches.every((branch) => {
    const { properties } = (branch ?? {}) as { properties?: Json };
    return properties?.id !== undefined || properties?.settings !== undefined;
  });
}

/** Whether what was made can be asked for by a path of its own. */
function isNamed(route: Route): boolean {
  const { properties } = (route.response ?? {}) as { properties?: Json };
  return route.status === 202 || (route.status === 201 && (properties === undefined || 'id' in properties));
}

function goodAnswers(route: Route, schemas: NamedSchemas): Json {
  const headers: Json = { 'X-Request-Id': header('RequestId') };
  if (hasEntityTag(route)) headers.ETag = header('ETag');
  if (route.permission !== 'public') {
    headers.RateLimit = header('RateLimit');
    headers['RateLimit-Policy'] = header('RateLimitPolicy');
  }
  if (isNamed(route)) headers.Location = header('Location');
  if (keepsAnswers(route)) headers['Idempotency-Replayed'] = header('Replayed');
  if (isPaged(route)) headers.Link = header('Link');
  const answer: Json = { description: STATUS_CODES[route.status]!, headers };
  if (route.response !== undefined) {
    const isText = (route.response as { type?: string }).type === 'string';
    const text = { schema: isText ? schemas.refer(route.response) : { type: 'string' } };
    answer.content = {
      ...(isText ? {} : { [JSON_MEDIA_TYPE]: { schema: schemas.refer(route.response) } }),
      ...Object.fromEntries((route.streams ?? []).map((mediaType) => [mediaType, text])),
    };
  }
  const answers: Json = { [route.status]: answer };
  if (route.status === 202)
    answers['200'] = {
      ...answer,
      description: 'The job, which has ended within the time that `Prefer` gave, however it did',
      headers: { ...headers, 'Preference-Applied': header('PreferenceApplied') },
    };
  if (route.permission !== 'public' && takesDryRun(route)) addDryRun(answers, route, schemas);
  if (hasEntityTag(route) && route.method === 'GET')
    answers['304'] = {
      description: 'Nothing has changed since the ETag was given',
      headers: { ETag: header('ETag') },
    };
  return answers;
}

/** To `dry_run=true` the answer is of a media type of its own, beside that of the write itself. */
function addDryRun(answers: Json, { status, response }: TenantRoute, schemas: NamedSchemas): void {
  const schema = schemas.referDryRun(status, response, Effect);
  const content = { [DRY_RUN_MEDIA_TYPE]: { schema } };
  const own = answers['200'] as Json | undefined;
  answers['200'] =
    own === undefined
      ? {
          description: 'What `dry_run=true` found',
          headers: { 'X-Request-Id': header('RequestId') },
          content,
        }
      : { ...own, content: { ...(own.content as Json), ...content } };
}
