/** Answers bytes that are no HTTP request, which never reach a route. */
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { Problem, type ProblemCode } from '../../api/problems/problem.ts';
import { PROBLEM_MEDIA_TYPE, problemBody } from '../problem-answer.ts';

const FAULTS: Readonly<Record<string, readonly [ProblemCode, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    'The path and the headers are larger than 16 KiB. Send fewer or shorter ones.',
  ],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [
    'malformed_request',
    'The chunks of the body have extensions of more than 16 KiB. Leave the extensions out.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in full in time. Send it again.'],
};

/** Node's `clientError` (docs: http.Server): the socket is answered by hand and closed. */
export function refuseBrokenRequest(
  this: FastifyInstance,
  error: Error & { code?: string },
  socket: Socket,
): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [code, detail] = FAULTS[error.code ?? ''] ?? [
    'malformed_request',
    'This is not a request of HTTP/1.1. Check the program that sends it.',
  ];
  const problem = new Problem(code, detail, { cause: error });
  this.log.debug({ address: socket.remoteAddress, fault: error.code, code }, 'A request could not be read');
  writeProblem(socket, problem);
}

/** Answers on a socket that has no response object, and closes it. */
export function writeProblem(socket: Socket, problem: Problem, headers: readonly string[] = []): void {
  const requestId = uuidv7();
  const body = problemBody(problem, requestId, '/');
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    ...headers,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
