/** How long to wait for a pipe that is not ready and won't block, in milliseconds. */
const RETRY_MS = 5;

/** Waits a little, without an event loop. */
export function pause(): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
}

export function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** The system's own words, without the name of the call. */
export function reasonOf(error: NodeJS.ErrnoException): string {
  return error.message.replace(/, \w+( '.*')?$/s, '');
}
