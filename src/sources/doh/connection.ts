import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  type OutgoingHttpHeaders,
  connect as connectHttp2,
  constants,
} from 'node:http2';
import { isIP } from 'node:net';
import { type TLSSocket, checkServerIdentity, connect as connectTls } from 'node:tls';
import type { Reach } from '../../core/reach.ts';
import { addressRefusal, guardedLookup, refusedAddress } from '../fetch/address-guard.ts';
import { SourceError } from '../source-error.ts';

/** Maximum length of a DNS message (RFC 8484 section 6). */
const MAX_MESSAGE_BYTES = 65_535;

export interface DohPlace {
  readonly url: URL;
  /** Addresses to connect to instead of those of the URL's host, in order of preference; empty: the host's. */
  readonly bootstrapAddresses: readonly string[];
  /** Special-purpose networks that may be reached nevertheless. */
  readonly reach: Reach;
  /** Milliseconds to establish a connection. */
  readonly timeoutMs: number;
}

export interface HttpReply {
  readonly status: number;
  readonly contentType: string | null;
  readonly contentEncoding: string | null;
  readonly retryAfter: string | null;
  readonly body: Buffer;
}

/** One HTTP/2 connection to a resolver, with any number of concurrent requests. */
export class DohConnection {
  readonly #session: ClientHttp2Session;
  readonly #socket: TLSSocket;
  readonly #onEnd: () => void;

  private constructor(session: ClientHttp2Session, socket: TLSSocket, onEnd: () => void) {
    this.#session = session;
    this.#socket = socket;
    this.#onEnd = onEnd;
    // Errors are reported to the requests; without a listener they would end the process.
    session.on('error', () => undefined);
    for (const event of ['goaway', 'close'] as const) session.once(event, onEnd);
  }

  /**
   * Connects to the first address that accepts. The certificate must always be that of the URL's host.
   * @param onEnd called when the connection takes no more requests, possibly more than once
   * @throws SourceError, or the socket's error
   */
  static async open(place: DohPlace, onEnd: () => void): Promise<DohConnection> {
    const { url, bootstrapAddresses } = place;
    const hosts = bootstrapAddresses.length > 0 ? bootstrapAddresses : [hostOf(url)];
    let failure: unknown;
    for (const host of hosts) {
      try {
        const socket = await openSocket(host, place);
        const session = connectHttp2(url, {
          createConnection: () => socket,
          settings: { enablePush: false, maxHeaderListSize: 16_384 },
        });
        return new DohConnection(session, socket, onEnd);
      } catch (error) {
        failure ??= error;
      }
    }
    throw failure;
  }

  /** Bytes received so far: while they do not grow, the server is silent. */
  get bytesRead(): number {
    return this.#socket.bytesRead;
  }

  /** @throws SourceError for an answer that is too large, the signal's reason, or an error of HTTP/2 */
  request(headers: OutgoingHttpHeaders, body: Buffer | null, signal: AbortSignal): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request(headers, { endStream: body === null });
      const abort = (): void => {
        stream.close(constants.NGHTTP2_CANCEL);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
      stream.once('close', () => signal.removeEventListener('abort', abort));
      readReply(stream).then(resolve, (error: Error) => {
        stream.close(constants.NGHTTP2_CANCEL);
        reject(error);
      });
      if (body !== null) stream.end(body);
    });
  }

  /** Takes no more requests; pending ones may finish. */
  retire(): void {
    this.#session.close();
    this.#onEnd();
  }

  /** Closes the connection; pending requests fail. */
  close(): void {
    this.#session.destroy();
  }
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

async function openSocket(host: string, { url, reach, timeoutMs }: DohPlace): Promise<TLSSocket> {
  const reason = isIP(host) === 0 ? null : addressRefusal(host, reach);
  const port = url.port === '' ? 443 : Number(url.port);
  if (reason !== null) throw refusedAddress(host, port, reason);
  const name = hostOf(url);
  const socket = connectTls({
    host,
    port,
    ALPNProtocols: ['h2'],
    lookup: guardedLookup(reach),
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
    // Server names must not be addresses (RFC 6066 section 3).
    ...(isIP(name) === 0 ? { servername: name } : {}),
  });
  socket.setNoDelay(true);
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) });
    if (socket.alpnProtocol !== 'h2')
      throw new SourceError('source_unreachable', 'speaks no HTTP/2, which DNS over HTTPS needs.');
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    if ((error as Error).name !== 'AbortError') throw error;
    throw new SourceError('source_timeout', `did not accept a connection within ${timeoutMs / 1000} s.`);
  }
}

function readReply(stream: ClientHttp2Stream): Promise<HttpReply> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let head: Omit<HttpReply, 'body'> | null = null;
    stream.once('response', (headers) => {
      head = {
        status: headers[':status'] ?? 0,
        contentType: headers['content-type'] ?? null,
        contentEncoding: headers['content-encoding'] ?? null,
        retryAfter: headers['retry-after'] ?? null,
      };
    });
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MAX_MESSAGE_BYTES) chunks.push(chunk);
      else reject(new SourceError('source_too_large', 'sent more than the 65535 bytes of a DNS message.'));
    });
    stream.once('error', reject);
    // Only now is it known whether the server reset what looked like the end.
    stream.once('close', () => {
      const isWhole = stream.readableEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR;
      if (head !== null && isWhole) resolve({ ...head, body: Buffer.concat(chunks) });
      else reject(new BrokenStreamError());
    });
  });
}

/** The connection or the server ended the exchange before the answer was complete. */
class BrokenStreamError extends Error {
  readonly code = 'ECONNRESET';
}
