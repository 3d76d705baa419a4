/**
 * Makes the lists of demo/lists: `node demo/make-lists.ts`. They have the shapes of lists that real publishers serve, but every prefix is
 * drawn by lot from ordinary global unicast space: they belong to nobody in particular and say nothing about whoever uses them.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const LISTS = join(import.meta.dirname, 'lists');

/** Numbers from a seed: the same in every run, so that the files can be made again byte for byte. */
class Lot {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** A whole number from 0 to below `end`. */
  below(end: number): number {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return (this.#state >>> 0) % end;
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }
}

/** First octets without special-purpose space in them, and without 11, where the demo's own ranges are. */
const FIRST_OCTETS = [
  5, 23, 31, 37, 45, 62, 77, 85, 91, 103, 109, 138, 147, 151, 185, 193, 194, 209, 212, 217,
];
/** AS numbers for documentation (RFC 5398). */
const NETWORKS = [64497, 64498, 64499, 64500, 64501, 65536, 65537, 65538];
const FIRST_GROUPS = ['2403', '2804', '2a02', '2a0c', '2c0f'];

function ipv4(lot: Lot, lengths: readonly number[]): string {
  const length = lot.of(lengths);
  const bits = lot.of(FIRST_OCTETS) * 2 ** 24 + lot.below(2 ** 24);
  const address = bits - (bits % 2 ** (32 - length));
  return `${dotted(address)}/${length}`;
}

function ipv6(lot: Lot, lengths: readonly number[]): string {
  const length = lot.of(lengths);
  const groups = [lot.of(FIRST_GROUPS), 1 + lot.below(0xfffe), lot.below(0x1_0000)].map((group, place) => {
    const kept = Math.min(16, Math.max(0, length - place * 16));
    return typeof group === 'string' ? group : (group - (group % 2 ** (16 - kept))).toString(16);
  });
  while (groups.at(-1) === '0') groups.pop();
  return `${groups.join(':')}::/${length}`;
}

function dotted(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
}

/** Distinct prefixes. */
function many(count: number, make: () => string): string[] {
  const found = new Set<string>();
  while (found.size < count) found.add(make());
  return [...found];
}

/** A cloud provider's JSON: 2,000 prefixes with region and service. */
function cloudJson(): string {
  const lot = new Lot(0x5eed_0001);
  const regions = ['eu-north-1', 'eu-south-2', 'us-lake-1', 'ap-island-1', 'sa-coast-1'];
  const labels = (): object => {
    const region = lot.of(regions);
    return { region, service: lot.of(['COMPUTE', 'STORAGE', 'EDGE']), network_border_group: region };
  };
  return json({
    syncToken: '1790000000',
    createDate: '2026-09-21-13-33-20',
    prefixes: many(1_500, () => ipv4(lot, [17, 19, 20, 21, 22, 23, 24, 24, 24])).map((prefix) => ({
      ip_prefix: prefix,
      ...labels(),
    })),
    ipv6_prefixes: many(500, () => ipv6(lot, [36, 40, 44, 48, 48])).map((prefix) => ({
      ipv6_prefix: prefix,
      ...labels(),
    })),
  });
}

/** An edge network's JSON: two plain arrays. */
function edgeJson(): string {
  const lot = new Lot(0x5eed_0002);
  return json({
    addresses: many(20, () => ipv4(lot, [16, 17, 20, 22, 24])),
    ipv6_addresses: many(4, () => ipv6(lot, [32])),
  });
}

/** A relay's geofeed (RFC 8805): 500 prefixes with country, region and city; some fields are blank, as they are in the wild. */
function relayCsv(): string {
  const lot = new Lot(0x5eed_0003);
  const places = [
    'DE,DE-BE,Berlin,',
    'FR,FR-IDF,Paris,',
    'JP,JP-13,Tokyo,',
    'BR,BR-SP,,',
    'SE,,,',
    'KE,,Nairobi,',
  ];
  const prefixes = many(500, () =>
    lot.below(4) > 0 ? ipv4(lot, [27, 28, 29, 30, 31, 32]) : ipv6(lot, [45]),
  );
  const rows = prefixes.map((prefix) => `${prefix},${lot.of(places)}`);
  return ['# prefix,country,region,city,postal code (RFC 8805)', ...rows, ''].join('\n');
}

/** A block list in text: 5,000 lines of addresses, prefixes and ranges that repeat, nest and touch, with comments. */
function blocklistText(): string {
  const lot = new Lot(0x5eed_0004);
  const lines = [
    '# Invented addresses, in the shape of a block list',
    '# One address, prefix or range on a line',
    '',
  ];
  let network = ipv4(lot, [24]);
  while (lines.length < 5_000) {
    // Several lines in a row lie in one /24, so that they overlap.
    if (lot.below(4) === 0) network = ipv4(lot, [24]);
    lines.push(blocklistLine(lot, network.slice(0, -'0/24'.length)));
  }
  return `${lines.join('\n')}\n`;
}

function blocklistLine(lot: Lot, network: string): string {
  const host = lot.below(256);
  switch (lot.below(8)) {
    case 0:
      return `${network}0/24`;
    case 1:
      return `${network}${host - (host % 16)}/28 ; case ${1 + lot.below(9_999)}`;
    case 2:
      return `${network}${host}-${network}${Math.min(255, host + lot.below(20))}`;
    case 3:
      return `${network}${host} # seen ${1 + lot.below(30)} times`;
    default:
      return `${network}${host}`;
  }
}

/** A table of ranges and the AS numbers that announce them, of 400 networks: first address, last address, AS number, country, name. */
function networksTable(): string {
  const lot = new Lot(0x5eed_0005);
  const prefixes = many(400, () => ipv4(lot, [16, 18, 19, 20, 21, 22, 22, 23, 24]));
  const rows = prefixes.map((prefix) => {
    const [address, length] = prefix.split('/') as [string, string];
    const first = address.split('.').reduce((number, octet) => number * 256 + Number(octet), 0);
    return { first, last: first + 2 ** (32 - Number(length)) - 1, asn: lot.of(NETWORKS) };
  });
  return rows
    .sort((one, other) => one.first - other.first)
    .map(
      ({ first, last, asn }) => `${[dotted(first), dotted(last), asn, 'ZZ', `NETWORK-${asn}`].join('\t')}\n`,
    )
    .join('');
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

/** Text of every list by the name of its file. */
export function makeLists(): Readonly<Record<string, string>> {
  return {
    'cloud.json': cloudJson(),
    'edge.json': edgeJson(),
    'relay.csv': relayCsv(),
    'blocklist.txt': blocklistText(),
    'networks.tsv': networksTable(),
  };
}

if (import.meta.main) {
  await mkdir(LISTS, { recursive: true });
  for (const [name, text] of Object.entries(makeLists())) await writeFile(join(LISTS, name), text);
}
