import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Peer } from '../../../src/api/speakers/peers.ts';
import { isOn, peersBySpeaker } from '../../../src/control/models/speaker-model.ts';
import '../../fuzz.ts';

const SPEAKERS = ['a', 'b', 'c'];

test('peers of many speakers at once are those of each by itself, in their order', () => {
  const peer = fc.record({
    id: fc.uuid(),
    enabled: fc.boolean(),
    // Also of speakers that are not asked for.
    speaker_ids: fc.uniqueArray(fc.constantFrom(...SPEAKERS, 'other'), { maxLength: 4 }),
  }) as unknown as fc.Arbitrary<Peer>;
  fc.assert(
    fc.property(fc.array(peer, { maxLength: 12 }), (peers) => {
      const found = peersBySpeaker(peers, SPEAKERS);
      expect([...found.keys()]).toEqual(SPEAKERS);
      for (const id of SPEAKERS) expect(found.get(id)).toEqual(peers.filter((one) => isOn(one, id)));
    }),
  );
});
