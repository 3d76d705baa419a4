import { startBird } from './bird.ts';
import { startListener } from './listener.ts';
import { findProgram } from './program.ts';
import type { Router, RouterOptions } from './peer.ts';

/** BIRD when it is installed or in the set-up's cache, the project's own listener otherwise. */
export async function startRouter(options: RouterOptions): Promise<Router> {
  const bird = findProgram('bird');
  const birdc = findProgram('birdc');
  return bird !== null && birdc !== null ? startBird(bird, birdc, options) : startListener(options);
}
