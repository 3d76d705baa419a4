/** The five routes that every kind of entry has: list, create one or many, read, change, delete. */
import { type Static, type TObject, type TSchema, type TUnsafe, Type } from 'typebox';
import { BulkOf, PageOf, Strict, type Page } from '../api/page.ts';
import type { ProblemCode } from '../api/problem.ts';
import type { ControlContext } from '../control/context.ts';
import { uncountEntry } from '../control/entries/uncount-entry.ts';
import type { TenantTx, Versioned } from '../store/database/database.ts';
import { created, readResource } from './answer.ts';
import { tenantRoute, type TenantRoute } from './route.ts';

/** Bytes: ten thousand entries with long notes. */
const BULK_BODY_LIMIT = 16 * 1024 * 1024;

export interface EntryKind<
  Entry extends TObject,
  Create extends TObject,
  Patch extends TObject,
  Query extends TObject,
> {
  /** The last segment of the list's path. */
  readonly path: string;
  readonly tag: string;
  /** As a 404 and summaries call one, `AS entry`; the audit log has it as `as_entry`. */
  readonly noun: string;
  /** As operations call one and many: `AsEntry`, `AsEntries`. */
  readonly operation: { readonly one: string; readonly many: string };
  readonly summaries: {
    readonly list: string;
    readonly create: string;
    readonly read: string;
    readonly change: string;
    readonly remove: string;
  };
  /** What writing one may be refused with, beyond what every kind of entry is. */
  readonly problems?: readonly ProblemCode[];
  /** What a caller should know beyond that many are created together. */
  readonly createDescription?: string;
  readonly schemas: {
    readonly entry: Entry;
    readonly create: Create;
    readonly patch: Patch;
    readonly query: Query;
  };
  readonly examples: { readonly create: Static<Create>; readonly patch: Static<Patch> };
  list(tx: TenantTx, moduleId: string, query: Static<Query>): Promise<Page<Static<Entry>>>;
  get(tx: TenantTx, moduleId: string, id: string): Promise<Versioned<Static<Entry>>>;
  create(
    tx: TenantTx,
    context: ControlContext,
    moduleId: string,
    bodies: readonly Static<Create>[],
    pointerOf: (index: number) => string,
  ): Promise<Versioned<Static<Entry> & { readonly id: string }>[]>;
  change(
    tx: TenantTx,
    context: ControlContext,
    moduleId: string,
    id: string,
    patch: Static<Patch>,
    version: number | null,
  ): Promise<Versioned<Static<Entry>>>;
  remove(tx: TenantTx, moduleId: string, id: string, version: number | null): Promise<void>;
}

interface Bulk<T> {
  readonly items: readonly T[];
}

/** The same schema: what it describes is beyond the compiler while the schemas of the entry are parameters. */
function typed<T>(schema: TSchema): TUnsafe<T> {
  return schema as TUnsafe<T>;
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
        body: await kind.list(tx, moduleId, query),
      }),
    }),
    tenantRoute({
      method: 'POST',
      path,
      operation: `create${operation.many}`,
      permission: 'bgp:lists:write',
      audit: `${audited}.create`,
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
      handler: async ({ tx, params: { module_id: moduleId, id } }) =>
        readResource(await kind.get(tx, moduleId, id)),
    }),
    tenantRoute({
      method: 'PATCH',
      path: item,
      operation: `change${operation.one}`,
      permission: 'bgp:lists:write',
      audit: `${audited}.change`,
      tag,
      summary: summaries.change,
      status: 200,
      problems: ['conflict', ...(kind.problems ?? [])],
      params,
      body: typed<Static<Patch>>(schemas.patch),
      example: examples.patch,
      response: typed<Static<Entry>>(schemas.entry),
      handler: async ({ tx, context, params: { module_id: moduleId, id }, body, ifMatch }) =>
        readResource(await kind.change(tx, context, moduleId, id, body, ifMatch)),
    }),
    tenantRoute({
      method: 'DELETE',
      path: item,
      operation: `delete${operation.one}`,
      permission: 'bgp:lists:write',
      audit: `${audited}.delete`,
      tag,
      summary: summaries.remove,
      status: 204,
      params,
      handler: async ({ tx, params: { module_id: moduleId, id }, ifMatch }) => {
        await kind.remove(tx, moduleId, id, ifMatch);
        await uncountEntry(tx, moduleId, id);
        return {};
      },
    }),
  ];
}
