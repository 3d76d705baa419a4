/** `routes.pct` and `routes.delta` read as docs/reference/bundle-format.md tells them, slowly and without any code of the service. */
import { createHash } from 'node:crypto';
import { BigPrefix } from './big-prefix.ts';

export interface Route {
  readonly prefix: BigPrefix;
  readonly labels: readonly string[];
}

class Reader {
  at = 0;
  readonly bytes: Buffer;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes);
  }

  take(length: number): Buffer {
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  wide(): bigint {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = this.take(1)[0]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  }

  number(): number {
    return Number(this.wide());
  }

  times<T>(count: number, read: (index: number) => T): T[] {
    return Array.from({ length: count }, (_, index) => read(index));
  }
}

/** Places that ascend, written as steps. */
function places(reader: Reader, count: number): number[] {
  let next = 0;
  return reader.times(count, () => {
    const place = next + reader.number();
    next = place + 1;
    return place;
  });
}

function readBlock(bytes: Uint8Array): Route[] {
  const reader = new Reader(bytes);
  const family = reader.take(1)[0] === 4 ? 'ipv4' : 'ipv6';
  const bits = family === 'ipv4' ? 32 : 128;
  const count = reader.number();
  const labels = reader.times(reader.number(), () => reader.take(reader.number()).toString());
  const sets = reader.times(reader.number(), () =>
    places(reader, reader.number()).map((place) => labels[place]!),
  );
  const lengths = [...reader.take(count)];
  const setOf = sets.length === 1 ? lengths.map(() => 0) : reader.times(count, () => reader.number());
  let address = 0n;
  return lengths.map((length, row) => {
    const rest = BigInt(bits - length);
    if (length > 0) address = ((address >> rest) + reader.wide()) << rest;
    else address = 0n;
    return { prefix: new BigPrefix(family, address, length), labels: sets[setOf[row]!]! };
  });
}

export function readRoutes(bytes: Uint8Array): { readonly contentHash: string; readonly routes: Route[] } {
  const reader = new Reader(bytes);
  const manifest = new Reader(reader.take(reader.number()));
  if (manifest.take(5).toString('latin1') !== 'PFXT\x01') throw new Error('It is no table');
  const routes = manifest
    .times(manifest.number(), () => ({
      family: manifest.take(1)[0],
      rows: manifest.number(),
      hash: manifest.take(32).toString('hex'),
    }))
    .flatMap(({ rows, hash }) => {
      const block = reader.take(reader.number()).subarray(1);
      if (createHash('sha256').update(block).digest('hex') !== hash) throw new Error('The block is another');
      const read = readBlock(block);
      if (read.length !== rows) throw new Error('The block has other rows');
      return read;
    });
  const contentHash = manifest.take(32).toString('hex');
  const hashed = createHash('sha256').update(manifest.bytes.subarray(0, -32)).digest('hex');
  if (hashed !== contentHash || reader.at !== bytes.length) throw new Error('The table is damaged');
  return { contentHash, routes };
}

/** The routes after, in any order. */
export function applyRoutesDelta(before: ReturnType<typeof readRoutes>, bytes: Uint8Array): Route[] {
  const reader = new Reader(bytes);
  if (reader.take(32).toString('hex') !== before.contentHash) throw new Error('It starts from other routes');
  reader.take(1);
  return (['ipv4', 'ipv6'] as const).flatMap((family) => {
    const rows = before.routes.filter(({ prefix }) => prefix.family === family);
    const gone = new Set(places(reader, reader.number()));
    const length = reader.number();
    const written = length === 0 ? [] : readBlock(reader.take(length));
    const isWritten = new Set(written.map(({ prefix }) => prefix.text));
    const stays = rows.filter(({ prefix }, place) => !gone.has(place) && !isWritten.has(prefix.text));
    return [...stays, ...written];
  });
}
