import { Type, type Static } from 'typebox';
import { FamilyName, Strict } from '../shapes/page.ts';

const cells = (what: string) =>
  Type.String({
    contentEncoding: 'base64',
    description:
      `65,536 bytes in base64, one for each part of \`within\` by address: ${what}; 0: nothing of it, 255: all of it, 1 to 254: the share in between. ` +
      'Along a Hilbert curve of order 8 they are a picture of 256 by 256',
    examples: ['AAAA/4CA'],
  });

const frame = {
  family: FamilyName,
  within: Type.String({ description: 'What the map shows', examples: ['8.0.0.0/8'] }),
  cell_length: Type.Integer({
    minimum: 16,
    maximum: 128,
    description: 'The prefix length of each part',
    examples: [24],
  }),
};

export const RevisionMap = Strict({ ...frame, covered: cells('how much the revision announces') });
export type RevisionMap = Static<typeof RevisionMap>;

export const DiffMap = Strict({
  ...frame,
  added: cells('addresses that only the second revision announces'),
  removed: cells('addresses that only the first revision announces'),
});
export type DiffMap = Static<typeof DiffMap>;

/** What a map shows where nothing is said: of IPv6 the unicast addresses that are given out. */
export const WHOLE_MAP = { ipv4: '0.0.0.0/0', ipv6: '2000::/3' } as const;

export const MapQuery = Strict({
  family: Type.Optional(FamilyName),
  within: Type.Optional(
    Type.String({
      minLength: 2,
      maxLength: 64,
      description: `The prefix to draw, down to /16 of IPv4 and /112 of IPv6; default: \`${WHOLE_MAP.ipv4}\`, or \`${WHOLE_MAP.ipv6}\` with \`family=ipv6\``,
    }),
  ),
});
export type MapQuery = Static<typeof MapQuery>;
