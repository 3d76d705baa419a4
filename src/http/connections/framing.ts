/**
 * What every request must bring before anybody looks at its path: one Host, and no expectation that this server does not meet. Node
 * would answer these by itself, without a body.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../../api/problems/problem.ts';
import { writeProblem } from './broken-request.ts';

/** Options of node's HTTP server that leave refusals to {@link framingProblem}. */
export const FRAMING_OPTIONS = { requireHostHeader: false } as const;

/** @returns null for a request that is in order */
export function framingProblem({ headers, rawHeaders, httpVersion }: IncomingMessage): Problem | null {
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue')
    return new Problem(
      'expectation_failed',
      'Of all expectations this service meets 100-continue only. Leave the header Expect out.',
    );
  const hosts = countHosts(rawHeaders);
  if (hosts > 1)
    return new Problem('malformed_request', 'The header Host is there more than once. Send one.');
  if (hosts === 0 && httpVersion !== '1.0')
    return new Problem(
      'malformed_request',
      'The header Host is missing. HTTP/1.1 requires it (RFC 9112, section 3.2).',
    );
  return null;
}

/** Names stand at even places. The parsed headers hold the first Host only. */
function countHosts(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count++;
  }
  return count;
}

/** Sends requests that node keeps apart the way of all others, where they get a problem document and a line of log. */
export function refuseStrangeRequests(server: Server): void {
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    writeProblem(
      socket,
      new Problem('method_not_allowed', 'This service is not a proxy: it does not serve CONNECT.'),
      ['Allow: '],
    );
  });
}
