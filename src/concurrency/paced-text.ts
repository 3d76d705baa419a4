import { Semaphore } from './semaphore.ts';
import { restInTurn } from './slices.ts';

/** Characters of a piece at most, and milliseconds that it takes at most. */
const PIECE = 64 * 1024;
const PIECE_MS = 1;

/** Long texts of all groups are written a piece at a time, and groups take turns. */
const writing = new Semaphore(1);

/**
 * What the texts come to, in pieces. However many are asked for at once, one piece is made at a time, and takes its turn with the slices of other long work,
 * so that half of the event loop's time is left to others. A piece that was made in no time is followed by a rest as well: to send it takes as long as to make it,
 * and whoever reads sixteen texts at once would have the loop write without an end. An empty text says that there was work without a text.
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
      // Who asks for little waits for nothing.
      if (!isLast || performance.now() - began >= 1) await restInTurn(began);
    }, group);
    if (piece !== '') yield piece;
  }
}
