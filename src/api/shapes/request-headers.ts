/** Headers of requests that the service sends for a tenant: to a CDN source, or to a resolver. */
import { Type } from 'typebox';
import { Nullable } from './page.ts';

const NAME = '^[A-Za-z0-9-]{1,64}$';
const Value = Type.String({ maxLength: 4096, writeOnly: true });

/** After a change as well. */
export const MAXIMUM_HEADERS = 20;

/** Values are write-only: an answer shows each name with `null`. */
export function RequestHeaders(description: string) {
  // A record's pattern alone refuses no other name.
  const options = { maxProperties: MAXIMUM_HEADERS, additionalProperties: false, description };
  return Type.Record(Type.String({ pattern: NAME }), Value, options);
}

/** What a change says of some of them; the others stay. */
export function RequestHeadersPatch(description: string) {
  return Type.Record(Type.String({ pattern: NAME }), Nullable(Value), {
    maxProperties: 2 * MAXIMUM_HEADERS,
    additionalProperties: false,
    description: `${description}. Those not named stay, null removes one`,
  });
}

export type HeadersPatch = Readonly<Record<string, string | null>>;
