import type { FastifyInstance } from 'fastify';
import { Problem } from '../../api/problems/problem.ts';

/** A server that is about to close: requests that run end, and new ones are refused, except those that ask for its health. */
export class Draining {
  #isDraining = false;

  get isDraining(): boolean {
    return this.#isDraining;
  }

  /** @param live answers that wait or go on, which end when the server is about to close */
  mount(server: FastifyInstance, live: readonly { close(): void }[]): void {
    server.addHook('preClose', () => {
      this.#isDraining = true;
      for (const answers of live) answers.close();
      return Promise.resolve();
    });
    server.addHook('onRequest', (request, _reply, done) => {
      if (!this.#isDraining || request.routeOptions.config.route?.path === '/v1/health') done();
      else
        done(
          new Problem('shutting_down', 'The service is stopping. Try again in a moment.', { retryAfter: 2 }),
        );
    });
    server.addHook('onSend', (_request, reply, payload, done) => {
      // A connection that stays open would keep the server from closing.
      if (this.#isDraining) void reply.header('connection', 'close');
      done(null, payload);
    });
  }
}
