/** Answers bytes that are no HTTP request, which never reach a route. */
import type { Socket } from 'node:net';
import { v7 as uuidv7 } from 'uuid';
import { Problem } from '../api/problem.ts';
import { PROBLEM_MEDIA_TYPE, problemBody } from './problem-answer.ts';

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than 16 KiB. Send fewer or shorter ones.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in full in time. Send it again.',
};

/** Node's `clientError` (docs: http.Server): the socket is answered by hand and closed. */
export function refuseBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const detail = DETAILS[error.code ?? ''] ?? 'This is not a request of HTTP/1.1. Look at what sends it.';
  const body = problemBody(new Problem('malformed_request', detail, { cause: error }), uuidv7(), '/');
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${PROBLEM_MEDIA_TYPE}\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
