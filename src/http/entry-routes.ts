/** The routes that every kind of entry has: list, create one or many, read, change and delete one; many-entry-routes.ts has two for many. */
import { type Static, type TObject, Type } from 'typebox';
import { BulkOf, PageOf, Strict, type Page } from '../api/shapes/page.ts';
import type { EntryFilterBody } from '../api/entries/many-entries.ts';
import { storedFilter } from '../control/entries/many-entries.ts';
import { recountEntry } from '../control/entries/recount-entry.ts';
import { signRemovals } from '../store/database/actor.ts';
import type { TenantTx, Versioned } from '../store/database/database.ts';
import { created, readResource } from './answer.ts';
import type { EntryKind } from './entry-kind.ts';
import { manyEntryRoutes } from './many-entry-routes.ts';
import { CREATED, tenantRoute, type ReadRequest, type TenantRoute } from './route.ts';
import { typed } from './typed.ts';

/** Bytes: ten thousand entries with long notes. */
const BULK_BODY_LIMIT = 16 * 1024 * 1024;

interface Bulk<T> {
  readonly items: readonly T[];
}

function isBulk<T extends object>(body: T | Bulk<T>): body is Bulk<T> {
  return 'items' in body;
}

export function entryRoutes<
  Entry extends TObject,
  Create extends TObject,
  Patch extends TObject,
  Query extends TObject,
>(kind: EntryKind<Entry, Create, Patch, Query>): TenantRoute[] {
  const { tag, noun, operation, summaries, schemas, examples } = kind;
  const path = `/v1/modules/{module_id}/${kind.path}` as const;
  const item = `${path}/{id}` as const;
  const params = { module_id: 'module', id: noun };
  const read = ({ tx, params: { module_id: moduleId, id } }: ReadRequest<'module_id' | 'id'>) =>
    kind.get(tx, moduleId, id);
  const audited = noun.toLowerCase().replaceAll(' ', '_');
  const bulk = 'Takes one object, or `{"items": […]}`: then all are created or none.';
  return [
    tenantRoute({
      method: 'GET',
      path,
      operation: `list${operation.many}`,
      permission: 'bgp:lists:read',
      tag,
      summary: summaries.list,
      status: 200,
      params: { module_id: 'module' },
      query: schemas.query,
      response: typed<Page<Static<Entry>>>(PageOf(schemas.entry)),
      handler: async ({ tx, params: { module_id: moduleId }, query }) => ({
        body: await kind.list(tx, moduleId, await filterIn(tx, moduleId, query)),
      }),
    }),
    tenantRoute({
      method: 'POST',
      path,
      operation: `create${operation.many}`,
      permission: 'bgp:lists:write',
      audit: `${audited}.create`,
      read: CREATED,
      tag,
      summary: summaries.create,
      description: [bulk, kind.createDescription].filter(Boolean).join(' '),
      status: 201,
      problems: ['conflict', ...(kind.problems ?? [])],
      params: { module_id: 'module' },
      body: typed<Static<Create> | Bulk<Static<Create>>>(
        Type.Union([schemas.create, BulkOf(schemas.create)]),
      ),
      bodyLimit: BULK_BODY_LIMIT,
      example: examples.create,
      response: typed<Static<Entry> | Bulk<Static<Entry>>>(
        Type.Union([schemas.entry, Strict({ items: Type.Array(schemas.entry) })]),
      ),
      handler: async ({ tx, context, params: { module_id: moduleId }, body }) => {
        if (isBulk(body)) {
          const made = await kind.create(tx, context, moduleId, body.items, (index) => `/items/${index}`);
          return { body: { items: made.map(({ resource }) => resource) } };
        }
        const [made] = await kind.create(tx, context, moduleId, [body], () => '');
        return created(path.replace('{module_id}', moduleId), made!);
      },
    }),
    tenantRoute({
      method: 'GET',
      path: item,
      operation: `get${operation.one}`,
      permission: 'bgp:lists:read',
      tag,
      summary: summaries.read,
      status: 200,
      params,
      response: typed<Static<Entry>>(schemas.entry),
      handler: async (request) => readResource(await read(request)),
    }),
    tenantRoute({
      method: 'PATCH',
      path: item,
      operation: `change${operation.one}`,
      permission: 'bgp:lists:write',
      audit: `${audited}.change`,
      read,
      tag,
      summary: summaries.change,
      status: 200,
      problems: ['conflict', ...(kind.problems ?? [])],
      params,
      body: typed<Static<Patch>>(schemas.patch),
      example: examples.patch,
      response: typed<Static<Entry>>(schemas.entry),
      handler: async ({ tx, context, params: { module_id: moduleId, id }, body, ifMatch }) => {
        const change = (): Promise<Versioned<Static<Entry>>> =>
          kind.change(tx, context, moduleId, id, body, ifMatch);
        return readResource(
          await ('enabled' in (body as object) ? recountEntry(tx, moduleId, id, change) : change()),
        );
      },
    }),
    tenantRoute({
      method: 'DELETE',
      path: item,
      operation: `delete${operation.one}`,
      permission: 'bgp:lists:write',
      audit: `${audited}.delete`,
      read,
      tag,
      summary: summaries.remove,
      status: 204,
      params,
      handler: async ({ tx, context, params: { module_id: moduleId, id }, ifMatch }) => {
        await signRemovals(tx, context.actor);
        await recountEntry(tx, moduleId, id, () => kind.remove(tx, moduleId, id, ifMatch));
        return {};
      },
    }),
    ...manyEntryRoutes(kind, audited, BULK_BODY_LIMIT),
  ];
}

/** The query of a list, as the store knows it. */
async function filterIn<Query extends TObject>(
  tx: TenantTx,
  moduleId: string,
  query: Static<Query>,
): Promise<Static<Query>> {
  const filter = await storedFilter(tx, moduleId, query as EntryFilterBody, (name) => `?${name}`);
  return filter as Static<Query>;
}
