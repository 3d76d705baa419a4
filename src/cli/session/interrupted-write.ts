/** Ctrl-C while a write is on its way: nobody knows whether it is done, and whoever leaves is to read that. */
import { say } from '../process/ask.ts';
import type { LightRequest } from '../transport/light-request.ts';

/** Requests with a body that change nothing. */
const READS = /\/(?:plan|lookup|lookup\/holders|preview|test)$/;

/** Sends it; where Ctrl-C ends the command before it is answered, that is said. */
export async function sayingInterruption<T>(request: LightRequest, send: () => Promise<T>): Promise<T> {
  if (!isWrite(request)) return send();
  process.once('SIGINT', onInterrupt);
  try {
    return await send();
  } finally {
    process.off('SIGINT', onInterrupt);
  }
}

function onInterrupt(): void {
  say(
    'Left before the service has answered: what you asked for may have been carried out all the same. Look before you send it again',
  );
  // Nobody listens any more, so that it ends the process as ever.
  process.kill(process.pid, 'SIGINT');
}

function isWrite({ method, url }: LightRequest): boolean {
  const { pathname, searchParams } = new URL(url);
  return method !== 'GET' && searchParams.get('dry_run') !== 'true' && !READS.test(pathname);
}
