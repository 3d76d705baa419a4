/**
 * Requests without a key: descriptions, pages and their files, feeds, and paths that do not exist. They wait at a door of their own: one of a network
 * is answered at a time, with a rest as long as it took while more of it wait, so that a flood of them leaves half of the time to tenants.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../api/problems/problem.ts';
import { Door } from './door.ts';
import { networkOf } from './rate-limits.ts';

/** Whoever gets no answer to this takes the process for dead, and may kill it. */
const ALWAYS = '/v1/health';

export function admitStrangers(server: FastifyInstance): void {
  const door = new Door(1);
  server.addHook('onRequest', (request, reply, done) => {
    if (!isOfStranger(request)) return done();
    const answered = new Promise<void>((resolve) => reply.raw.once('close', resolve));
    const answer = (): Promise<void> => {
      if (reply.raw.closed) return Promise.resolve();
      done();
      return answered;
    };
    door.enter(networkOf(request.ip), answer).catch((error: unknown) => done(refusalOf(error)));
  });
}

function isOfStranger({ is404, routeOptions }: FastifyRequest): boolean {
  const { route } = routeOptions.config;
  if (is404 || route === undefined) return true;
  return route.permission === 'public' && route.path !== ALWAYS;
}

/** The door speaks of tenants. */
function refusalOf(error: unknown): Error {
  if (error instanceof Problem && (error.code === 'rate_limited' || error.code === 'busy'))
    return new Problem(
      error.code,
      'Too many requests without a key come from this network at once. Send fewer, and try again in a moment.',
      { retryAfter: error.retryAfter ?? 1 },
    );
  return error as Error;
}
