/** Routers that `why` names because they, or their speakers, are disabled: the route is announced, and they are without it. */
import { beforeAll, expect, test } from 'vitest';
import { useDesk } from '../desk/desk.ts';

const desk = useDesk();
const { mustType } = desk;

beforeAll(async () => {
  for (const line of [
    'community create 64500:666 --title Drop',
    'community create 64500:7 --title Seen',
    'module create hosts --type IP_RANGES --community Drop',
    'entry add hosts 6.0.0.1/32 --wait',
    'speaker create second --asn 64513',
    'peer create edge1 --address 192.0.2.1 --asn 64496 --speaker second',
    'peer create edge2 --address 192.0.2.2 --asn 64496 --speaker second --community Drop',
    'peer create seen --address 192.0.2.3 --asn 64496 --speaker second --community Seen',
    'peer create both --address 192.0.2.4 --asn 64496',
  ])
    await mustType(line);
});

const TITLE = 'Routers that are not sent it:\n';

test('none where nothing is disabled, nor where nobody announces it', async () => {
  expect(await mustType('why 6.0.0.1')).not.toContain(TITLE);
  await mustType('speaker edit second --enabled no');
  expect((await desk.type('why 6.0.0.2')).out).not.toContain(TITLE);
});

test('those of a disabled speaker that no other one announces to, and that would be sent the route', async () => {
  const out = await mustType('why 6.0.0.1');
  expect(out).toMatch(/^6\.0\.0\.1 is announced\n {2}6\.0\.0\.1\/32 by builtin, with 64500:666 \(Drop\)\n/);
  expect(out).toContain(`${TITLE}  edge1, edge2: the speaker second is disabled\n`);
});

test('those that are disabled themselves', async () => {
  await mustType('peer edit both --enabled no');
  expect(await mustType('why 6.0.0.1 6.0.0.1/32')).toContain(
    `${TITLE}  edge1, edge2: the speaker second is disabled\n  both: disabled\n`,
  );
  await mustType('speaker edit second --enabled yes');
  expect(await mustType('why 6.0.0.1')).toContain(`${TITLE}  both: disabled\n`);
});
