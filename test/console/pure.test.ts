/** What the console computes by itself: maps of addresses, texts that two people have changed, and colours. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { chartText } from '../../console/src/strings/charts.ts';
import { findingNumber } from '../../console/src/strings/findings.ts';
import { inWordsOfForms } from '../../console/src/strings/forms.ts';
import { formatDuration, shellWord } from '../../console/src/strings/format.ts';
import { faultInWords, placeInWords } from '../../console/src/strings/fault-places.ts';
import { inWordsOfThePages, titleOfProblem } from '../../console/src/strings/remedies.ts';
import { runningByContent, runsAs } from '../../console/src/views/revisions/same-content.ts';
import { countBySpan, SESSION_SPANS, SOURCE_SPANS } from '../../console/src/views/charts/age-spans.ts';
import { completeLines, withCommas, withHeader } from '../../console/src/pages/modules/bare-lines.ts';
import { mergeText } from '../../console/src/pages/modules/merge-text.ts';
import { undoOf } from '../../console/src/pages/modules/saved-lists.ts';
import {
  frameOf,
  partAt,
  partOf,
  partPrefix,
  pointOf,
  SIDE,
  wider,
} from '../../console/src/views/difference/hilbert.ts';

describe('a map of addresses', () => {
  const points = Array.from({ length: SIDE * SIDE }, (_, part) => pointOf(part));

  test('has every part once, and neighbours beside each other', () => {
    expect(new Set(points.map(({ x, y }) => y * SIDE + x)).size).toBe(SIDE * SIDE);
    const steps = points
      .slice(1)
      .map(({ x, y }, at) => Math.abs(x - points[at]!.x) + Math.abs(y - points[at]!.y));
    expect(new Set(steps)).toEqual(new Set([1]));
  });

  test('tells which part is where', () => {
    expect(points.every(({ x, y }, part) => partAt(x, y) === part)).toBe(true);
  });

  test.each([
    ['0.0.0.0/0', 0, '0.0.0.0/16'],
    ['0.0.0.0/0', 65_535, '255.255.0.0/16'],
    ['10.1.0.0/16', 258, '10.1.1.2/32'],
    ['2000::/3', 1, '2000:2000::/19'],
    ['2001:db8::/32', 0xcafe, '2001:db8:cafe::/48'],
    ['2001:db8::ffff:0/112', 7, '2001:db8:0:0:0:0:ffff:7/128'],
  ])('part of %s number %i is %s, and the other way round', (within, part, prefix) => {
    expect(partPrefix(within, part)).toBe(prefix);
    expect(partOf(within, prefix)).toBe(part);
  });

  test('knows what is elsewhere, and what is around', () => {
    expect(partOf('10.0.0.0/8', '11.0.0.0/24')).toBeNull();
    expect(partOf('10.0.0.0/8', '2001:db8::/32')).toBeNull();
    expect(wider('10.1.0.0/16')).toBe('0.0.0.0/0');
    expect(wider('0.0.0.0/0')).toBeNull();
    expect(wider('2001:db8::/35')).toBe('2001::/19');
    expect(frameOf('10.1.2.0/24')).toBe('10.0.0.0/8');
    expect(frameOf('10.1.0.0/16')).toBe('10.1.0.0/16');
  });
});

describe('ages', () => {
  test('are counted in the span that they have not outgrown', () => {
    const [hour, day] = [3_600, 86_400];
    expect(
      countBySpan(SOURCE_SPANS, [0, hour - 1, hour, 6 * hour, day - 1, day, 7 * day, 365 * day]),
    ).toEqual([2, 1, 2, 1, 2]);
  });

  test('are in one span each, as their labels say', () => {
    expect(SESSION_SPANS.map(({ label }) => label)).toEqual([
      ...['< 1 min', '1–60 min', '1–6 h', '6–24 h', '1–7 d', '> 7 d'],
    ]);
  });

  test.each([
    [0.084, '84 ms'],
    [2.64, '2.6 s'],
    [12, '12 s'],
    [65, '1 min 5 s'],
    [5_400, '1 h 30 min'],
    [90_061, '25 h 1 min'],
  ])('of %d seconds are written %s', (seconds, written) => {
    expect(formatDuration(seconds)).toBe(written);
  });
});

describe('a text that two people have changed', () => {
  const base = 'cidr,note\n1.0.0.0/24,one\n2.0.0.0/24,two\n3.0.0.0/24,three\n';

  test('has what both added, and lacks what either deleted', () => {
    const mine = 'cidr,note\n1.0.0.0/24,one\n3.0.0.0/24,three\n4.0.0.0/24,mine\n';
    const theirs = 'cidr,note\n1.0.0.0/24,one\n2.0.0.0/24,two\n5.0.0.0/24,theirs\n';
    expect(mergeText(base, mine, theirs)).toEqual({
      text: 'cidr,note\n1.0.0.0/24,one\n4.0.0.0/24,mine\n5.0.0.0/24,theirs\n',
      changed: ['5.0.0.0/24', '3.0.0.0/24'],
      contested: [],
    });
  });

  test('keeps my line where both changed one', () => {
    const mine = base.replace('two', 'mine');
    const theirs = base.replace('two', 'theirs').replace('one', 'other');
    const { text, contested } = mergeText(base, mine, theirs);
    expect(text).toBe('cidr,note\n1.0.0.0/24,other\n2.0.0.0/24,mine\n3.0.0.0/24,three\n');
    expect(contested).toEqual([{ name: '2.0.0.0/24', mine: '2.0.0.0/24,mine', theirs: '2.0.0.0/24,theirs' }]);
    // What both changed alike is nobody's loss.
    expect(mergeText(base, mine, mine).contested).toEqual([]);
    const without = base.replace('2.0.0.0/24,two\n', '');
    expect(mergeText(base, mine, without).contested).toEqual([
      { name: '2.0.0.0/24', mine: '2.0.0.0/24,mine', theirs: null },
    ]);
  });

  test('knows entries by their whole names, with commas, quotes and line breaks in them', () => {
    const rows = ['"Example, Inc.",https://a.example/', '"Example, Ltd.",https://b.example/'];
    const text = (...more: string[]) => `name,url\n${[...more].join('\n')}\n`;
    const quoted = '"a ""b"", c",https://c.example/';
    const broken = 'plain,"two\nlines, and more"';
    const mine = text(rows[0]!, rows[1]!.replace('b.example', 'mine.example'), quoted);
    const theirs = text(rows[0]!.replace('a.example', 'theirs.example'), rows[1]!, broken);
    expect(mergeText(text(...rows), mine, theirs)).toEqual({
      text: text(
        '"Example, Inc.",https://theirs.example/',
        '"Example, Ltd.",https://mine.example/',
        quoted,
        broken,
      ),
      changed: ['Example, Inc.', 'plain'],
      contested: [],
    });
  });

  test('knows them by the same column where I have put another one first', () => {
    const stored = 'name,url\none,https://1.example/\ntwo,https://2.example/\n';
    const mine = 'url,name\nhttps://1.example/,one\nhttps://2.example/,two\n';
    const theirs = 'name,url\none,https://1.example/\n';
    // Each of mine is another line than before, so that theirs overwrite none; and none of them is there twice.
    expect(mergeText(stored, mine, theirs).text).toBe(mine);
  });

  test('keeps the lines of a quote that nobody has closed', () => {
    const mine = `${base}"4.0.0.0/24,open\n5.0.0.0/24,five\n`;
    expect(mergeText(base, mine, base).text).toBe(mine);
  });
});

describe('where something is wrong', () => {
  const fields = [
    { name: 'ports', label: 'Ports' },
    { name: 'policy/allowed_prefixes', label: 'Prefixes' },
  ];
  test.each([
    ['/ports', 'Ports'],
    ['/ports/1', 'Ports, number 2'],
    ['/changes/0/body/ports/1', 'Ports, number 2'],
    ['/policy/allowed_prefixes/2', 'Prefixes, number 3'],
    ['/portsmouth', 'portsmouth'],
    ['/deploy_canary_speaker_ids/0', 'deploy_canary_speaker_ids, number 1'],
    ['/items/4/range', 'items, number 5, range'],
    ['?since', 'since'],
    ['/changes/1 ?since', 'since'],
    ['line 17', 'line 17'],
    // Which it is says the text.
    ['/changes/0', ''],
    ['/changes/0/body/ids/3', ''],
    ['', ''],
  ])('%s is %s', (pointer, said) => expect(placeInWords(pointer, fields)).toBe(said));

  test('goes before what is wrong as the sentence wants it', () => {
    const at = (detail: string) => faultInWords({ pointer: '/ports/1', detail }, fields);
    expect(at('must be a string')).toBe('Ports, number 2 must be a string');
    expect(at('99999 is no port.')).toBe('Ports, number 2: 99999 is no port.');
    expect(faultInWords({ pointer: '/ids/0', detail: 'No entry has it.' })).toBe('No entry has it.');
  });
});

describe('lines of a text', () => {
  const header = 'cidr,note';
  test('get their header on top, and one that lies below goes', () => {
    expect(withHeader(`1.0.0.0/24\n2.0.0.0/24\n${header}\n`, header)).toBe(
      `${header}\n1.0.0.0/24\n2.0.0.0/24\n`,
    );
    expect(withHeader(`${header}\n1.0.0.0/24,\n`, header)).toBeNull();
  });

  test('get commas where a spreadsheet puts semicolons, and quotes where a cell has a comma', () => {
    expect(withCommas('cidr;note;\r\n;a, b;\r\n1.0.0.0/24;"c; ""d""";\n')).toBe(
      'cidr,note,\r\n,"a, b",\r\n1.0.0.0/24,"c; ""d""",\n',
    );
    for (const text of ['cidr,note\n1.0.0.0/24;a', 'cidr', '']) expect(withCommas(text)).toBeNull();
  });

  test('lines with fewer cells than the header are completed, and no cell of several lines is', () => {
    const header = 'cidr,note,enabled,community,expires_at';
    expect(
      completeLines(
        `${header}\n1.0.0.0/24\r\n2.0.0.0/24,ours\n3.0.0.0/24,"a, ""b""",true\n4.0.0.0/24,"two\nlines",true,,\n\n5.0.0.0/24,,,,\n`,
      ),
    ).toEqual({
      text: `${header}\n1.0.0.0/24,,,,\n2.0.0.0/24,ours,,,\n3.0.0.0/24,"a, ""b""",true,,\n4.0.0.0/24,"two\nlines",true,,\n\n5.0.0.0/24,,,,\n`,
      completed: 3,
    });
    expect(completeLines('cidr\n1.0.0.0/24\n')).toBeNull();
    expect(completeLines(`${header}\n1.0.0.0/24,"never closed\n2.0.0.0/24\n`)).toBeNull();
  });
});

describe('colours', () => {
  const css = readFileSync(join(import.meta.dirname, '../../console/src/design/shown/tokens.css'), 'utf8');
  const colours = new Map(
    Array.from(css.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g), ([, name, light, dark]) => [
      name!,
      { light: light!, dark: dark! },
    ]),
  );
  /** Of relative luminances (WCAG 2.2). */
  const contrast = (one: string, other: string): number => {
    const [high, low] = [one, other].map(luminance).sort((a, b) => b - a) as [number, number];
    return (high + 0.05) / (low + 0.05);
  };
  const SURFACES = ['background', 'surface', 'raised'];
  const TEXTS = [...colours.keys()].filter((name) =>
    /^(text|muted|accent|ipv4|ipv6|good|bad|warning|community-\d)$/.test(name),
  );

  test.each(['light', 'dark'] as const)('of texts and of borders of controls stand out: %s', (theme) => {
    const of = (name: string): string => colours.get(name)![theme];
    expect(TEXTS).toHaveLength(16);
    for (const surface of SURFACES) {
      for (const name of TEXTS)
        expect(contrast(of(name), of(surface)), `${name} on ${surface}`).toBeGreaterThanOrEqual(5.5);
      expect(contrast(of('control'), of(surface)), `control on ${surface}`).toBeGreaterThanOrEqual(3.2);
    }
    for (const name of ['good', 'bad', 'warning', 'accent'])
      expect(contrast(of(name), of(`${name}-tint`)), name).toBeGreaterThanOrEqual(5.5);
    expect(contrast(of('on-accent'), of('accent'))).toBeGreaterThanOrEqual(5.5);
  });
});

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)) as [
    number,
    number,
    number,
  ];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

test('where no session is up, none of them is said to be new', () => {
  expect(chartText.sessions.summary(0, 4, 0)).toBe('0 of 4 sessions up.');
  expect(chartText.sessions.summary(1, 1, 1)).toBe('1 of 1 session up, for less than an hour.');
  expect(chartText.sessions.summary(2, 4, 1)).toBe('2 of 4 sessions up, 1 of them for less than an hour.');
});

describe('words', () => {
  test.each([
    ['clouds', 'clouds'],
    ['edge 1', "'edge 1'"],
    ["it's $(reboot)", "'it'\\''s $(reboot)'"],
    ['-rf', "'-rf'"],
    ['', "''"],
  ])('the name %j is one word of a shell: %s', (name, word) => {
    expect(shellWord(name)).toBe(word);
  });

  test('a change of a small list is counted in prefixes, as its sentence says, and of a long one in percent', () => {
    const gained =
      'without any edit, its lists gained 8538 IPv4 prefixes beside the 62 accepted before, and 100 is the most';
    const lost =
      'without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most';
    expect(findingNumber('max_change_exceeded', 8_538, gained)).toBe('8,538 prefixes');
    expect(findingNumber('max_change_exceeded', 81, lost)).toBe('81 %');
    expect(findingNumber('default_route_forbidden', 100, '')).toBe('100 % of all addresses');
  });
});

test('of a plan that the key may not make, no value is called wrong', () => {
  const planned = (code: string) =>
    titleOfProblem({
      ...{ code: 'validation_failed', title: 'The values are not valid' },
      detail: `/changes/0: POST /v1/modules/1/entries.csv would be refused, ${code}: The role viewer lacks the permission.`,
    });
  expect(planned('forbidden')).toBe('Your key may not do this');
  // Nobody has entered any where something is deleted.
  expect(planned('conflict')).toBe('This would be refused');
  expect(planned('validation_failed')).toBe('The values are not valid');
});

test('a form says what the service does with null, and its moments, as people do', () => {
  const said = inWordsOfForms(
    '2020-01-01T10:00:00.000Z is over. Give a time to come, or null for a key that does not expire.',
  );
  expect(said).toMatch(/1 Jan(?:uary)? 2020.* is over/);
  expect(said).toContain('a time to come, or leave it empty for a key that does not expire');
});

test('a remedy names a limit as the form of a router does', () => {
  expect(inWordsOfThePages('raise max_prefixes_out, or send the peer fewer communities')).toBe(
    'raise the limit “Routes at most”, or send the peer fewer communities',
  );
  expect(inWordsOfThePages('its routes are more than its max_prefixes_out of 100')).toBe(
    'its routes are more than its limit “Routes at most” of 100',
  );
});

test('a revision that runs nowhere is told from one whose routes run as another revision', () => {
  const running = { number: 3, content_hash: 'a', applied_on: [{ speaker_id: 's', applied_at: 'then' }] };
  const again = { number: 4, content_hash: 'a', applied_on: [] };
  const other = { number: 5, content_hash: 'b', applied_on: [] };
  const known = runningByContent([other, again, running]);
  expect([running, again, other].map((one) => runsAs(one, known))).toEqual([undefined, 3, undefined]);
});

describe('an undo of a saved text', () => {
  const list = (...records: string[]): string => ['cidr,note', ...records, ''].join('\n');
  const before = list('45.0.0.0/24,ours', '45.0.2.0/24,ours', '45.0.4.0/24,ours');
  const after = list('45.0.0.0/24,wrong', '45.0.2.0/24,ours', '45.9.0.0/24,wrong');

  test('deletes what was new, and writes what was changed as it was', () => {
    const saved = { before, after, counts: { created: 1, updated: 1 } };
    expect(undoOf(saved, after)).toEqual({
      created: ['cidr,note', '45.9.0.0/24,wrong'],
      changed: ['cidr,note', '45.0.0.0/24,ours'],
      staying: 0,
    });
    const since = list('45.0.0.0/24,theirs', '45.0.2.0/24,ours');
    expect(undoOf(saved, since)).toEqual({ created: ['cidr,note'], changed: ['cidr,note'], staying: 1 });
  });

  test('leaves both where somebody else saved at the same moment', () => {
    const saved = { before, after, counts: { created: 0, updated: 1 } };
    expect(undoOf(saved, after)).toEqual({ created: ['cidr,note'], changed: ['cidr,note'], staying: 1 });
  });
});
