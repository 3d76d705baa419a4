/** Many entries of a module at once: which are meant, and what changes of them. All or nothing. */
import { Type, type Static, type TObject, type TSchema } from 'typebox';
import { grouped } from '../shapes/grouped.ts';
import { Id, MAXIMUM_BULK, Nullable, Strict } from '../shapes/page.ts';

/** A filter of every list of entries. */
export const Contains = Type.String({
  minLength: 2,
  maxLength: 64,
  description:
    'An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it',
  examples: ['8.8.8.8'],
});

/** What entries of every kind have, and many may have alike. */
const SHARED = ['enabled', 'note', 'community_id', 'community_ids', 'expires_at'] as const;

const OF_PAGES: readonly string[] = ['cursor', 'limit', 'sort'];

/** The filters of a list, without its pages. */
function filterOf(query: TObject): TObject {
  const filters = Object.entries(query.properties).filter(([name]) => !OF_PAGES.includes(name));
  return Type.Object(Object.fromEntries<TSchema>(filters), {
    additionalProperties: false,
    minProperties: 1,
    description: `The filters of the list; they must mean no more than ${grouped(MAXIMUM_BULK)} entries`,
  });
}

function chosenBy(query: TObject) {
  return {
    ids: Type.Optional(
      Type.Array(Id, {
        minItems: 1,
        maxItems: MAXIMUM_BULK,
        uniqueItems: true,
        description:
          'The entries that are meant; every one must exist in this module. Give `ids` or `filter`',
      }),
    ),
    filter: Type.Optional(filterOf(query)),
  };
}

/** The body of a DELETE of many. @param query of the list */
export function choiceOf(query: TObject) {
  return Strict(chosenBy(query));
}

/** The body of a PATCH of many. @param patch of one entry */
export function changeOfMany(query: TObject, patch: TObject) {
  const members = SHARED.flatMap((name) => {
    const member = patch.properties[name];
    return member === undefined ? [] : [[name, member] as const];
  });
  const options = {
    additionalProperties: false,
    minProperties: 1,
    description: 'What changes of each of them; what is left out stays',
  };
  return Strict({
    ...chosenBy(query),
    patch: Type.Object(Object.fromEntries<TSchema>(members), options),
  });
}

/** Either of `ids` and `filter`. */
export interface EntryChoice {
  readonly ids?: readonly string[];
  readonly filter?: EntryFilterBody;
}

export interface EntryFilterBody {
  readonly enabled?: boolean;
  readonly status?: string | string[];
  readonly q?: string;
  readonly contains?: string;
}

export interface EntriesChange extends EntryChoice {
  readonly patch: {
    readonly enabled?: boolean;
    readonly note?: string | null;
    readonly community_id?: string | null;
    readonly community_ids?: string[];
    readonly expires_at?: string | null;
  };
}

/** What `POST /v1/modules/{module_id}/entries/restore` takes. */
export const RemovalBatch = Nullable(
  Id,
  'The `batch` that puts the deleted entries back with `POST /v1/modules/{module_id}/entries/restore`; null: nothing was deleted that is kept. ' +
    'Of a dry run or a plan, nothing has it',
);

export const DeletedEntries = Strict({
  deleted: Type.Integer({ minimum: 0, description: 'How many entries are gone' }),
  ids: Type.Array(Id, { description: 'Which, in ascending order' }),
  batch: RemovalBatch,
});
export type DeletedEntries = Static<typeof DeletedEntries>;
