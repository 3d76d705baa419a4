/**
 * Reads plain lines itself, straight from the bytes. A plain line has one prefix or address of its family and nothing else, not even a
 * blank; other lines are left to the reader of `prefix-text.ts`, which would read every plain line with the same result.
 */
export interface LineTaker {
  /** Lines taken so far. */
  readonly lines: number;
  /** Sets the bytes that {@link takeLines} reads; they may not change until others are set. */
  begin(bytes: Uint8Array): void;
  /** Takes the plain lines starting at `from`. Returns the start of the first line that is not plain or not complete. */
  takeLines(from: number): number;
}
