import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { openBytes, sendBytes } from '../../../src/concurrency/parcel.ts';
import { readDecoded } from '../../../src/sources/fetch/decoded-body.ts';
import { DEFAULT_LIMITS } from '../../../src/sources/fetch/fetch-limits.ts';

const CHUNK = Buffer.alloc(65_536, '192.0.2.0/24\n');
const CHUNKS = 128;
const signal = new AbortController().signal;
const options = { limits: DEFAULT_LIMITS, signal, encoding: null, onBytes: () => undefined };

describe('a body', () => {
  test('that is there at once is read over many turns of the event loop', async () => {
    let turns = 0;
    let reading = true;
    const count = (): void => {
      turns++;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    // Chunks of their own, whose memory goes along.
    const bodies = [1, 2].map(() => Readable.from(Array.from({ length: CHUNKS }, () => Buffer.from(CHUNK))));
    const read = await Promise.all(bodies.map((body) => readDecoded(body, options)));
    reading = false;
    for (const parcel of read) {
      const bytes = openBytes(sendBytes(parcel).sent);
      expect(bytes.length).toBe(CHUNKS * CHUNK.length);
      expect(Buffer.compare(bytes, Buffer.concat(Array.from({ length: CHUNKS }, () => CHUNK)))).toBe(0);
    }
    // 8 MiB each, a quarter of a MiB a turn.
    expect(turns).toBeGreaterThanOrEqual(64);
  });

  test('comes in memory of its own, decoded', async () => {
    const list = CHUNK.toString('latin1').slice(0, 1300);
    const body = Readable.from([gzipSync(list)]);
    const read = await readDecoded(body, { ...options, encoding: 'gzip' });
    const bytes = openBytes(sendBytes(read).sent);
    expect(Buffer.from(bytes).toString()).toBe(list);
    expect(bytes.buffer.byteLength).toBe(bytes.length);
  });
});
