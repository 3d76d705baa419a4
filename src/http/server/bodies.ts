/** Bodies of requests: which types are taken, and who parses them. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../api/problems/problem.ts';
import type { Door } from '../admission/door.ts';
import { parseJsonBody, parseLongJsonBody } from '../request/json-body.ts';

/** Bytes that take more than a moment to parse. */
const LONG_BODY = 64 * 1024;

/** @param door where long bodies wait for the turn of their tenant */
export function parseBodies(server: FastifyInstance, door: Door): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer) => {
      refuseMediaType(request, undefined);
      if (body.length < LONG_BODY) return Promise.resolve(parseJsonBody(body));
      return door.enter(request.principal!.tenant.id, () => parseLongJsonBody(body));
    },
  );
  server.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer) => {
    refuseMediaType(request, 'text/csv');
    return Promise.resolve(body);
  });
}

/** @param sent undefined stands for JSON, as in the table of routes */
function refuseMediaType(request: FastifyRequest, sent: 'text/csv' | undefined): void {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Problem('unsupported_media_type', 'Send the body as it is, without Content-Encoding.');
  const { route } = request.routeOptions.config;
  const wanted = route === undefined || route.permission === 'public' ? undefined : route.consumes;
  if (wanted !== sent)
    throw new Problem(
      'unsupported_media_type',
      `Send the body as \`Content-Type: ${wanted ?? 'application/json'}\`.`,
    );
}
