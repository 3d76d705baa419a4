/** Routers that do nothing but count: one socket takes every session, and only prefixes are looked at. Asked over IPC. */
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { encodeKeepalive } from '../../src/bgp/message.ts';
import { offerOpen } from '../../src/bgp/negotiation.ts';
import { encodeOpen } from '../../src/bgp/open.ts';

export type ToReceivers =
  | { readonly kind: 'listen'; readonly asn: number }
  /** Answered when so many sessions are up with so many routes. */
  | { readonly kind: 'await'; readonly sessions: number; readonly routes: number }
  /** Answered when so many sessions have ended since this was asked. */
  | { readonly kind: 'await-ends'; readonly sessions: number };

export interface FromReceivers {
  readonly port: number;
  /** Sessions that are up. */
  readonly open: number;
  /** Sessions that have ended since an end was asked for last, and those of them of which a Hard Reset has told. */
  readonly ended: number;
  readonly told: number;
  /** When the last of them did, in milliseconds since 1970. */
  readonly lastEnd: number;
}

const HEADER = 19;
const OPEN = 1;
const UPDATE = 2;
const NOTIFICATION = 3;

let port = 0;
let wanted = { sessions: Infinity, routes: 0 };
let wantedEnds = Infinity;
let ends = { ended: 0, told: 0, lastEnd: 0 };
/** Routes of each session so far. */
const counts = new Map<Socket, number>();

process.on('message', (question: ToReceivers) => {
  if (question.kind === 'await') {
    wanted = question;
    tellWhenDone();
    return;
  }
  if (question.kind === 'await-ends') {
    wantedEnds = question.sessions;
    // What is asked for nothing is how many have ended by now.
    if (wantedEnds > 0) ends = { ended: 0, told: 0, lastEnd: 0 };
    tellWhenEnded();
    return;
  }
  const server = createServer((socket) => receive(socket, question.asn));
  server.listen(0, '0.0.0.0', () => {
    port = (server.address() as AddressInfo).port;
    tell();
  });
});

function tell(): void {
  process.send!({ port, open: counts.size, ...ends } satisfies FromReceivers);
}

function tellWhenDone(): void {
  const done = [...counts.values()].filter((count) => count >= wanted.routes).length;
  if (done < wanted.sessions) return;
  wanted = { sessions: Infinity, routes: 0 };
  tell();
}

function tellWhenEnded(): void {
  if (ends.ended < wantedEnds) return;
  wantedEnds = Infinity;
  tell();
}

function receive(socket: Socket, asn: number): void {
  counts.set(socket, 0);
  socket.on('error', () => undefined);
  let isTold = false;
  // A second connection that lost against the first (RFC 4271 section 6.8) was no session.
  socket.on('close', () => {
    const routes = counts.get(socket)!;
    counts.delete(socket);
    if (routes === 0) return;
    ends = { ended: ends.ended + 1, told: ends.told + (isTold ? 1 : 0), lastEnd: Date.now() };
    tellWhenEnded();
  });
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
      else if (type === NOTIFICATION) isTold = isHardReset(rest.subarray(at + HEADER));
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
      // They send no KEEPALIVE, and so ask for none.
      ...{ localAsn: asn, remoteAsn: null, identifier: 0x0a000001, holdTime: 0, families: ['ipv4'] },
      ...{ restartTime: 120, passive: true },
    },
    false,
  );
  socket.write(Buffer.concat([encodeOpen(open), encodeKeepalive()]));
}

/** After any other, routes stay for a while where both sides have graceful restart (RFC 8538 section 3). */
function isHardReset(notification: Buffer): boolean {
  return notification[0] === 6 && notification[1] === 9;
}

/** Prefixes behind the attributes (RFC 4271 section 4.3). */
function countPrefixes(body: Buffer): number {
  const withdrawn = body.readUInt16BE(0);
  let at = 4 + withdrawn + body.readUInt16BE(2 + withdrawn);
  let count = 0;
  for (; at < body.length; count++) at += 1 + Math.ceil(body[at]! / 8);
  return count;
}
