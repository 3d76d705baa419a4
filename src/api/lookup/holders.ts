/** Who holds addresses on the Internet, as the source of AS numbers says. */
import { Type, type Static } from 'typebox';
import { Nullable, Strict } from '../shapes/page.ts';

/** Of one request: as many as a cover names for both families. */
const MOST_HELD_PREFIXES = 20;

export const HoldersRequest = Strict({
  prefixes: Type.Array(Type.String({ minLength: 1, maxLength: 100, examples: ['198.51.100.0/24'] }), {
    minItems: 1,
    maxItems: MOST_HELD_PREFIXES,
  }),
});
export type HoldersRequest = Static<typeof HoldersRequest>;

export const Holder = Strict({
  asn: Type.Integer({ minimum: 1, maximum: 4_294_967_295 }),
  name: Nullable(Type.String(), 'As the source calls it; null: it does not say'),
  range: Type.String({
    description:
      'Where it is the origin: a prefix around the addresses or inside them, or first and last address',
    examples: ['198.51.100.0/22'],
  }),
});

export const Holders = Strict({
  source: Type.String({
    description: 'What was asked, as `APP_ASN_SOURCE` has it',
    examples: ['ripestat https://stat.ripe.net/data/announced-prefixes/data.json'],
  }),
  items: Type.Array(
    Strict({
      prefix: Type.String({ examples: ['198.51.100.0/24'] }),
      origins: Type.Array(Holder, {
        description: 'ASes that announce these addresses or have registered them; empty: none is known',
      }),
    }),
    { description: 'One for each prefix, in their order' },
  ),
});
export type Holders = Static<typeof Holders>;
