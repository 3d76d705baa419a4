/**
 * Reads plain lines itself, straight from the bytes. Plain is a line that holds one prefix or address of its family and nothing else, not even a
 * blank; whatever is not so plain is left to the reader of `prefix-text.ts`, which would read every plain line alike.
 */
export interface LineTaker {
  /** Lines taken so far. */
  readonly lines: number;
  /** Names the bytes that {@link takeLines} reads, which may not change until others are named. */
  begin(bytes: Uint8Array): void;
  /** Takes the plain lines from position `from` on. Returns where the first line begins that is not plain or not whole. */
  takeLines(from: number): number;
}
