import { expect, test } from 'vitest';
import { sessionChange } from '../../src/speakers/session-settings.ts';
import type { PeerModel, SpeakerModel } from '../../src/speakers/speaker.ts';
import { peerModel, speakerModel } from './builtin/models.ts';

const speaker: SpeakerModel = speakerModel([]);
const peer: PeerModel = peerModel({ address: '192.0.2.1', gracefulRestart: true });

function changeOf(after: Partial<PeerModel>, of: SpeakerModel = speaker) {
  return sessionChange({ speaker, peer }, { speaker: of, peer: { ...peer, ...after } });
}

test('what no router notices keeps the session', () => {
  expect(changeOf({})).toBe('same');
  expect(changeOf({ name: 'another', maxPrefixesOut: 7, labels: ['65000:1'] })).toBe('same');
  expect(changeOf({ restartTime: 120 }), 'the default, said').toBe('same');
});

test('settings of the session itself begin another, in which a peer with graceful restart keeps its routes', () => {
  for (const after of [
    { holdTime: 30 },
    { restartTime: 60 },
    { port: 1_179 },
    { families: ['ipv6'] },
  ] as const)
    expect(changeOf(after), JSON.stringify(after)).toBe('restarted');
});

test('who we are to the peer, or no graceful restart, takes its routes away', () => {
  const asn = peer.remoteAsn + 1;
  for (const after of [
    { address: '192.0.2.99' },
    { remoteAsn: asn },
    { localAsn: asn },
    { gracefulRestart: false },
  ])
    expect(changeOf(after), JSON.stringify(after)).toBe('replaced');
  expect(changeOf({}, { ...speaker, routerId: '192.0.2.250' })).toBe('replaced');
});
