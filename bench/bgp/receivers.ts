/** Routers that do nothing but count: one socket takes every session, and only prefixes are looked at. Asked by fan-out.ts over IPC. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { encodeKeepalive } from '../../src/bgp/message.ts';
import { offerOpen } from '../../src/bgp/negotiation.ts';
import { encodeOpen } from '../../src/bgp/open.ts';

export type ToReceivers =
  | { readonly kind: 'listen'; readonly asn: number }
  | { readonly kind: 'await'; readonly sessions: number; readonly routes: number };

export interface FromReceivers {
  readonly port: number;
}

const HEADER = 19;
const OPEN = 1;
const UPDATE = 2;

let port = 0;
let wanted = { sessions: Infinity, routes: 0 };
/** Routes of each session so far. */
const counts = new Map<Socket, number>();

process.on('message', (question: ToReceivers) => {
  if (question.kind === 'await') {
    wanted = question;
    tellWhenDone();
    return;
  }
  const server = createServer((socket) => receive(socket, question.asn));
  server.listen(0, '0.0.0.0', () => {
    port = (server.address() as AddressInfo).port;
    process.send!({ port } satisfies FromReceivers);
  });
});

function tellWhenDone(): void {
  const done = [...counts.values()].filter((count) => count >= wanted.routes).length;
  if (done >= wanted.sessions) process.send!({ port } satisfies FromReceivers);
}

function receive(socket: Socket, asn: number): void {
  counts.set(socket, 0);
  socket.on('error', () => undefined);
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    let routes = 0;
    for (; rest.length - at >= HEADER; at += rest.readUInt16BE(at + 16)) {
      const length = rest.readUInt16BE(at + 16);
      if (rest.length - at < length) break;
      const type = rest[at + 18];
      if (type === OPEN) greet(socket, asn);
      else if (type === UPDATE) routes += countPrefixes(rest.subarray(at + HEADER, at + length));
    }
    rest = rest.subarray(at);
    const before = counts.get(socket)!;
    counts.set(socket, before + routes);
    if (before < wanted.routes && before + routes >= wanted.routes) tellWhenDone();
  });
}

function greet(socket: Socket, asn: number): void {
  const open = offerOpen(
    {
      ...{ localAsn: asn, remoteAsn: null, identifier: 0x0a000001, holdTime: 90, families: ['ipv4'] },
      ...{ restartTime: null, passive: true },
    },
    false,
  );
  socket.write(Buffer.concat([encodeOpen(open), encodeKeepalive()]));
}

/** Prefixes behind the attributes (RFC 4271 section 4.3). */
function countPrefixes(body: Buffer): number {
  const withdrawn = body.readUInt16BE(0);
  let at = 4 + withdrawn + body.readUInt16BE(2 + withdrawn);
  let count = 0;
  for (; at < body.length; count++) at += 1 + Math.ceil(body[at]! / 8);
  return count;
}
