import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, ByteStreamError, ByteWriter } from '../../../src/core/stored/byte-stream.ts';
import { compiledSteps } from '../../../src/core/sets/compiled-steps.ts';
import { BlockError, readSteps } from '../../../src/core/stored/table-block.ts';
import { times } from '../../fuzz.ts';

/** What the plain way makes of the columns; null when it refuses them. */
function plain(lengths: Uint8Array, steps: Uint8Array): ReturnType<typeof compiledSteps> {
  const reader = new ByteReader(steps);
  try {
    const { words } = readSteps(reader, lengths);
    return { words, taken: steps.length - reader.left };
  } catch (error) {
    if (!(error instanceof BlockError || error instanceof ByteStreamError)) throw error;
    return null;
  }
}

function columnsOf(rows: readonly (readonly [step: number, length: number])[]): [Uint8Array, Uint8Array] {
  const writer = new ByteWriter();
  for (const [step] of rows) writer.varint(step);
  return [Uint8Array.from(rows, ([, length]) => length), writer.written()];
}

const step = fc.oneof(
  { weight: 8, arbitrary: fc.nat({ max: 200 }) },
  { weight: 2, arbitrary: fc.nat({ max: 70_000 }) },
  { weight: 1, arbitrary: fc.nat({ max: 0xffffffff }) },
);
const length = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 8, max: 32 }) },
  { weight: 1, arbitrary: fc.nat({ max: 40 }) },
);

describe('compiled steps', () => {
  it('are read as the plain way reads them, or refused where it refuses them', () => {
    let good = 0;
    fc.assert(
      fc.property(
        fc.array(fc.tuple(step, length), { minLength: 1, maxLength: 12 }),
        fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 2 }),
        fc.nat({ max: 3 }),
        (rows, faults, cut) => {
          const [lengths, whole] = columnsOf(rows);
          const steps = whole.slice(0, whole.length - (cut > 1 ? 0 : cut));
          for (const [place, byte] of faults) if (steps.length > 0) steps[place % steps.length] = byte;
          const expected = lengths[0] === 0 ? null : plain(lengths, steps);
          if (expected !== null) good++;
          expect(compiledSteps(lengths, steps)).toEqual(expected);
        },
      ),
      { numRuns: times(20_000) },
    );
    expect(good).toBeGreaterThan(2_000);
  });

  it.each([8191, 8192, 8193, 20_000])('go on from part to part of %i rows', (count) => {
    const rows = Array.from({ length: count }, (_, i) => [(i % 7) * 40 + 1, 24 + (i % 9)] as const);
    const [lengths, steps] = columnsOf(rows);
    const expected = plain(lengths, steps);
    expect(expected).not.toBeNull();
    expect(compiledSteps(lengths, steps)).toEqual(expected);
    expect(compiledSteps(lengths, steps.subarray(0, -1))).toBeNull();
  });

  it('may have any number of digits that a number below 2^32 has, and no other form', () => {
    for (const value of [
      0, 0x7f, 0x80, 0x3fff, 0x4000, 0x1fffff, 0x200000, 0xfffffff, 0x10000000, 0xffffffff,
    ]) {
      const [lengths, steps] = columnsOf([[value, 32]]);
      expect(compiledSteps(lengths, steps)?.words).toEqual(Uint32Array.of(value));
      const longer = Uint8Array.from([...steps.slice(0, -1), steps.at(-1)! | 0x80, 0]);
      expect(compiledSteps(lengths, longer)).toBeNull();
    }
    expect(compiledSteps(Uint8Array.of(32), Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x1f))).toBeNull();
    expect(compiledSteps(Uint8Array.of(32), Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x80, 1))).toBeNull();
  });
});
