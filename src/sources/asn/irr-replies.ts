import { SourceError } from '../source-error.ts';

/** Data, nothing (no result, or a plain success), or the server's refusal of the query. */
export type IrrReply =
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'refused'; readonly message: string };

const LF = 0x0a;
const MAX_LINE_BYTES = 4_096;
const MAX_DATA_BYTES = 16 * 2 ** 20;

/**
 * Splits the bytes of an IRRd server into replies, however the network split them:
 *
 *     A<length> LF <data of that length, its last line end included> C LF
 *     C LF            done, no data          D LF            no such key
 *     E LF            more than one such     F <text> LF     refused
 */
export class IrrReplyReader {
  #chunks: Buffer[] = [];
  #held = 0;
  /** Bytes of data that are expected; null: a line is. */
  #awaited: number | null = null;
  #data: Buffer | null = null;

  /** The replies that are complete now. @throws SourceError when the server does not use this protocol */
  push(chunk: Buffer): IrrReply[] {
    this.#chunks.push(chunk);
    this.#held += chunk.length;
    const replies: IrrReply[] = [];
    while (this.#held >= (this.#awaited ?? 1)) {
      const bytes = Buffer.concat(this.#chunks);
      const end = this.#awaited ?? bytes.indexOf(LF) + 1;
      this.#chunks = [bytes.subarray(end)];
      this.#held = bytes.length - end;
      if (this.#awaited !== null) {
        this.#data = bytes.subarray(0, end);
        this.#awaited = null;
      } else if (end > 0) {
        const reply = this.#readLine(bytes.toString('latin1', 0, end).trimEnd());
        if (reply !== null) replies.push(reply);
      } else {
        if (bytes.length > MAX_LINE_BYTES) throw strange(bytes.toString('latin1', 0, 80));
        break;
      }
    }
    return replies;
  }

  #readLine(line: string): IrrReply | null {
    const data = this.#data;
    if (data !== null) {
      if (line !== 'C') throw strange(line);
      this.#data = null;
      return { kind: 'data', bytes: data };
    }
    const length = /^A(\d{1,10})$/.exec(line)?.[1];
    if (length !== undefined) {
      if (Number(length) > MAX_DATA_BYTES)
        throw new SourceError('source_too_large', `announces an answer of ${length} bytes.`);
      this.#awaited = Number(length);
      return null;
    }
    if (line === 'C' || line === 'D') return { kind: 'nothing' };
    if (line === 'E') return { kind: 'refused', message: 'the key is not unique' };
    if (line.startsWith('F')) return { kind: 'refused', message: line.slice(1).trim() || 'no reason given' };
    throw strange(line);
  }
}

function strange(line: string): SourceError {
  return new SourceError(
    'source_unparseable',
    `answers ${JSON.stringify(line.slice(0, 80))}, which no IRRd server does. Check APP_IRR_HOST.`,
  );
}
