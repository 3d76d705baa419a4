/** Why a bundle is not taken. */
export type BundleErrorCode =
  /** The signature is not one that the key it names made over this manifest. */
  | 'signature_invalid'
  /** Signed by a key that is not trusted, or not any more. */
  | 'key_unknown'
  | 'bundle_expired'
  /** Older than one that was taken before. */
  | 'bundle_replayed'
  /** For another speaker or tenant. */
  | 'bundle_foreign'
  /** Not what was signed, cut off, or no bundle at all. */
  | 'bundle_corrupt'
  /** What changed since a content that is not at hand. */
  | 'base_missing';

/** The message says what was wrong, where, and what to do. */
export class BundleError extends Error {
  override readonly name = 'BundleError';
  readonly code: BundleErrorCode;

  constructor(code: BundleErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Runs `read`; what it throws of this class means a damaged bundle. */
export function orCorrupt<T>(thrown: new (...args: never[]) => Error, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof thrown) throw corrupt(error.message, error);
    throw error;
  }
}

/** @param what in words that follow on "The bundle is damaged: " */
export function corrupt(what: string, cause?: unknown): BundleError {
  return new BundleError('bundle_corrupt', `The bundle is damaged: ${what}. Fetch it again.`, { cause });
}
