/** What a cover adds to a list that is to have fewer prefixes (core/sets/fit.ts). */
import { Type, type Static } from 'typebox';
import { Nullable, Strict } from '../shapes/page.ts';

export const Fitted = Strict({
  added_addresses: Type.String({ description: 'How many, in decimal: addresses that no list has' }),
  added_percent: Type.Number({ description: 'Of those that lists have' }),
  optimal: Type.Boolean({ description: 'Whether fewer is impossible' }),
});
export type Fitted = Static<typeof Fitted>;

const MOST_ADDED_PREFIXES = 10;

/** With what is added, by name. */
export const NamedFitted = Strict({
  ...Fitted.properties,
  added_prefixes: Type.Optional(
    Type.Array(Type.String({ examples: ['198.51.100.128/25'] }), {
      maxItems: MOST_ADDED_PREFIXES,
      description:
        'The largest prefixes of these addresses, largest first; absent where that was not kept. `POST /v1/lookup/holders` says who holds them',
    }),
  ),
});
export type NamedFitted = Static<typeof NamedFitted>;

export const NamedFittedByFamily = Strict(
  { ipv4: Nullable(NamedFitted), ipv6: Nullable(NamedFitted) },
  { description: 'What fitting adds, and where; null: nothing' },
);
export type NamedFittedByFamily = Static<typeof NamedFittedByFamily>;

export const FittedByFamily = Strict(
  { ipv4: Nullable(Fitted), ipv6: Nullable(Fitted) },
  { description: 'What fitting adds; null: nothing' },
);
export type FittedByFamily = Static<typeof FittedByFamily>;
