/** What a cover adds to a list that is to have fewer prefixes (core/sets/fit.ts). */
import { Type, type Static } from 'typebox';
import { Nullable, Strict } from '../shapes/page.ts';

export const Fitted = Strict({
  added_addresses: Type.String({ description: 'How many, in decimal: addresses that no list has' }),
  added_percent: Type.Number({ description: 'Of those that lists have' }),
  optimal: Type.Boolean({ description: 'Whether fewer is impossible' }),
});
export type Fitted = Static<typeof Fitted>;

export const FittedByFamily = Strict(
  { ipv4: Nullable(Fitted), ipv6: Nullable(Fitted) },
  { description: 'What fitting adds; null: nothing' },
);
export type FittedByFamily = Static<typeof FittedByFamily>;
