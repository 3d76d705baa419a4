import { Semaphore } from './semaphore.ts';
import { rest } from './slices.ts';

/** Characters of a piece at most, and milliseconds that it takes at most. */
const PIECE = 64 * 1024;
const PIECE_MS = 2;

/** Long texts of all groups are written a piece at a time, and groups take turns. */
const writing = new Semaphore(1);

/**
 * What the texts come to, in pieces. However many are asked for at once, one piece is made at a time, and what takes long is followed by a rest
 * as long, so that half of the event loop's time is left to others.
 */
export async function* inPieces(group: string, texts: Iterator<string>): AsyncGenerator<string> {
  for (let isLast = false; !isLast;) {
    let piece = '';
    await writing.run(async () => {
      const began = performance.now();
      while (piece.length < PIECE && !isLast && performance.now() - began < PIECE_MS) {
        const { value, done = false } = texts.next() as IteratorResult<string, undefined>;
        piece += value ?? '';
        isLast = done;
      }
      if (performance.now() - began >= 1) await rest(began);
    }, group);
    if (piece !== '') yield piece;
  }
}
