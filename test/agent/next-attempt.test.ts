/** A node reports when sessions are tried next, to a service that has said that it takes that: older ones refuse what they do not know. */
import { afterEach, expect, test } from 'vitest';
import { document } from '../bundle/sample.ts';
import { freePort } from '../daemons/machine/ports.ts';
import { waitFor } from '../daemons/wait.ts';
import { goodBundle, playNode, type PlayedNode } from './played.ts';

let node: PlayedNode | undefined;
afterEach(() => node?.close());

test('to whoever takes it, and to nobody who may not', async () => {
  const [router] = document.speaker.peers;
  const peer = { ...router!, address: '127.0.0.1', port: await freePort(), password: null };
  const speaker = { ...document, speaker: { ...document.speaker, localIpv4: null, peers: [peer] } };
  const { bytes, latest } = goodBundle({}, 1, { speaker });
  node = await playNode(({ path }) => ({ body: path.includes('/latest') ? latest : bytes }));
  const { plane } = node;
  const members = (): boolean[] =>
    node!
      .reports()
      .flatMap(({ daemon: { sessions } }) =>
        sessions.slice(0, 1).map((session) => 'next_attempt_at' in session),
      );
  await waitFor(() => members().length >= 2, { what: 'reports with the session' });
  expect(members()).not.toContain(true);

  plane.take = () => ({ body: '{"accepted":true,"session_members":["next_attempt_at"]}' });
  await waitFor(() => members().includes(true), { what: 'reports with the next attempt' });
  const moment = await waitFor(() => node!.reports().at(-1)?.daemon.sessions[0]?.next_attempt_at ?? false, {
    what: 'a planned attempt',
  });
  expect(Math.abs(Date.parse(moment) - Date.now())).toBeLessThan(120_000);

  // Another process of the service, of before, answers in its place.
  plane.take = () => ({ status: 400, body: '{"code":"invalid_request","detail":"next_attempt_at"}' });
  const refused = members().length;
  await waitFor(() => members().length >= refused + 2, { what: 'reports after a refusal' });
  expect(members().at(-1)).toBe(false);
});
