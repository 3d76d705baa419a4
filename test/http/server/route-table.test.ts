import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROLES, roleHas, type Role } from '../../../src/api/access/permissions.ts';
import { RUNTIME_LOG_NOUN } from '../../../src/api/operation/runtime-logs.ts';
import { ROUTES } from '../../../src/http/server/route-table.ts';
import type { TenantRoute } from '../../../src/http/route.ts';
import {
  keyFor,
  OF_HOME_OPERATORS,
  makeFixtures,
  pathWith,
  requiredQuery,
  type Fixtures,
} from '../fixtures.ts';
import { type Answered, NOBODY, startService, type TestService } from '../service.ts';

let service: TestService;
let ours: Fixtures;
let theirs: Fixtures;
const unknown: Fixtures = new Proxy(
  {},
  { get: (_, noun) => (noun === RUNTIME_LOG_NOUN ? 'nobody.log' : NOBODY) },
);

beforeAll(async () => {
  service = await startService();
  ours = await makeFixtures(service, service.tenant);
  theirs = await makeFixtures(service, service.other);
});
afterAll(() => service.close());

const guarded = ROUTES.filter((route): route is TenantRoute => route.permission !== 'public').map(
  (route) => ({
    name: `${route.method} ${route.path}`,
    route,
  }),
);
const withIds = guarded.filter(({ route }) => route.params !== undefined);
const withBodies = guarded.filter(({ route }) => route.body !== undefined);

function ask(
  route: TenantRoute,
  ids: Fixtures,
  key: string | null,
  body: unknown = route.example,
): Promise<Answered> {
  const path = pathWith(route.path, route.params, ids) + requiredQuery(route.query);
  return service.call(route.method, path, {
    key: route.keyInBody === true ? null : key,
    ...(route.body === undefined ? {} : { body: bodyFor(route, key, body) }),
  });
}

/** The body, with a key that works where that is in it. */
function bodyFor({ keyInBody, example }: TenantRoute, key: string | null, body: unknown): unknown {
  if (keyInBody !== true || key === null) return body;
  const sent = body as { readonly api_key?: unknown };
  const { api_key } = example as { readonly api_key: string };
  return sent.api_key === undefined || sent.api_key === api_key ? { ...sent, api_key: key } : sent;
}

describe('without a key every route but the public ones answers 401', () => {
  test.each(guarded)('$name', async ({ route }) => {
    const answer = await ask(route, ours, null);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });
});

describe('public routes answer without a key', () => {
  test.each(ROUTES.filter(({ permission }) => permission === 'public').map(({ path }) => path))(
    '%s',
    async (path) => {
      expect((await service.call('GET', path, { key: null })).status).toBe(200);
    },
  );
});

describe('a role may do what its permissions say and nothing else', () => {
  test.each(guarded.flatMap(({ name, route }) => ROLES.map((role: Role) => ({ name, role, route }))))(
    '$role: $name',
    async ({ role, route }) => {
      // An id that nobody has shows past the permission without changing anything.
      const sent = route.keyInBody === true ? {} : { 'No such field': true };
      const { status, body } = await ask(route, unknown, service.tenant.keys[role], sent);
      const ofHome = role.startsWith('super_') ? undefined : OF_HOME_OPERATORS[route.operation];
      if (!roleHas(role, route.permission))
        expect({ status, code: body.code }).toEqual({ status: 403, code: 'forbidden' });
      // The body is read first.
      else if (route.keyInBody !== true && route.body !== undefined) expect(status).toBe(422);
      else if (ofHome !== undefined)
        expect({ status, code: body.code }).toEqual({ status: 403, code: ofHome });
      else if (route.params !== undefined) expect(status).toBe(404);
      // A key has no session to end.
      else if (route.operation === 'endSession') expect(status).toBe(409);
      else expect(status).toBe(route.status);
    },
  );
});

describe("another tenant's object answers as if it did not exist", () => {
  // A tenant is nobody's object, and neither is a file of the machine.
  const owned = withIds.filter(({ route }) => !/^(tenants|bgp:logs):/.test(route.permission));
  test.each(owned)('$name', async ({ route }) => {
    const key = keyFor(route, service.tenant);
    const nobody = await ask(route, unknown, key);
    const foreign = await ask(route, theirs, key);
    expect(nobody.status).toBe(404);
    expect(foreign.status).toBe(404);
    const bare = (answer: Answered, ids: Fixtures) =>
      Object.values(ids).reduce(
        (text, id) => text.replaceAll(id, 'ID'),
        answer.text.replaceAll(String(answer.body.request_id), '').replaceAll(NOBODY, 'ID'),
      );
    expect(bare(foreign, theirs)).toBe(bare(nobody, theirs));
  });
});

describe('what is not shaped like an id answers 404 as well', () => {
  test.each(withIds)('$name', async ({ route }) => {
    for (const id of ['x', "1' OR '1'='1", '%00', NOBODY.slice(1), '..%2F..']) {
      const path = route.path.replace(/\{\w+\}/g, encodeURIComponent(id));
      const key = keyFor(route, service.tenant);
      const body = route.body === undefined ? {} : { body: route.example };
      expect((await service.call(route.method, path, { key, ...body })).status).toBe(404);
    }
  });
});

describe('a field that nobody knows answers 422 and names it', () => {
  test.each(withBodies)('$name', async ({ route }) => {
    const answer = await ask(route, ours, keyFor(route, service.tenant), {
      ...(route.example as object),
      'No such field': 1,
    });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer: '/No such field' }));
  });
});

describe('a field of the wrong type answers 422 and names it', () => {
  test.each(withBodies)('$name', async ({ route }) => {
    const properties = (route.body as { properties?: object; anyOf?: { properties: object }[] }).properties;
    for (const name of Object.keys(properties ?? {})) {
      const answer = await ask(route, ours, keyFor(route, service.tenant), {
        ...(route.example as object),
        [name]: { wrong: ['type'] },
      });
      expect(answer.status, name).toBe(422);
      const [fault] = answer.body.errors as { pointer: string; detail: string }[];
      expect(fault!.pointer.startsWith(`/${name}`)).toBe(true);
    }
  });
});

describe('a query parameter that nobody knows answers 422 and names it', () => {
  test.each(guarded)('$name', async ({ route }) => {
    const path = `${pathWith(route.path, route.params, ours)}?no_such=1`;
    const key = keyFor(route, service.tenant);
    const body = route.body === undefined ? {} : { body: bodyFor(route, key, route.example) };
    const answer = await service.call(route.method, path, { key, ...body });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toContainEqual(expect.objectContaining({ pointer: '?no_such' }));
  });
});

describe('every list', () => {
  const lists = guarded.filter(({ route }) => route.query?.properties.cursor !== undefined);

  test.each(lists)('$name answers a page, and 400 to a cursor of somebody else', async ({ route }) => {
    const path = pathWith(route.path, route.params, ours) + requiredQuery(route.query);
    const key = keyFor(route, service.tenant);
    const page = await service.call('GET', path, { key });
    expect(page.status).toBe(200);
    expect(page.body.items).toBeInstanceOf(Array);
    for (const cursor of ['x', 'AAAA', Buffer.from('{"id":1}').toString('base64url')]) {
      const { status, body } = await service.call('GET', withParameter(path, `cursor=${cursor}`), { key });
      expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_cursor' });
    }
  });

  test.each(lists)('$name refuses limits out of range', async ({ route }) => {
    const path = pathWith(route.path, route.params, ours) + requiredQuery(route.query);
    const { maximum } = route.query!.properties.limit as { maximum?: number };
    const statusOf = async (limit: string): Promise<number> =>
      (
        await service.call('GET', withParameter(path, `limit=${limit}`), {
          key: keyFor(route, service.tenant),
        })
      ).status;
    for (const limit of ['0', '-1', String(maximum! + 1), 'x', '1.5'])
      expect(await statusOf(limit)).toBe(422);
    expect(await statusOf(String(maximum))).toBe(200);
  });
});

/** The path with another parameter behind those that it has. */
function withParameter(path: string, parameter: string): string {
  return `${path}${path.includes('?') ? '&' : '?'}${parameter}`;
}
