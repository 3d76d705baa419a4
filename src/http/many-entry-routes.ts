/** The two routes that change or delete many entries of a kind at once. */
import { Type, type Static, type TObject } from 'typebox';
import { namedEntries } from '../api/activity/audit-entries.ts';
import { DeletedEntries, type EntriesChange, type EntryChoice } from '../api/entries/many-entries.ts';
import { Strict } from '../api/shapes/page.ts';
import { changeEntries, deleteEntries, type EntriesOfKind } from '../control/entries/many-entries.ts';
import { signRemovals } from '../store/database/actor.ts';
import type { EntryKind } from './entry-kind.ts';
import { tenantRoute, type TenantRoute } from './route.ts';
import { typed } from './typed.ts';

const CHOICE =
  'Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. ' +
  'A list has no ETag, so `If-Match` is refused.';

const MANY = {
  none: 'Its record says which were meant, how many they were, and what the first ones are called.',
} as const;

/** @param bodyLimit bytes */
export function manyEntryRoutes<
  Entry extends TObject,
  Create extends TObject,
  Patch extends TObject,
  Query extends TObject,
>(kind: EntryKind<Entry, Create, Patch, Query>, audited: string, bodyLimit: number): TenantRoute[] {
  const { tag, noun, operation, schemas } = kind;
  const path = `/v1/modules/{module_id}/${kind.path}` as const;
  const params = { module_id: 'module' } as const;
  // The store sets columns of any kind; the schema of this kind has said which.
  const entries = kind.many as EntriesOfKind<Static<Entry>>;
  return [
    tenantRoute({
      method: 'PATCH',
      path,
      operation: `change${operation.many}`,
      permission: 'bgp:lists:write',
      audit: `${audited}.change`,
      read: MANY,
      tag,
      summary: `Change many of the ${kind.plural} of a module at once`,
      description: CHOICE,
      status: 200,
      isOfList: true,
      params,
      body: typed<EntriesChange>(schemas.change),
      bodyLimit,
      example: { filter: { q: 'old' }, patch: { enabled: false } },
      response: typed<{ items: Static<Entry>[] }>(Strict({ items: Type.Array(schemas.entry) })),
      handler: async ({ tx, params: { module_id: moduleId }, body }) => ({
        body: { items: await changeEntries(tx, moduleId, body, noun, entries) },
      }),
    }),
    tenantRoute({
      method: 'DELETE',
      path,
      operation: `delete${operation.many}`,
      permission: 'bgp:lists:write',
      audit: `${audited}.delete`,
      read: MANY,
      tag,
      summary: `Delete many of the ${kind.plural} of a module at once`,
      description: `${CHOICE} \`POST /v1/modules/{module_id}/entries/restore\` takes it back.`,
      status: 200,
      isOfList: true,
      params,
      body: typed<EntryChoice>(schemas.choice),
      bodyLimit,
      example: { filter: { enabled: false } },
      response: DeletedEntries,
      handler: async ({ tx, context, params: { module_id: moduleId }, body }) => {
        await signRemovals(tx, context.actor);
        const { answer, names } = await deleteEntries(tx, moduleId, body, noun, entries);
        return { body: answer, recorded: namedEntries({ deleted: names }, answer) };
      },
    }),
  ];
}
