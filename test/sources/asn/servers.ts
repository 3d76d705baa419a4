/** Real servers on loopback that answer about ASes as the public ones do. */
import { hash } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Answer } from '../lists/list-server.ts';

/** Prefix to the ends of its timelines; NOW is still announced. */
export type Announcements = Readonly<Record<string, readonly string[]>>;

export const NOW = '2026-10-24T08:00:00';
const BEFORE = '2026-10-10T08:00:00';

/** The body of an announced-prefixes answer. */
export function ripestatBody(asn: number, announced: Announcements, more: object = {}): string {
  const prefixes = Object.entries(announced).map(([prefix, ends]) => ({
    prefix,
    timelines: ends.map((endtime) => ({ starttime: BEFORE, endtime })),
  }));
  return JSON.stringify({
    messages: [['info', 'Results exclude routes with very low visibility (made up for a test).']],
    see_also: [],
    version: '1.2',
    data_call_name: 'announced-prefixes',
    data_call_status: 'supported',
    cached: false,
    status: 'ok',
    status_code: 200,
    data: {
      prefixes,
      query_starttime: BEFORE,
      query_endtime: NOW,
      resource: String(asn),
      latest_time: NOW,
      earliest_time: '2000-08-01T00:00:00',
    },
    ...more,
  });
}

/** Answers each AS with what is announced, its body's own entity tag, and 304 to who knows it. Others announce nothing. */
export function ripestatAnswers(announced: Map<number, Announcements>): Answer {
  return (request, response) => {
    const asn = Number(new URL(request.url!, 'http://x').searchParams.get('resource')?.replace('AS', ''));
    const body = ripestatBody(asn, announced.get(asn) ?? {});
    const etag = `"${hash('sha256', body, 'base64url')}"`;
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
    response.writeHead(200, { 'content-type': 'application/json', etag }).end(body);
  };
}

export interface IrrTalk {
  /** Every line that a client sent. */
  readonly lines: string[];
  connections: number;
  /** The route objects: query (`!gAS1`, `!6AS1`) to its data, or a whole reply that begins with a letter and ends in LF. */
  readonly routes: Map<string, string>;
  readonly talk: (socket: Socket) => void;
}

/** Speaks as IRRd does on one end of a connection. Replies are cut into pieces of `pieceBytes`. */
export function irrTalk(pieceBytes = 7): IrrTalk {
  const irr: IrrTalk = {
    lines: [],
    connections: 0,
    routes: new Map(),
    talk(socket) {
      irr.connections++;
      let rest = '';
      let many = false;
      socket.on('data', (chunk) => {
        const lines = (rest + chunk.toString()).split('\n');
        rest = lines.pop()!;
        let out = '';
        for (const line of lines) {
          irr.lines.push(line);
          if (line === '!!') many = true;
          else if (line === '!q') return void socket.end();
          else if (line.startsWith('!n')) out += 'C\n';
          else out += replyTo(irr.routes.get(line));
        }
        for (let at = 0; at < out.length; at += pieceBytes) socket.write(out.slice(at, at + pieceBytes));
        if (!many) socket.end();
      });
    },
  };
  return irr;
}

function replyTo(data: string | undefined): string {
  if (data === undefined) return 'D\n';
  if (data.endsWith('\n')) return data;
  return data === '' ? 'C\n' : `A${data.length + 1}\n${data}\nC\n`;
}
