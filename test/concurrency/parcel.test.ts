import { once } from 'node:events';
import { getHeapStatistics } from 'node:v8';
import { MessageChannel } from 'node:worker_threads';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Parcel, freeBytes, openBytes, sendBytes } from '../../src/concurrency/parcel.ts';
import { times } from '../fuzz.ts';

const MEBIBYTE = 2 ** 20;

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0);

describe('a parcel', () => {
  test('has all bytes in order, whatever the chunks they come in', () => {
    const sizes = fc.array(fc.oneof(fc.nat(20), fc.nat(40_000), fc.nat(150_000)), { maxLength: 12 });
    const property = fc.property(sizes, fc.boolean(), (lengths, isShared) => {
      // No chunk is all of the memory, which a parcel would take.
      const memory = Uint8Array.from({ length: 1 + sumOf(lengths) }, (_, i) => i % 251);
      const whole = memory.subarray(1);
      const expected = whole.slice();
      const parcel = new Parcel();
      let at = 0;
      for (const length of lengths) {
        const chunk = whole.subarray(at, (at += length));
        parcel.put(isShared ? chunk : chunk.slice());
      }
      expect(parcel.length).toBe(expected.length);
      expect(Buffer.compare(openBytes(sendBytes(parcel).sent), expected)).toBe(0);
    });
    fc.assert(property, { numRuns: times(60) });
  });

  test('takes the memory of a chunk, but not if others are in it', () => {
    const parcel = new Parcel();
    const [large, small] = [new Uint8Array(50_000), new Uint8Array(50)];
    const memory = new Uint8Array(100_000);
    for (const chunk of [large, small, memory.subarray(10, 60_000)]) parcel.put(chunk);
    expect([large.length, small.length, memory.length]).toEqual([0, 0, 100_000]);
    freeBytes(parcel);
  });

  test('counts as memory of no heap while it waits', () => {
    const parcel = new Parcel();
    const before = getHeapStatistics().external_memory;
    for (let i = 0; i < 1_024; i++) parcel.put(new Uint8Array(64 * 1024));
    expect(parcel.length).toBe(64 * MEBIBYTE);
    expect(getHeapStatistics().external_memory - before).toBeLessThan(4 * MEBIBYTE);
    freeBytes(parcel);
  });

  test('that no thread takes is gone when it is freed', async () => {
    const parcel = new Parcel();
    parcel.put(new Uint8Array(MEBIBYTE));
    const { transfer } = sendBytes(parcel);
    const [port] = transfer as [MessageChannel['port1']];
    freeBytes(parcel);
    await once(port, 'close');
  });

  test('of which a part is missing is refused', () => {
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(new Uint8Array(10));
    expect(() => openBytes({ length: 20, port: port2 })).toThrow('A parcel of 20 bytes has 10');
    port1.close();
  });
});
