/** Bodies of requests: which types are taken, and who parses them. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem } from '../../api/problems/problem.ts';
import type { Door } from '../admission/door.ts';
import { isMergePatch } from '../dispatch/merge-patch.ts';
import { MERGE_PATCH, bodyTypesOf } from '../route-rules.ts';
import { parseJsonBody, parseLongJsonBody } from '../request/json-body.ts';

/** Bytes that take more than a moment to parse. */
const LONG_BODY = 16 * 1024;

/** @param door where long bodies wait for the turn of their tenant */
export function parseBodies(server: FastifyInstance, door: Door): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    ['application/json', MERGE_PATCH],
    { parseAs: 'buffer' },
    (request: FastifyRequest, body: Buffer) => {
      refuseMediaType(request, isMergePatch(request) ? MERGE_PATCH : 'application/json');
      if (body.length < LONG_BODY) return Promise.resolve(parseJsonBody(body));
      return door.enter(request.principal!.tenant.id, () => parseLongJsonBody(body));
    },
  );
  server.addContentTypeParser('text/csv', { parseAs: 'buffer' }, (request: FastifyRequest, body: Buffer) => {
    refuseMediaType(request, 'text/csv');
    return Promise.resolve(body);
  });
}

function refuseMediaType(request: FastifyRequest, sent: string): void {
  if ((request.headers['content-encoding'] ?? 'identity') !== 'identity')
    throw new Problem('unsupported_media_type', 'Send the body as it is, without Content-Encoding.');
  const { route } = request.routeOptions.config;
  const types = route === undefined ? ['application/json'] : bodyTypesOf(route);
  if (types.length > 0 && !types.includes(sent))
    throw new Problem('unsupported_media_type', `Send the body as \`Content-Type: ${types[0]}\`.`);
}
