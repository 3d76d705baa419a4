/** What goes on until Ctrl-C goes on through a service that is away for longer than other commands wait for it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../daemons/wait.ts';
import { startCasting, type Casting } from '../../e2e/casting.ts';
import { testProgram } from '../../program.ts';

/** Others give up after 30 s. */
const AWAY_MILLISECONDS = 35_000;

let casting: Casting;
const logs = mkdtempSync(join(tmpdir(), 'prefixcast-logs-'));
const children: ChildProcess[] = [];
let edits = 0;
beforeAll(async () => {
  casting = await startCasting({ APP_RUNTIME_LOGS_DIR: logs });
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await casting?.close();
  rmSync(logs, { recursive: true });
});

/** A command that goes on, and what it has said so far. */
function begin(...words: string[]) {
  const { url: PREFIXCAST_URL, key: PREFIXCAST_KEY } = casting.service;
  const nowhere = { HOME: '/nonexistent', APP_DATA_DIR: '/nonexistent' };
  const env = { PATH: process.env.PATH, ...nowhere, PREFIXCAST_URL, PREFIXCAST_KEY };
  const child = spawn(process.execPath, [testProgram(), ...words], { env });
  children.push(child);
  const said = { child, out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (part: string) => (said.out += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (said.err += part));
  return said;
}

test('session watch, logs -f and events go on when the service is back, and miss no line', async () => {
  const path = join(logs, 'other.log');
  writeFileSync(path, '{"level":40,"msg":"before"}\n');
  const watching = begin('session', 'watch');
  const following = begin('logs', 'other.log', '-f');
  const seeing = begin('events', '--kind', 'audit');
  const all = [watching, following, seeing];
  const details = (): string =>
    JSON.stringify(
      all.map(({ out, err }) => ({ out, err })),
      null,
      1,
    );
  const shows = (what: string, isThere: () => boolean) => waitFor(isThere, { what, details });
  const addPeer = (name: string, address: string) =>
    casting.service.post<{ id: string }>('/v1/peers', { name, address, remote_asn: 64500 });
  await addPeer('early', '192.0.2.1');
  await shows('the first session', () => watching.out.includes('early'));
  await shows('the first line', () => following.out.includes('before'));

  await casting.service.stop();
  appendFileSync(path, '{"level":40,"msg":"meanwhile"}\n');
  await sleep(AWAY_MILLISECONDS); // for commands that give up
  expect(
    all.map(({ child }) => child.exitCode),
    details(),
  ).toEqual([null, null, null]);
  for (const { err } of all) expect(err, details()).toContain('trying again in');
  // What has taken its port is named, and is no reason to end.
  const foreign = createServer((_, answer) => {
    answer.writeHead(404, { server: 'SomethingElse/1.0', 'content-type': 'text/html' }).end('<p>Not here');
  });
  const { hostname, port } = new URL(casting.service.url);
  await new Promise<void>((resolve) => foreign.listen(Number(port), hostname, resolve));
  await shows('what answers', () =>
    all.every(({ err }) => err.includes('another program answers there, with 404 (SomethingElse/1.0)')),
  );
  foreign.closeAllConnections();
  await new Promise((resolve) => foreign.close(resolve));
  expect(
    all.map(({ child }) => child.exitCode),
    details(),
  ).toEqual([null, null, null]);
  await casting.restart();
  appendFileSync(path, '{"level":40,"msg":"after"}\n');
  await addPeer('late', '192.0.2.2');
  await shows('the second session', () => watching.out.includes('late'));
  await shows('the last line', () => following.out.includes('after'));
  expect(following.out.match(/before|meanwhile|after/g)).toEqual(['before', 'meanwhile', 'after']);
  // Not only at the beginning of the new stream.
  appendFileSync(path, '{"level":40,"msg":"later"}\n');
  await shows('a line of the stream', () => following.out.endsWith('"later"}\n'));
  // It sees what happens from when it is there again.
  await waitFor(
    async () => {
      await casting.service.call('PATCH', '/v1/settings', { guard_max_change_percent: 40 + (edits++ % 2) });
      return seeing.out.includes('settings');
    },
    { what: 'an event', details, everyMs: 500 },
  );
  for (const { child } of all) child.kill('SIGINT');
  await shows('the end', () => all.every(({ child }) => child.exitCode !== null));
  expect(
    all.map(({ child }) => child.exitCode),
    details(),
  ).toEqual([0, 0, 0]);
});
