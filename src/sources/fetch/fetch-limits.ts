/** What a source may cost us. Times are in milliseconds, sizes in bytes. */
export interface FetchLimits {
  /** Size of the decoded body, and of the bytes on the wire. */
  readonly bodyBytes: number;
  /** Decoded bytes per byte on the wire; checked only beyond the first MiB, where it reveals a decompression bomb. */
  readonly ratio: number;
  /** From the first connect to the last byte, including redirects. */
  readonly totalMs: number;
  readonly connectMs: number;
  /** From the request to the end of the answer's headers. */
  readonly headersMs: number;
  /** Between two pieces of the body. */
  readonly idleMs: number;
  readonly headerBytes: number;
  readonly redirects: number;
  /** Parsing a received list, from when a worker takes it. */
  readonly parseMs: number;
}

export const DEFAULT_LIMITS: FetchLimits = Object.freeze({
  bodyBytes: 64 * 2 ** 20,
  ratio: 250,
  totalMs: 60_000,
  connectMs: 10_000,
  headersMs: 20_000,
  idleMs: 20_000,
  headerBytes: 16_384,
  redirects: 5,
  parseMs: 30_000,
});

/** 67108864 as "64 MiB", 1000 as "1000 bytes". */
export function shownSize(bytes: number): string {
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${bytes} bytes`;
}
