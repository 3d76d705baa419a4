import { describe, expect, test } from 'vitest';
import { inPieces } from '../../src/concurrency/paced-text.ts';
import { mapInSlices } from '../../src/concurrency/slices.ts';

/** Texts of 32 KiB, and how many of them were made. */
function longTexts(count: number): { readonly texts: Iterator<string>; readonly made: () => number } {
  let made = 0;
  function* write(): Generator<string> {
    for (; made < count; made++) yield String(made % 10).repeat(32 * 1024);
  }
  return { texts: write(), made: () => made };
}

/** How often others have had their turn so far. */
function countTurns(): { readonly count: () => number; readonly end: () => void } {
  let [turns, isOver] = [0, false];
  const look = (): void => {
    turns++;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  return { count: () => turns, end: () => void (isOver = true) };
}

async function readAll(pieces: AsyncIterable<string>, onPiece: (text: string) => void = () => undefined) {
  let text = '';
  for await (const piece of pieces) {
    onPiece(piece);
    text += piece;
  }
  return text;
}

describe('a text in pieces', () => {
  test('is the whole text, and nothing of it is empty or much longer than a piece', async () => {
    const { texts } = longTexts(7);
    const pieces: string[] = [];
    const whole = await readAll(inPieces('tenant', texts), (piece) => pieces.push(piece));
    expect(whole).toBe([...(longTexts(7).texts as Generator<string>)].join(''));
    // A busy machine makes pieces shorter.
    expect(pieces.length).toBeGreaterThanOrEqual(4);
    for (const { length } of pieces) expect([32, 64]).toContain(length / 1024);
  });

  test('without a text has no piece', async () => {
    expect(await readAll(inPieces('tenant', [][Symbol.iterator]()))).toBe('');
  });

  test('of one tenant comes a piece after each piece of another, however many that one asks for', async () => {
    const loud = Array.from({ length: 16 }, () => longTexts(64));
    const reading = loud.map(({ texts }) => readAll(inPieces('loud', texts)));
    const madeByLoud = (): number => loud.reduce((sum, { made }) => sum + made(), 0);
    const between: number[] = [];
    let before = madeByLoud();
    await readAll(inPieces('quiet', longTexts(8).texts), () => {
      between.push(madeByLoud() - before);
      before = madeByLoud();
    });
    expect(between.length).toBeGreaterThanOrEqual(4);
    // Two texts are a piece; one more may have been begun.
    for (const texts of between) expect(texts).toBeLessThanOrEqual(4);
    await Promise.all(reading);
    expect(madeByLoud()).toBe(16 * 64);
  });

  test('gives others their turn after each piece, be it made in no time or without a text', async () => {
    const turns = countTurns();
    const seen: number[] = [];
    await readAll(inPieces('tenant', longTexts(40).texts), () => seen.push(turns.count()));
    for (const [place, count] of seen.slice(1, -1).entries()) expect(count).toBeGreaterThan(seen[place]!);
    function* nothing(): Generator<string> {
      for (let n = 0; n < 100; n++) {
        const end = performance.now() + 0.5;
        while (performance.now() < end);
        yield '';
      }
    }
    const before = turns.count();
    expect(await readAll(inPieces('tenant', nothing()))).toBe('');
    // Fifty milliseconds of work.
    expect(turns.count() - before).toBeGreaterThanOrEqual(5);
    turns.end();
  });

  test('leaves half of the time to others, also while other long work is done in slices', async () => {
    let worked = 0;
    const work = (): void => {
      const began = performance.now();
      while (performance.now() < began + 0.2);
      worked += performance.now() - began;
    };
    function* slow(): Generator<string> {
      for (let n = 0; n < 150; n++) {
        work();
        yield 'x';
      }
    }
    const items = Array.from({ length: 150 });
    const began = performance.now();
    await Promise.all([
      ...Array.from({ length: 3 }, () => mapInSlices(items, work)),
      ...Array.from({ length: 3 }, () => readAll(inPieces('tenant', slow()))),
    ]);
    // The first slice of each begins without a rest.
    expect((performance.now() - began) / worked).toBeGreaterThan(1.7);
  });

  test('ends with the fault of what makes it, and the next one goes on', async () => {
    function* broken(): Generator<string> {
      yield 'begin';
      throw new Error('damaged');
    }
    await expect(readAll(inPieces('tenant', broken()))).rejects.toThrow('damaged');
    expect(await readAll(inPieces('tenant', longTexts(1).texts))).toHaveLength(32 * 1024);
  });
});
