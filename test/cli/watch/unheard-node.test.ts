/** Peers of a node of which nothing is known, as after a restore: they are shown, and counted as what they are. */
import { expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';
import { enrollNode } from '../desk/silent-node.ts';

const desk = useDesk();
const { type, mustType } = desk;

test('a node that has enrolled, and has yet to report its sessions', async () => {
  const { service } = desk.casting;
  await enrollNode(service.url, service.key);
  await mustType('peer create off --address 192.0.2.10 --asn AS64500 --speaker edge --enabled no');
  // One whose machine has yet to enroll has no session that could be up.
  await mustType('speaker create later --mode agent --asn 64512 --yes');
  await mustType('peer create other --address 192.0.2.11 --asn AS64500 --speaker later');

  const listed = await mustType('session list');
  expect(listed).toMatch(/^router +edge +unknown +- +192\.0\.2\.19 +64500 /m);
  expect(listed).not.toMatch(/^(off|other) /m);
  const { items } = JSON.parse(await mustType('session list -o json')) as { items: object[] };
  expect(items).toMatchObject([
    { peer_name: 'router', speaker: 'edge', state: 'unknown', was_established: null, routes_exported: null },
  ]);

  const status = await type('status');
  expect(status.out).toMatch(/, sessions 0 of 1 up, 1 unknown$/m);
  expect(JSON.parse((await type('status -o json')).out)).toMatchObject({
    sessions: { up: 0, unknown: 1, total: 1 },
  });
});
