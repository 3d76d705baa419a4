import { describe, expect, test } from 'vitest';
import {
  readSpeakerDocument,
  type SpeakerDocument,
  writeSpeakerDocument,
} from '../../src/bundle/speaker-document.ts';
import type { LabelModel, PeerModel, RoutesModel, SpeakerModel } from '../../src/speakers/speaker.ts';
import { document, refusal } from './sample.ts';

type Written = SpeakerDocument['speaker'];
type Missing = [
  Exclude<keyof SpeakerModel, keyof Written>,
  // Nodes make no covers.
  Exclude<keyof PeerModel, keyof Written['peers'][number] | 'fits'>,
  Exclude<keyof LabelModel, keyof SpeakerDocument['labels'][string]>,
  // Nodes put no single peer back, limit and bar none for others, and run nothing before their first bundle.
  Exclude<
    keyof RoutesModel,
    | keyof SpeakerDocument
    | ('revisionId' | 'table' | 'reverted' | 'limited' | 'fitted' | 'unfitted' | 'barred' | 'isUnfinished')
  >,
];

test('speaker.json contains every member of the models that drivers take, in types that they take', () => {
  // Both are checked by the compiler: a model that grows has to grow in src/bundle and in docs/reference/bundle-format.md as well.
  const isComplete: Missing extends [never, never, never, never] ? true : false = true;
  const model: SpeakerModel = document.speaker;
  expect(isComplete && model).toBe(document.speaker);
});

describe('speaker.json', () => {
  const read = (value: unknown) => readSpeakerDocument(Buffer.from(JSON.stringify(value)));
  const text = writeSpeakerDocument(document).toString();
  const members = JSON.parse(text) as SpeakerDocument;
  const [peer] = members.speaker.peers;

  test('comes back', () => {
    expect(readSpeakerDocument(Buffer.from(text))).toEqual(document);
  });

  test.each([
    ['members unknown', { ...members, zzz: 1 }],
    ['members missing', { labels: members.labels, noExport: true, speaker: members.speaker }],
    ['a speaker without peers', { ...members, speaker: { ...members.speaker, peers: null } }],
    [
      'a peer of an unknown family',
      { ...members, speaker: { ...members.speaker, peers: [{ ...peer, families: ['ipx'] }] } },
    ],
    ['no object', []],
    ['nothing', null],
  ])('is refused with %s', (_, value) => {
    expect(refusal(() => read(value))).toBe('bundle_corrupt');
  });

  test.each([
    ['white space', ` ${text}`],
    ['a byte order mark', `\ufeff${text}`],
    ['a member twice', text.replace('{', '{"noExport":false,')],
    [
      'another order',
      JSON.stringify({
        speaker: members.speaker,
        labels: members.labels,
        noExport: true,
        confirmSeconds: 60,
      }),
    ],
    ['the beginning only', text.slice(0, -1)],
  ])('is refused with %s', (_, bad) => {
    expect(refusal(() => readSpeakerDocument(Buffer.from(bad)))).toBe('bundle_corrupt');
  });

  test('is refused when it is not UTF-8', () => {
    const bytes = Buffer.from(text);
    bytes[bytes.indexOf('edge')] = 0xff;
    expect(refusal(() => readSpeakerDocument(bytes))).toBe('bundle_corrupt');
  });

  test('keeps names that mean something to JavaScript', () => {
    const label = { community: '65000:1', nextHopIpv4: null, nextHopIpv6: null };
    const labels = JSON.parse(`{"__proto__":${JSON.stringify(label)}}`) as typeof document.labels;
    const bytes = writeSpeakerDocument({ ...document, labels });
    expect(Object.keys(readSpeakerDocument(bytes).labels)).toEqual(['__proto__']);
  });
});
