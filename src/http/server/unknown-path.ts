/** Answers paths and methods that no route serves: 404, 405 with `Allow`, and OPTIONS. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { nearest } from '../../api/problems/nearest.ts';
import { Problem } from '../../api/problems/problem.ts';
import { UUID } from '../../api/shapes/uuid.ts';
import { instanceOf, sendProblem } from '../problem-answer.ts';

interface ServedRoute {
  readonly method: string;
  readonly path: string;
  /** Media types of the bodies that it takes. */
  readonly bodyTypes?: readonly string[];
}

/** What a person who opens the service in a browser looks for (RFC 8631). */
const LINKS = '</docs>; rel="service-doc", </v1/openapi.json>; rel="service-desc"';

interface Served {
  readonly pattern: RegExp;
  readonly methods: Set<string>;
  /** Media types of PATCH (RFC 5789, section 3.1). */
  readonly patchTypes: string[];
}

/** Which methods each path of the table takes. */
function servedPaths(routes: readonly ServedRoute[]): Served[] {
  const byPath = new Map<string, Served>();
  for (const { path, method, bodyTypes = [] } of routes) {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`);
    const served = byPath.get(path) ?? { pattern, methods: new Set(['OPTIONS']), patchTypes: [] };
    served.methods.add(method);
    if (method === 'GET') served.methods.add('HEAD');
    if (method === 'PATCH') served.patchTypes.push(...bodyTypes);
    byPath.set(path, served);
  }
  return [...byPath.values()];
}

/** An id or a name in a path, whatever it is. */
const ID_SEGMENT = new RegExp(`/${UUID}(?=/|$)`, 'gi');

/** The path of the table that somebody probably meant; undefined: none is near. `v1` is easily forgotten. */
function nearestPath(path: string, routes: readonly ServedRoute[]): string | undefined {
  const byShape = new Map(routes.map((route) => [route.path.replace(/\{\w+\}/g, '*'), route.path]));
  const shapes = [...byShape.keys()];
  const asked = path.replace(ID_SEGMENT, '/*').replace(/\/+$/, '');
  const near = byShape.has(`/v1${asked}`) ? `/v1${asked}` : nearest(asked, shapes);
  return near === undefined ? undefined : byShape.get(near);
}

export function createUnknownPathHandler(routes: readonly ServedRoute[]) {
  const paths = servedPaths(routes);
  return (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = instanceOf(request);
    const served = paths.find(({ pattern }) => pattern.test(path));
    if (served === undefined) {
      const near = nearestPath(path, routes);
      const meant = near === undefined ? '' : ` Did you mean ${near}?`;
      const detail = `No route is ${JSON.stringify(path.slice(0, 200))}.${meant} GET /docs shows the API, GET /v1/openapi.json describes it.`;
      void reply.header('link', LINKS);
      return sendProblem(new Problem('not_found', detail), request, reply);
    }
    const allow = [...served.methods].sort().join(', ');
    void reply.header('allow', allow);
    if (served.patchTypes.length > 0) void reply.header('accept-patch', served.patchTypes.join(', '));
    if (request.method === 'OPTIONS') return reply.code(204).send();
    const detail = `${request.method} is not for this path; it takes ${allow}.`;
    return sendProblem(new Problem('method_not_allowed', detail), request, reply);
  };
}
