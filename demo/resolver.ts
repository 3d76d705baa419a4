import { type Answer, RECURSION_AVAILABLE, type StringAnswer, decode, encode } from 'dns-packet';
import { writeFile } from 'node:fs/promises';
import { type Http2SecureServer, createSecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';

/** Names that exist nowhere else (RFC 2606), at addresses beside the demo's own ranges. */
const ZONE: readonly Answer[] = [
  { name: 'www.books.example', type: 'CNAME', ttl: 300, data: 'edge.books.example' },
  { name: 'edge.books.example', type: 'A', ttl: 60, data: '11.23.0.10' },
  { name: 'edge.books.example', type: 'A', ttl: 60, data: '11.23.0.11' },
  { name: 'edge.books.example', type: 'AAAA', ttl: 60, data: '2600:78::10' },
  { name: 'www.bikes.example', type: 'A', ttl: 60, data: '11.23.7.1' },
];

/** A resolver that speaks DNS over HTTPS (RFC 8484), with a certificate of its own. */
export interface Resolver {
  readonly url: string;
  /** File with its certificate, for NODE_EXTRA_CA_CERTS. */
  readonly certificateFile: string;
  close(): void;
}

export async function startResolver(directory: string): Promise<Resolver> {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'demo resolver' }], {
    keyType: 'ec',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const certificateFile = join(directory, 'resolver.pem');
  await writeFile(certificateFile, cert);
  const server = createSecureServer({ key, cert });
  answerQuestions(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://localhost:${port}/dns-query{?dns}`,
    certificateFile,
    close: () => server.close(),
  };
}

/** Questions come by POST (RFC 8484 section 4.1), which is what the service does unless a setting says otherwise. */
function answerQuestions(server: Http2SecureServer): void {
  server.on('stream', (stream) => {
    buffer(stream)
      .then((question) => {
        stream.respond({ ':status': 200, 'content-type': 'application/dns-message' });
        stream.end(answerTo(question));
      })
      .catch(() => stream.close()); // nothing that the service asked
  });
}

function answerTo(question: Buffer): Buffer {
  const { id, questions } = decode(question);
  const { name, type } = questions![0]!;
  const answers = answersTo(name, type);
  return encode({
    type: 'response',
    id: id ?? 0,
    flags: RECURSION_AVAILABLE,
    questions: questions!,
    answers,
  });
}

/** The chain of aliases from `name`, and what its end has of `type`. */
function answersTo(name: string, type: string): Answer[] {
  const own = ZONE.filter((answer) => answer.name === name);
  const alias = own.find((answer): answer is StringAnswer => answer.type === 'CNAME');
  return alias === undefined
    ? own.filter((answer) => answer.type === type)
    : [alias, ...answersTo(alias.data, type)];
}
