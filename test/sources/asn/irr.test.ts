import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { IrrSource } from '../../../src/sources/asn/irr.ts';
import { IrrReplyReader } from '../../../src/sources/asn/irr-replies.ts';
import { waitFor } from '../../daemons/wait.ts';
import { askFor, errorOf, prefixesOf } from './asking.ts';
import { irrTalk } from './servers.ts';
import { startTcpServer } from '../lists/list-server.ts';

const RETRY = { attempts: 2, firstMs: 10, longestMs: 50 };
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(talk: (socket: Socket) => void, times: { replyMs?: number; idleMs?: number } = {}) {
  const server = await startTcpServer(talk);
  const source = new IrrSource({ host: '127.0.0.1', port: server.port }, times, RETRY);
  closers.push(
    () => server.close(),
    () => source.close(),
  );
  return source;
}

test.each([1, 7, 100_000])('routes of both families, in replies cut every %s bytes', async (pieceBytes) => {
  const irr = irrTalk(pieceBytes);
  irr.routes.set('!gAS3333', '193.0.0.0/21 193.0.10.0/23 10.0.0.0/8');
  irr.routes.set('!6AS3333', '2001:67c:2e8::/48');
  irr.routes.set('!gAS1', '');
  const answers = await askFor(await start(irr.talk), [3333, 1, 64496]);
  expect(prefixesOf(answers.get(3333))).toEqual(['193.0.0.0/21', '193.0.10.0/23', '2001:67c:2e8::/48']);
  expect(answers.get(3333)).toMatchObject({ bogons: { count: 1 }, etag: null });
  expect(prefixesOf(answers.get(1))).toEqual([]);
  expect(prefixesOf(answers.get(64496))).toEqual([]);
  expect(irr.lines.slice(0, 2)).toEqual(['!!', '!nprefixcast']);
});

test('thousands of queries go over one connection, which stays open for the next refresh', async () => {
  const irr = irrTalk(100_000);
  const asns = Array.from({ length: 2_000 }, (_, index) => 200_000 + index);
  const prefixOf = (asn: number): string => `45.${(asn >> 8) & 255}.${asn & 255}.0/24`;
  for (const asn of asns) irr.routes.set(`!gAS${asn}`, prefixOf(asn));
  const source = await start(irr.talk);
  const answers = await askFor(source, asns);
  for (const asn of asns) expect(prefixesOf(answers.get(asn))).toEqual([prefixOf(asn)]);
  await askFor(source, [200_000]);
  expect(irr.connections).toBe(1);
});

test('queries are sent before the replies to earlier ones have come', async () => {
  let lines = 0;
  const waiting: (() => void)[] = [];
  const source = await start((socket) => {
    socket.on('data', (chunk) => {
      const asked = chunk
        .toString()
        .split('\n')
        .filter((line) => /^!(g|6|n)/.test(line));
      lines += asked.length;
      waiting.push(() => socket.write('C\n'.repeat(asked.length)));
      // Nothing is answered before all is asked.
      if (lines >= 21) for (const answer of waiting.splice(0)) answer();
    });
  });
  const answers = await askFor(source, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(answers.size).toBe(10);
  expect(lines).toBe(21);
});

test('a refusal fails its AS alone, and never as half of the families', async () => {
  const irr = irrTalk();
  irr.routes.set('!gAS1', '45.0.0.0/24');
  irr.routes.set('!6AS1', 'F Database is busy\n');
  irr.routes.set('!gAS2', '45.0.2.0/24');
  irr.routes.set('!gAS3', 'E\n');
  const answers = await askFor(await start(irr.talk), [1, 2, 3]);
  expect(errorOf(answers.get(1))).toMatchObject({ code: 'source_refused_query' });
  expect(errorOf(answers.get(1)).message).toContain('!6AS1: Database is busy');
  expect(prefixesOf(answers.get(2))).toEqual(['45.0.2.0/24']);
  expect(errorOf(answers.get(3)).message).toContain('not unique');
});

test('a connection that breaks is made again, and what was under way is asked again', async () => {
  const irr = irrTalk();
  irr.routes.set('!gAS1', '45.0.0.0/24');
  let broken = 0;
  const source = await start((socket) => {
    if (broken++ > 0) irr.talk(socket);
    else socket.once('data', () => socket.write('C\nA12\n45.0', () => socket.destroy()));
  });
  expect(prefixesOf((await askFor(source, [1])).get(1))).toEqual(['45.0.0.0/24']);
  expect(broken).toBe(2);
});

test.each([
  ['says nothing', () => undefined, 'source_timeout', 'did not answer within'],
  ['drips', (socket: Socket) => drip(socket), 'source_timeout', 'did not answer within'],
  [
    'is no IRRd',
    (socket: Socket) => socket.write('220 mail.example ESMTP\n'),
    'source_unparseable',
    '220 mail',
  ],
  ['floods', (socket: Socket) => socket.write('A99999999\n'), 'source_too_large', '99999999'],
  ['has no line end', (socket: Socket) => socket.write('x'.repeat(10_000)), 'source_unparseable', 'xxx'],
  ['closes', (socket: Socket) => socket.end(), 'source_unreachable', 'closed'],
])('a server that %s fails every AS', async (_, talk, code, words) => {
  // What is said wrong is faster than what is not said, also on a busy machine.
  const replyMs = code === 'source_timeout' ? 300 : 60_000;
  const source = await start((socket) => void talk(socket.on('data', () => undefined)), { replyMs });
  const answers = await askFor(source, [1, 2]);
  for (const asn of [1, 2]) {
    expect(errorOf(answers.get(asn))).toMatchObject({ code });
    expect(errorOf(answers.get(asn)).message).toContain(words);
  }
});

test('no server at all fails every AS, soon even for thousands', async () => {
  const server = await startTcpServer(() => undefined);
  await server.close();
  const source = new IrrSource({ host: '127.0.0.1', port: server.port }, {}, RETRY);
  const answers = await askFor(
    source,
    Array.from({ length: 3_000 }, (_, index) => index + 1),
  );
  expect(answers.size).toBe(3_000);
  expect(errorOf(answers.get(3_000))).toMatchObject({ code: 'source_unreachable' });
});

test('a server that answers nobody is left alone after some ASes', async () => {
  let connections = 0;
  const source = await start((socket) => {
    connections++;
    socket.destroy();
  });
  const asns = Array.from({ length: 3_000 }, (_, index) => index + 1);
  const answers = await askFor(source, asns);
  for (const asn of asns) expect(errorOf(answers.get(asn))).toMatchObject({ code: 'source_unreachable' });
  // Some 25; one for each eight ASes, if it went on.
  expect(connections).toBeLessThan(100);
});

test('what was not asked is the fault of the server, and no answer to the next question', async () => {
  const irr = irrTalk();
  irr.routes.set('!gAS2', '45.0.2.0/24');
  let connections = 0;
  const source = await start((socket) => {
    if (connections++ > 0) return irr.talk(socket);
    socket.on('data', (chunk) => {
      const asked = [...chunk.toString().matchAll(/^!(?:g|6|n)/gm)].map(([command]) => command);
      socket.write('C\n'.repeat(asked.length + (asked.includes('!6') ? 1 : 0)));
    });
  });
  await askFor(source, [1]);
  expect(prefixesOf((await askFor(source, [2])).get(2))).toEqual(['45.0.2.0/24']);
  expect(connections).toBe(2);
});

test('an idle connection takes its leave', async () => {
  const irr = irrTalk();
  await askFor(await start(irr.talk, { idleMs: 30 }), [1]);
  await waitFor(() => irr.lines.includes('!q'), { what: 'the connection to end', timeoutMs: 20_000 });
});

test('a cancelled job ends the asking', async () => {
  const cancel = new AbortController();
  const source = await start((socket) => socket.on('data', () => cancel.abort(new Error('cancelled'))));
  await expect(askFor(source, [1, 2], { signal: cancel.signal })).rejects.toThrow('cancelled');
});

describe('replies', () => {
  test('data may hold what looks like the end of a reply', () => {
    const replies = new IrrReplyReader().push(Buffer.from('A4\nC\nD\nC\nD\n'));
    expect(replies).toEqual([{ kind: 'data', bytes: Buffer.from('C\nD\n') }, { kind: 'nothing' }]);
  });

  test('data that is longer than announced is reported', () => {
    expect(() => new IrrReplyReader().push(Buffer.from('A4\n1.2.3.0/24\nC\n'))).toThrow('no IRRd server');
  });
});

function drip(socket: Socket): void {
  const timer = setInterval(() => socket.write('F'), 50);
  socket.once('close', () => clearInterval(timer));
}
