/** Shapes that every resource and every list share. */
import { Type, type Static, type TObject, type TProperties, type TSchema } from 'typebox';

export const Id = Type.String({ format: 'uuid', description: 'UUIDv7' });
export const Timestamp = Type.String({ format: 'date-time', description: 'RFC 3339, UTC' });

export function Nullable<T extends TSchema>(schema: T, description?: string) {
  return Type.Union([schema, Type.Null()], description === undefined ? {} : { description });
}

/** Prefixes by family. */
export const PrefixCount = Type.Object(
  { ipv4: Type.Integer({ minimum: 0 }), ipv6: Type.Integer({ minimum: 0 }) },
  { additionalProperties: false, description: 'Prefixes after aggregation, by family' },
);
export type PrefixCount = Static<typeof PrefixCount>;

export const FamilyName = Type.Enum(['ipv4', 'ipv6']);
export const Families = Type.Array(FamilyName, {
  minItems: 1,
  maxItems: 2,
  uniqueItems: true,
  description: 'Its address families; default: both',
});

/** Members of every resource. */
export const resourceMembers = { id: Id, created_at: Timestamp, updated_at: Timestamp };

/** A body or answer that refuses members it does not know. */
export function Strict<T extends TProperties>(
  properties: T,
  options: { description?: string } = {},
): TObject<T> {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

export const DEFAULT_LIMIT = 50;
export const MAXIMUM_LIMIT = 500;

/** Query of a list: filters named after fields, and the page. */
export function listQuery<T extends TProperties>(
  filters: T,
  { maximum = MAXIMUM_LIMIT, fallback = DEFAULT_LIMIT } = {},
) {
  return Strict({
    ...filters,
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: '`next_cursor` of the previous page; the filters must be the same',
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum,
        default: fallback,
        description: 'Maximum number of items in a page',
      }),
    ),
  });
}

/** Values of one filter in a request. */
const MAXIMUM_VALUES = 16;

/** A filter of one value or of several: `?state=failed&state=cancelled`. */
export function oneOrSeveral<T extends TSchema>(schema: T) {
  return Type.Union([schema, Type.Array(schema, { minItems: 1, maxItems: MAXIMUM_VALUES })], {
    description: 'One or several, each as a parameter of its own',
  });
}

/**
 * The order of a list, as a filter beside its others: by one of some fields, `-` in front for descending.
 * @param newestFirst the order where nothing is said
 */
export function sortBy<const T extends string>(orders: readonly T[], newestFirst: NoInfer<T>) {
  return Type.Optional(
    Type.Enum([...orders], {
      default: newestFirst,
      description: `Order of the list: a field, with \`-\` in front for descending; default: \`${newestFirst}\`, the newest first`,
    }),
  );
}

/** {@link sortBy} of what is listed in the order in which it was made. */
export const ByCreation = Type.Optional(
  Type.Enum(['created_at', '-created_at'], {
    default: 'created_at',
    description: 'Order of the list: `-created_at` has the newest first',
  }),
);

export function PageOf<T extends TSchema>(item: T) {
  return Strict({
    items: Type.Array(item),
    next_cursor: Nullable(Type.String(), '`cursor` of the next page; null on the last'),
    has_more: Type.Boolean(),
  });
}

/** One page of a list: `next_cursor` is null on the last page. */
export interface Page<T> {
  readonly items: T[];
  readonly next_cursor: string | null;
  readonly has_more: boolean;
}

/** Where a page starts and how long it is. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export const MAXIMUM_BULK = 10_000;

/** Many at once, all or nothing. */
export function BulkOf<T extends TSchema>(item: T) {
  return Strict({ items: Type.Array(item, { minItems: 1, maxItems: MAXIMUM_BULK }) });
}
