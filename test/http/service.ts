/**
 * A whole API for a test file: the real server on a free port of loopback over a database of its own, two tenants, and a
 * key of every role. Every answer is held against the table of routes: its status, its schema, its problem codes.
 */
import type { FastifyInstance } from 'fastify';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PgBoss } from 'pg-boss';
import pino from 'pino';
import { Registry } from 'prom-client';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { expect } from 'vitest';
import { ROLES, type Role } from '../../src/api/access/permissions.ts';
import { ProblemDocument } from '../../src/api/problems/problem-document.ts';
import { Effect } from '../../src/api/revisions/plan.ts';
import { PROBLEMS } from '../../src/api/problems/problem.ts';
import { problemsOf } from '../../src/http/description/openapi-problems.ts';
import { ROUTES } from '../../src/http/server/route-table.ts';
import type { Route } from '../../src/http/route.ts';
import { DRY_RUN_MEDIA_TYPE } from '../../src/http/route-rules.ts';
import { LogDirectory } from '../../src/logs/log-directory.ts';
import { createServer, type ServerDependencies } from '../../src/http/server/server.ts';
import { createJobQueue, startBoss } from '../../src/jobs/queue.ts';
import { mintApiKey } from '../../src/store/keys/api-key-secret.ts';
import { insertApiKey } from '../../src/store/keys/api-keys.ts';
import { openDatabase } from '../../src/store/database/database.ts';
import { SecretBox } from '../../src/store/secrets.ts';
import { TableSource } from '../../src/sources/asn/table.ts';
import { PEER_REACH } from '../peer-allow.ts';
import { createTestDatabase, type TestDatabase } from '../database.ts';

export type Body = Record<string, unknown>;

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON body; an empty object where there is none. */
  readonly body: Body;
}

/** An id that nobody has. */
export const NOBODY = '0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77';

/** What was refused, and what of it: the pointers of its errors. */
export function refused({ status, body }: Answered): { status: number; code: unknown; at: string[] } {
  const errors = (body.errors ?? []) as { pointer: string }[];
  return { status, code: body.code, at: errors.map(({ pointer }) => pointer) };
}

export interface Call {
  /** `null`: no Authorization. Default: the operator of the first tenant. */
  readonly key?: string | null;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestTenant {
  readonly id: string;
  readonly keys: Readonly<Record<Role, string>>;
}

export interface TestService {
  readonly url: string;
  /** The directory whose log files are served. */
  readonly logs: string;
  readonly server: FastifyInstance;
  readonly database: TestDatabase;
  readonly tenant: TestTenant;
  readonly other: TestTenant;
  readonly dependencies: ServerDependencies;
  /** Lines of the log so far. */
  readonly log: readonly string[];
  call(method: string, path: string, call?: Call): Promise<Answered>;
  /** POST that must create; answers the resource. */
  make(path: string, body: unknown, key?: string): Promise<Body & { id: string }>;
  close(): Promise<void>;
}

/** The metrics of a process that does not serve them elsewhere. */
export function newMetrics(): ServerDependencies['metrics'] {
  return { sums: new Registry(), named: new Registry(), isServedApart: false };
}

/** Who has addresses, in a file of the operator's beside the logs: the directory goes with the service. */
function asnTable(directory: string): string {
  const file = join(directory, 'asn-table.tsv');
  writeFileSync(
    file,
    '8.8.8.0\t8.8.8.255\t15169\tUS\tGOOGLE\n198.51.100.0\t198.51.101.255\t64500\tZZ\tEXAMPLE\n',
  );
  return pathToFileURL(file).href;
}

export async function startService(
  http: Partial<ServerDependencies['http']> = {},
  more: Partial<Pick<ServerDependencies, 'fetch' | 'logs' | 'metrics'>> = {},
): Promise<TestService> {
  const database = await createTestDatabase();
  const boss: PgBoss = await startBoss(database.address, () => undefined);
  const log: string[] = [];
  const logs = mkdtempSync(join(tmpdir(), 'prefixcast-logs-'));
  const dependencies: ServerDependencies = {
    db: openDatabase(database.address, { forRequests: true }),
    queue: createJobQueue(boss),
    secrets: new SecretBox(Buffer.alloc(32, 7)),
    // Lists are served on this machine.
    fetch: { reach: { allow: [{ family: 'ipv4', words: [0x7f000001], length: 32 }], own: [] } },
    asnSource: new TableSource({ url: asnTable(logs), fetch: { reach: { allow: [], own: [] } } }),
    peerReach: PEER_REACH,
    drivenDaemons: ['builtin'],
    logs: new LogDirectory(logs),
    http: {
      host: '127.0.0.1',
      port: 0,
      publicUrl: null,
      corsOrigins: [],
      rateLimits: { reads: 0, writes: 0, nodes: 0, failures: 0 },
      ...http,
    },
    logger: pino({ level: 'info' }, { write: (line: string) => log.push(line) }),
    metrics: newMetrics(),
    version: {
      name: 'prefixcast',
      version: '0.0.0',
      commit: null,
      built_at: null,
      node: process.version,
      api: 'v1',
    },
    ...more,
  };
  const server = await createServer(dependencies);
  await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}`;
  const tenant = await makeTenant(database);
  const other = await makeTenant(database);
  const service: TestService = {
    url,
    logs,
    server,
    database,
    tenant,
    other,
    dependencies,
    log,
    call: (method, path, call = {}) => callApi(url, method, path, { key: tenant.keys.operator, ...call }),
    async make(path, body, key = tenant.keys.operator) {
      const answer = await callApi(url, 'POST', path, { key, body });
      expect(answer.status, answer.text).toBe(201);
      return answer.body as Body & { id: string };
    },
    async close() {
      await server.close();
      await boss.stop({ graceful: false });
      await dependencies.db.close();
      await database.close();
      rmSync(logs, { recursive: true, force: true });
    },
  };
  return service;
}

export async function makeTenant(database: TestDatabase): Promise<TestTenant> {
  const id = await database.createTenant();
  const keys: Partial<Record<Role, string>> = {};
  for (const role of ROLES) keys[role] = (await plantKey(database, id, role, `the ${role}`)).secret;
  return { id, keys: keys as Record<Role, string> };
}

/** Makes a key past the API. */
export async function plantKey(
  database: TestDatabase,
  tenantId: string,
  role: Role,
  name = `planted ${randomUUID()}`,
): Promise<{ readonly id: string; readonly secret: string }> {
  const { secret, ...minted } = mintApiKey(role);
  const { resource } = await database.db.inTenant(tenantId, (tx) =>
    insertApiKey(tx, { name, role, ...minted, created_by: null }),
  );
  return { id: resource.id, secret };
}

/** One request over the wire, whose answer must be one that the table of routes describes. */
export async function callApi(url: string, method: string, path: string, call: Call): Promise<Answered> {
  const { key, body, headers = {} } = call;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(key === null || key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? (body as string) : JSON.stringify(body) }),
  });
  // Answers that have no end are looked at by those who follow them.
  const isEndless = response.headers.get('content-type') === 'text/event-stream';
  const text = isEndless ? ((await response.body?.cancel().then(() => '')) ?? '') : await response.text();
  const isJson = (response.headers.get('content-type') ?? '').includes('json') && text !== '';
  const answer = {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? (JSON.parse(text) as Body) : {},
  };
  checkAnswer(answer, method, path.split('?', 1)[0]!);
  return answer;
}

const checks = new Map<TSchema, ReturnType<typeof Compile>>();

function expectShape(schema: TSchema, value: unknown): void {
  const check = checks.get(schema) ?? Compile(schema);
  checks.set(schema, check);
  if (!check.Check(value)) expect(check.Errors(value), JSON.stringify(value)).toEqual([]);
}

const PATTERNS = ROUTES.map((route) => ({
  route,
  pattern: new RegExp(`^${route.path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

function routeOf(method: string, path: string): Route | undefined {
  return PATTERNS.find(({ route, pattern }) => route.method === method && pattern.test(path))?.route;
}

function checkAnswer({ status, headers, text, body }: Answered, method: string, path: string): void {
  const route = routeOf(method, path);
  expect(headers.get('x-request-id')).toBeTruthy();
  if (status >= 400 && method !== 'HEAD') {
    expect(headers.get('content-type')).toBe('application/problem+json');
    expectShape(ProblemDocument, body);
    const code = body.code as keyof typeof PROBLEMS;
    expect(body).toMatchObject({
      status: PROBLEMS[code].status,
      title: PROBLEMS[code].title,
      instance: path,
    });
    expect(status).toBe(PROBLEMS[code].status);
    expect(body.request_id).toBe(headers.get('x-request-id'));
    if (route !== undefined) expect(problemsOf(route), `${method} ${path}`).toContain(code);
  } else if (route !== undefined && headers.get('content-type') === DRY_RUN_MEDIA_TYPE) {
    expect({ status, dry_run: body.dry_run, reported: body.status }).toEqual({
      ...{ status: 200, dry_run: true },
      reported: route.status,
    });
    expectShape(Effect, body.effect);
    if (route.response === undefined) expect(body.body).toBeNull();
    else expectShape(route.response, body.body);
  } else if (route !== undefined && status !== 304) {
    // Work that was waited for has ended.
    const isEnded = route.status === 202 && headers.has('preference-applied');
    expect(status, text).toBe(isEnded ? 200 : route.status);
    if (status === 204) expect(text).toBe('');
    else if (Object.keys(body).length > 0 && route.response !== undefined) expectShape(route.response, body);
    // A rollback makes a revision: what it makes stands where the others do, not below the operation.
    const collection = path.replace(/\/[^/]+\/rollback$/, '');
    if (status === 201 && 'id' in body)
      expect(headers.get('location')).toBe(`${collection}/${String(body.id)}`);
    if (status === 202) expect(headers.get('location')).toBe(`/v1/jobs/${String(body.id)}`);
  }
}
