/** A DoH server on loopback that says whatever a test wants, right or wrong. */
import { type Answer, type DecodedPacket, RECURSION_AVAILABLE, decode, encode } from 'dns-packet';
import {
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  createSecureServer,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { type Certificates, makeCertificates, trust } from '../../daemons/certificates.ts';

/** A question as it came. */
export interface Asked {
  readonly name: string;
  readonly type: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly message: DecodedPacket;
}

/** Bytes of the answer, or a function that does with the stream what it wants. */
export type DohReply = Buffer | ((stream: ServerHttp2Stream) => void);

export interface DohServer {
  readonly port: number;
  /** `https://localhost:port/dns-query{?dns}` */
  readonly url: string;
  readonly certificates: Certificates;
  readonly asked: Asked[];
  /** Connections so far. */
  readonly connections: number;
  answer: (asked: Asked) => DohReply;
  /** Ends every connection at once. */
  drop(): void;
  close(): Promise<void>;
}

/** The certificate, which this process trusts from now on, is for `localhost` and `dns.test`. */
export async function startDohServer(): Promise<DohServer> {
  const certificates = makeCertificates(['DNS:localhost', 'DNS:dns.test']);
  trust(certificates);
  const asked: Asked[] = [];
  const sessions = new Set<ServerHttp2Session>();
  let connections = 0;
  const server: Http2Server = createSecureServer({ key: certificates.key, cert: certificates.cert });
  server.on('session', (session) => {
    connections++;
    sessions.add(session);
    session.on('error', () => undefined).once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const path = headers[':path'] ?? '';
      const inPath = new URL(path, 'https://x').searchParams.get('dns');
      const body = Buffer.concat(chunks);
      const message = decode(inPath === null ? body : Buffer.from(inPath, 'base64url'));
      const { name, type } = message.questions![0]!;
      const question = { name, type, method: headers[':method'] ?? '', path, headers, message };
      asked.push(question);
      const reply = started.answer(question);
      if (typeof reply === 'function') reply(stream);
      else stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
      if (typeof reply !== 'function') stream.end(reply);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const started: DohServer = {
    port,
    url: `https://localhost:${port}/dns-query{?dns}`,
    certificates,
    asked,
    get connections() {
      return connections;
    },
    answer: (question) => replyTo(question),
    drop() {
      for (const session of sessions) session.destroy();
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const session of sessions) session.destroy();
      await closed;
      certificates.remove();
    },
  };
  return started;
}

/** What a wrong answer has in place of the right. */
export interface Wrong {
  readonly id?: number;
  readonly name?: string;
  readonly flags?: number;
  readonly rcode?: number;
  readonly authorities?: Answer[];
  readonly additionals?: Answer[];
}

/** A well-formed answer of these records. */
export function replyTo(
  { message }: Pick<Asked, 'message'>,
  answers: Answer[] = [],
  wrong: Wrong = {},
): Buffer {
  const { id = 0, name, flags = 0, rcode = 0, authorities = [], additionals = [] } = wrong;
  const questions = message.questions!.map((question) => ({
    ...question,
    ...(name === undefined ? {} : { name }),
  }));
  return encode({
    type: 'response',
    id,
    flags: RECURSION_AVAILABLE | flags | rcode,
    ...{ questions, answers, authorities, additionals },
  });
}

export function a(name: string, data: string, ttl = 300): Answer {
  return { type: data.includes(':') ? 'AAAA' : 'A', name, data, ttl };
}

export function cname(name: string, data: string, ttl = 300): Answer {
  return { type: 'CNAME', name, data, ttl };
}

/** Proof that there is nothing. */
export function soa(name: string): Answer {
  return { type: 'SOA', name, data: { mname: `ns.${name}`, rname: `root.${name}`, serial: 1 }, ttl: 60 };
}
