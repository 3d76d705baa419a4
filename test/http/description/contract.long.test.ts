/**
 * The contract of the API, as its document has it: every operation with the key of every role and with none. Who may is what the document
 * says, each answer is one that it describes and has the shape that it gives, and what it says of reads can happen.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROLES, type Role } from '../../../src/api/access/permissions.ts';
import { notify } from '../../../src/store/database/database.ts';
import { SPEAKERS_CHANNEL } from '../../../src/store/speakers/speakers.ts';
import { serves, startListServer, type ListServer } from '../../sources/lists/list-server.ts';
import { keyFor, makeFixtures, makeRevision, pathWith, type Fixtures } from '../fixtures.ts';
import { settingOf, type Setting } from '../route-settings.ts';
import { type Answered, NOBODY, startService, type TestService } from '../service.ts';
import { answerCheck } from './answers.ts';
import { operationsOf, type Operation } from './requests.ts';
import type { Json } from './values.ts';

const BEARERS: readonly (Role | null)[] = [null, ...ROLES];
/** What allowed roles are answered where a key alone does not do, by operation, or by operation and role. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  // A key has no session to end.
  endSession: '409 conflict',
  // The plan shown is one of writes, and is tried as the key may.
  'planRevision viewer': '422 validation_failed',
  'planRevision super_viewer': '422 validation_failed',
};
/** Reads whose 409 takes a state of its own, which the tests of these operations make. */
const CONFLICTS_ELSEWHERE = ['diffHeldModule', 'getLatestBundle', 'getFirewallRuleset'];
const DRY_RUN = 'application/vnd.prefixcast.dry-run+json';

let service: TestService;
let lists: ListServer;
let document: Json;
let operations: readonly Operation[];
let check: ReturnType<typeof answerCheck>;
let ids: Fixtures;

beforeAll(async () => {
  service = await startService();
  lists = await startListServer();
  lists.answer = serves('8.8.8.0/24,DE\n');
  document = (await service.call('GET', '/v1/openapi.json', { key: null })).body;
  operations = operationsOf(document);
  check = answerCheck(document);
  const { database, tenant } = service;
  // As the tenant that runs the installation: to others, operations of the machine are closed.
  await database.admin("UPDATE tenant SET slug = 'default' WHERE id = $1", [tenant.id]);
  ids = await makeFixtures(service, tenant);
  await database.admin(
    `INSERT INTO speaker_apply (tenant_id, id, speaker_id, revision_id, sequence)
     VALUES ($1, gen_random_uuid(), $2, $3, 1)`,
    [tenant.id, ids['speaker of a node'], ids.revision],
  );
  await database.db.inTenant(tenant.id, (tx) => notify(tx, SPEAKERS_CHANNEL, tenant.id));
});
afterAll(async () => {
  await lists.close();
  await service.close();
});

/** What the document says of an operation beyond its requests and answers. */
interface Described {
  readonly operationId: string;
  readonly description?: string;
  readonly security?: readonly unknown[];
}

function describedOf({ path, method }: Operation): Described {
  const paths = document.paths as Record<string, Record<string, Described>>;
  return paths[path]![method.toLowerCase()]!;
}

/** Who may, by what the document says: roles, everybody, or whoever has an enrollment token or a key in the body. */
function mayUse(operation: Operation): readonly (Role | null)[] | 'token' | 'body' {
  const { description = '', security } = describedOf(operation);
  if (description.includes('Needs no key.')) return BEARERS;
  if (description.includes('Needs an enrollment token')) return 'token';
  if (security?.length === 0) return 'body';
  const [, roles] = /Needs the permission `[\w:]+`: ([\w, ]+)\.$/.exec(description)!;
  return roles!.split(', ') as Role[];
}

const takesDryRun = ({ parameters, method }: Operation): boolean =>
  method !== 'GET' && parameters.some(({ name }) => name === 'dry_run');

/** The nouns of path parameters, as the document names them. */
function nounsOf({ parameters }: Operation): Record<string, string> {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const nounOf = (description: string): string =>
    /^(?:Id of the |Name of the )(.*)$/.exec(description)?.[1] ?? 'revision';
  return Object.fromEntries(inPath.map(({ name, description = '' }) => [name, nounOf(description)]));
}

function pathOf(operation: Operation, of: Fixtures, query = ''): string {
  const given = new URLSearchParams(query);
  for (const { in: place, name, required, schema } of operation.parameters)
    if (place === 'query' && required === true && !given.has(name))
      given.set(name, (schema.examples as readonly string[] | undefined)?.[0] ?? 'x');
  const text = given.toString();
  return pathWith(operation.path, nounsOf(operation), of) + (text === '' ? '' : `?${text}`);
}

interface Attempt {
  readonly key: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
  readonly of?: Fixtures;
  readonly isDry?: boolean;
  readonly setting?: Setting;
}

/** A request as the document shows it. The answer is one that it describes. */
async function attempt(
  operation: Operation,
  { isDry = false, of = ids, ...sent }: Attempt,
): Promise<Answered> {
  const { method } = operation;
  const { setting = {} } = sent;
  const [[mediaType, { example }] = ['', { example: undefined }]] = operation.body;
  const { body = example, query = '', ids: more } = setting;
  // A proxy has no members to copy.
  const path = pathOf(operation, more === undefined ? of : { ...of, ...more }, sent.query ?? query);
  const dry = isDry ? `${path.includes('?') ? '&' : '?'}dry_run=true` : '';
  const answer = await service.call(method, path + dry, {
    key: sent.key,
    ...(operation.body.length === 0 ? {} : { body }),
    headers: {
      ...(mediaType === '' ? {} : { 'content-type': mediaType }),
      ...setting.headers,
      ...sent.headers,
    },
  });
  const { status, text, headers } = answer;
  const answered = (headers.get('content-type') ?? '').split(';')[0]!;
  expect(check(operation, { status, text, mediaType: answered }), `${method} ${path}\n${text}`).toBeNull();
  return answer;
}

const keyOf = (role: Role | null): string | null => (role === null ? null : service.tenant.keys[role]);
const isGood = (operation: Operation, { status }: Answered): boolean =>
  status < 300 && operation.responses[String(status)] !== undefined;

/** Every route that the server has, with its parameters as `{}`, from the tree in which it prints them. */
function servedRoutes(): string[] {
  const parents: string[] = [];
  return service.server
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent, part, methods] = /^((?:│| )*)(?:├|└)── (\S*)(?: \(([A-Z, ]+)\))?$/u.exec(line) ?? [];
      if (indent === undefined) return [];
      const depth = indent.length / 4;
      const path = (parents[depth - 1] ?? '') + part!;
      parents[depth] = path;
      const bare = path.replace(/:[\w|:]+/g, '{}');
      return (methods ?? '').split(', ').map((method) => `${method} ${bare}`);
    });
}

test('no route is undocumented', () => {
  const inVersion = (routes: readonly string[]): string[] =>
    [...new Set(routes)].filter((route) => /^(?!HEAD|OPTIONS)\w+ \/v1\//.test(route)).sort();
  const described = operations.map(({ method, path }) => `${method} ${path.replace(/\{\w+\}/g, '{}')}`);
  expect(described.length).toBeGreaterThan(100);
  expect(inVersion(servedRoutes())).toEqual(inVersion(described));
});

test('each status that a read is described with can happen', async () => {
  const building = await makeRevision(service, service.tenant, ids.community!, ['8.8.8.0/24']);
  await service.database.admin("UPDATE revision SET state = 'building', content_hash = NULL WHERE id = $1", [
    building,
  ]);
  const unknown = new Proxy({}, { get: (_, noun) => (noun === 'runtime log file' ? 'none.log' : NOBODY) });
  const seen: Record<string, number> = {};
  const expected: Record<string, number> = {};
  for (const operation of operations.filter(({ method }) => method === 'GET')) {
    const may = mayUse(operation);
    if (may === BEARERS || !Array.isArray(may)) continue;
    const key = keyOf((['operator', 'node', 'super_admin'] as const).find((role) => may.includes(role))!);
    const { operationId } = describedOf(operation);
    const takes = (parameter: string): boolean => operation.parameters.some(({ name }) => name === parameter);
    const asks: Record<string, () => Promise<Answered>> = {
      400: () =>
        takes('cursor')
          ? attempt(operation, { key, query: 'cursor=x' })
          : attempt(operation, { key, of: new Proxy({}, { get: () => '%zz' }) }),
      404: () => attempt(operation, { key, of: unknown }),
      406: () => attempt(operation, { key, headers: { accept: 'image/png' } }),
      422: () => attempt(operation, { key, query: 'no_such=1' }),
      async 304() {
        const { headers } = await attempt(operation, { key });
        return attempt(operation, { key, headers: { 'if-none-match': headers.get('etag')! } });
      },
    };
    if (!CONFLICTS_ELSEWHERE.includes(operationId))
      asks[409] = () =>
        attempt(operation, {
          ...{ key, of: { ...ids, revision: building } },
          ...(takes('at') ? { query: `at=${building}` } : {}),
        });
    for (const [status, ask] of Object.entries(asks)) {
      if (operation.responses[status] === undefined) continue;
      expected[`${status} of ${operation.path}`] = Number(status);
      seen[`${status} of ${operation.path}`] = (await ask()).status;
    }
  }
  expect(Object.keys(expected).length).toBeGreaterThan(150);
  expect(seen).toEqual(expected);
});

test('every operation answers the key of every role, and none, as the document says', async () => {
  const place = { service, lists, tenant: service.tenant };
  const seen: Record<string, string> = {};
  const expected: Record<string, string> = {};
  for (const operation of operations) {
    const may = mayUse(operation);
    const isDry = takesDryRun(operation);
    const { operationId } = describedOf(operation);
    const { headers: _, ...setting } = await settingOf({ operation: operationId }, place, ids);
    const allowed = (role: Role | null): boolean =>
      Array.isArray(may) ? may.includes(role) : may === 'body';
    const ask = async (role: Role | null): Promise<void> => {
      const answer = await attempt(operation, { key: keyOf(role), isDry, setting });
      const { status, body, headers } = answer;
      const isAsAsked = !isDry || headers.get('content-type') === DRY_RUN || body.dry_run === true;
      const name = `${operation.method} ${operation.path} as ${String(role)}`;
      seen[name] = isGood(operation, answer) && isAsAsked ? 'good' : `${status} ${body.code as string}`;
      expected[name] = allowed(role)
        ? (EXCEPTIONS[operationId] ?? EXCEPTIONS[`${operationId} ${role}`] ?? 'good')
        : role === null
          ? '401 unauthenticated'
          : '403 forbidden';
    };
    await Promise.all(BEARERS.filter((role) => !allowed(role)).map(ask));
    // Writes would wait for each other.
    if (operation.method === 'GET') await Promise.all(BEARERS.filter(allowed).map(ask));
    else for (const role of BEARERS.filter(allowed)) await ask(role);
  }
  expect(seen).toEqual(expected);
  for (const [path, permission] of [
    ['/v1/nodes/enroll', 'bgp:node:enroll'],
    ['/v1/firewall/clients/enroll', 'bgp:firewall:enroll'],
  ] as const) {
    const operation = operations.find((one) => one.path === path)!;
    expect(mayUse(operation)).toBe('token');
    const key = keyFor({ operation: '', permission }, service.tenant);
    expect(isGood(operation, await attempt(operation, { key }))).toBe(true);
  }
});
