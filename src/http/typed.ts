import type { TSchema, TUnsafe } from 'typebox';

/** The same schema: what it describes is beyond the compiler while the schemas of the entry are parameters. */
export function typed<T>(schema: TSchema): TUnsafe<T> {
  return schema as TUnsafe<T>;
}
