/** The small world that walks happen in: few prefixes, communities and lists, so that everything meets everything. */

import { seededRandom } from '../oracle/arbitraries.ts';

/** Prefixes that nest, touch and repeat. */
export const SMALL = [
  '45.10.0.0/24',
  '45.10.0.0/25',
  '45.10.0.128/25',
  '45.10.1.0/24',
  '45.10.0.0/23',
  '45.10.2.0/24',
  '45.10.3.0/26',
  '45.10.0.7/32',
  '2a0e:b100::/32',
  '2a0e:b100::/33',
  '2a0e:b100:8000::/33',
  '2a0e:b101::/32',
  '2a0e:b100::7/128',
] as const;

/** Of {@link SMALL}: where geofeeds say that it is in another country than anybody takes. */
export const ABROAD: ReadonlySet<string> = new Set(['45.10.0.128/25', '45.10.0.7/32', '2a0e:b100:8000::/33']);

/** What may not be announced; nothing of {@link SMALL} meets it. */
export const PROTECTED = '45.10.9.0/24';

/** As wide as nothing else is, and as much as a single list may have. */
export const WIDE = '57.0.0.0/8';

/** Guardrails about routes that of all lists only break which have something of {@link PROTECTED}. */
export const LOOSE = { protected: [PROTECTED], shortest: { ipv4: 8, ipv6: 19 }, coverage: 50 };

/** Tighter ones, each in one way. */
export const TIGHT = [
  { ...LOOSE, protected: [PROTECTED, '45.10.1.0/24'] },
  { ...LOOSE, protected: [PROTECTED, '45.10.3.0/26', '2a0e:b101::/32'] },
  { ...LOOSE, shortest: { ipv4: 24, ipv6: 19 } },
  { ...LOOSE, shortest: { ipv4: 25, ipv6: 33 } },
  { ...LOOSE, coverage: 0 },
] as const;

/** Modules of a walk at a time. */
export const MOST_MODULES = 4;

/** Values of communities: at first of {@link USED_COMMUNITIES}, later of any. */
export const COMMUNITIES = [
  ...['64500:1', '64500:2', '64500:1:7', '64500:9'],
  ...['64500:3', '64500:2:7', 'blackhole'],
] as const;
export const USED_COMMUNITIES = 4;

/** RFC 7999. */
export function isBlackholed(community: string): boolean {
  return community === 'blackhole';
}

/** Next hops of communities and peers; null: none. */
export const NEXT_HOPS = {
  ipv4: [null, '192.0.2.33', '192.0.2.66'],
  ipv6: [null, '2001:db8::1', '2001:db8::33'],
} as const;

/** Enough rows for deltas, blocks and threads, scattered so that none merge; each state lacks a few that the others have. */
export function largeList(state: number): string[] {
  const random = seededRandom(2_718_281);
  const scattered = (count: number, textOf: () => string): string[] =>
    Array.from({ length: count }, textOf).filter((_, index) => index % 500 !== state);
  const hex = (): string => (random() & 0xffff).toString(16);
  return [
    ...scattered(5_000, () => `45.${64 + (random() & 63)}.${random() & 255}.${random() & 255}/32`),
    ...scattered(
      1_500,
      () => `2a0e:c${(random() & 0xfff).toString(16).padStart(3, '0')}:${hex()}:${hex()}::/64`,
    ),
  ];
}

/** Lists of single addresses that do not merge, long enough for an edit of one to take much away. */
export const BLOCKS: readonly (readonly string[])[] = [
  ...[130, 70, 45].map((count, block) =>
    Array.from({ length: count }, (_, n) => `45.${20 + block}.${n >> 6}.${(n & 63) * 4}/32`),
  ),
  Array.from({ length: 110 }, (_, n) => `2a0e:b200::${(n * 4 + 1).toString(16)}/128`),
];

/** Beside a small list no more than a hundred prefixes may appear by themselves (`max_change_exceeded`, which has tests of its own). */
const MOST_OF_SOURCE = 50;

/** What sources say of a block: all of it, or one to three of each four. */
export const PARTS = BLOCKS.flatMap((rows, block) =>
  [4, 3, 2, 1].map((share) => ({ block, share, rows: rows.filter((_, at) => at % 4 < share) })),
).filter(({ rows }) => rows.length <= MOST_OF_SOURCE);

/** Addresses that lookups ask for: inside, at the edges and outside of {@link SMALL}. */
export const SAMPLES = [
  '45.10.0.0',
  '45.10.0.7',
  '45.10.0.127',
  '45.10.0.128',
  '45.10.0.255',
  '45.10.1.255',
  '45.10.2.1',
  '45.10.3.63',
  '45.10.3.64',
  '45.9.255.255',
  '45.20.0.4',
  '45.21.0.8',
  '45.88.8.1',
  '2a0e:b100::7',
  '2a0e:b100:7fff:ffff:ffff:ffff:ffff:ffff',
  '2a0e:b100:8000::',
  '2a0e:b101::1',
  '2a0e:b102::',
] as const;
