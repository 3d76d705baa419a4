import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { forGroup } from '../../../src/concurrency/groups.ts';
import { type AnyBytes, freeBytes, openBytes, sendBytes } from '../../../src/concurrency/parcel.ts';
import { readDecoded } from '../../../src/sources/fetch/decoded-body.ts';
import { DEFAULT_LIMITS } from '../../../src/sources/fetch/fetch-limits.ts';

const CHUNK = Buffer.alloc(65_536, '192.0.2.0/24\n');
const CHUNKS = 128;
const signal = new AbortController().signal;
const options = {
  ...{ limits: DEFAULT_LIMITS, signal, encoding: null, onBytes: () => undefined },
  whileWaiting: <T>(wait: Promise<T>): Promise<T> => wait,
};

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
      freeBytes(parcel);
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

  test('that is long is read when others that are held have been freed, of two at a time for a group', async () => {
    const done: string[] = [];
    const read = (group: string, chunks: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<AnyBytes> =>
      forGroup(group, () => readDecoded(Readable.from(chunks), options)).then((bytes) => {
        done.push(group);
        return bytes;
      });
    const long = (): Buffer[] => Array.from({ length: CHUNKS }, () => Buffer.from(CHUNK));
    const [first, second] = await Promise.all([read('loud', long()), read('loud', long())]);
    const waiting = [read('loud', long()), read('loud', long())];
    const quiet = await read('quiet', long());
    // A short one waits for nobody.
    freeBytes(await read('loud', [CHUNK]));
    expect(done).toEqual(['loud', 'loud', 'quiet', 'loud']);
    freeBytes(first);
    freeBytes(await Promise.any(waiting));
    freeBytes(second);
    for (const bytes of await Promise.all(waiting)) freeBytes(bytes);
    freeBytes(quiet);
  });

  test('that breaks off while it waits leaves its place to others', async () => {
    const long = (): Buffer[] => Array.from({ length: CHUNKS }, () => Buffer.from(CHUNK));
    const read = (body: Readable): Promise<AnyBytes> => forGroup('loud', () => readDecoded(body, options));
    const held = await Promise.all([read(Readable.from(long())), read(Readable.from(long()))]);
    const broken = Readable.from(long());
    const begun = Promise.withResolvers<void>();
    const breaking = forGroup('loud', () =>
      readDecoded(broken, {
        ...options,
        whileWaiting: (wait) => {
          begun.resolve();
          return wait;
        },
      }),
    );
    await begun.promise;
    broken.destroy(new Error('reset'));
    for (const bytes of held) freeBytes(bytes);
    await expect(breaking).rejects.toThrow('reset');
    for (const bytes of await Promise.all([read(Readable.from(long())), read(Readable.from(long()))]))
      freeBytes(bytes);
  });
});
