/** What is wrong in a file of entries is reported by its line, and nothing is written. */
import { expect, test } from 'vitest';
import type { Answered } from '../service.ts';
import { useCsv } from './csv-scene.ts';

const { newModule, upload, download } = useCsv();

const faultsOf = ({ status, body }: Answered) => ({
  status,
  code: body.code,
  errors: (body.errors as { pointer: string; detail: string }[]).map(({ pointer, detail }) => [
    pointer,
    detail,
  ]),
});

test.each<[string, string, string, [line: string, reported: string][]]>([
  ['IP_RANGES', 'host bits', 'cidr\n1.1.1.0/24\n\n1.1.1.1/24\n', [['line 4', '1.1.1.0/24']]],
  [
    'IP_RANGES',
    'ranges of addresses',
    'cidr\n5.1.9.0-5.1.9.77\n5.1.8.0 - 5.1.8.255\n5.1.9.9-5.1.9.1\n',
    [
      [
        'line 2',
        'its 4 prefixes, each as an entry of its own: 5.1.9.0/26 5.1.9.64/29 5.1.9.72/30 5.1.9.76/31',
      ],
      ['line 3', 'Write its prefix: 5.1.8.0/24'],
      ['line 4', '"5.1.9.9-5.1.9.1" is not an IPv4 or IPv6 address'],
    ],
  ],
  ['IP_RANGES', 'a bogon', 'cidr\n10.0.0.0/8\n', [['line 2', 'bogon_prefix']]],
  ['IP_RANGES', 'a repeat', 'cidr\n1.1.1.1\n2.2.2.2\n1.1.1.1/32\n', [['line 4', 'line 2 already']]],
  ['IP_RANGES', 'an unknown community', 'cidr,community\n1.1.1.1,65000:7\n', [['line 2', '65000:7']]],
  [
    'IP_RANGES',
    'two communities, one unknown',
    'cidr,community\n1.1.1.1,65000:100 65000:7\n',
    [['line 2', '65000:7']],
  ],
  [
    'IP_RANGES',
    'a time that is over',
    'cidr,expires_at\n1.1.1.1,2020-01-01T00:00:00Z\n',
    [['line 2', 'is over']],
  ],
  ['IP_RANGES', 'no time', 'cidr,expires_at\n1.1.1.1,tomorrow\n', [['line 2', 'RFC 3339']]],
  ['IP_RANGES', 'no community', 'cidr,community\n1.1.1.1,x\n', [['line 2', 'community']]],
  ['IP_RANGES', 'a word for a boolean', 'cidr,enabled\n1.1.1.1,yes\n', [['line 2', 'true, false']]],
  ['IP_RANGES', 'a long note', `cidr,note\n1.1.1.1,${'x'.repeat(501)}\n`, [['line 2', 'at most 500']]],
  ['IP_RANGES', 'a missing cell', 'cidr,note\n1.1.1.1\n', [['line 2', 'Write `1.1.1.1,`: empty']]],
  ['IP_RANGES', 'a comma too many', 'cidr,note\n1.1.1.1,a, b\n', [['line 2', 'into quotes']]],
  ['IP_RANGES', 'an empty key', 'cidr,note\n,x\n', [['line 2', 'must not be empty']]],
  ['IP_RANGES', 'no file', '', [['line 1', 'empty']]],
  [
    'IP_RANGES',
    'an unknown column',
    '\r\ncidr,notes,cidr\n1.1.1.1,,\n',
    [
      ['line 2', '"notes"'],
      ['line 2', 'twice'],
    ],
  ],
  ['IP_RANGES', 'no key', 'note\nx\n', [['line 1', 'cidr is missing']]],
  [
    'IP_RANGES',
    'a quote inside, behind good and bad lines with CR LF',
    'cidr,note\r\n1.1.1.1,"a\r\nb"\r\n\r\nx,\r\n2.2.2.2,a"b\r\n',
    [
      ['line 5', 'cidr'],
      ['line 6', 'quote stands inside'],
    ],
  ],
  [
    'IP_RANGES',
    'a quote never closed',
    'cidr,note\n1.1.1.1,a\n2.2.2.2,"b\n3.3.3.3,\n',
    [['line 3', 'closed']],
  ],
  ['IP_RANGES', 'NUL', 'cidr,note\n1.1.1.1,a\0b\n', [['line 2', 'NUL']]],
  ['DOMAINS', 'a wildcard', 'domain\n*.example.com\n', [['line 2', 'wildcard']]],
  ['AS_PREFIXES', 'a reserved number', 'asn\n23456\n', [['line 2', 'AS_TRANS']]],
  [
    'CDN_SOURCES',
    'a place that may not be fetched, and a misplaced path',
    'name,url,format,json_path\na,ftp://x/,text,$.x\n',
    [
      ['line 2', 'url'],
      ['line 2', 'json_path'],
    ],
  ],
  ['CDN_SOURCES', 'an unknown format', 'name,url,format\na,https://x.example/,xml\n', [['line 2', 'json']]],
  ['CDN_SOURCES', 'no URL', 'name,url\na,\n', [['line 2', 'url: must not be empty']]],
])('%s: %s', async (type, _, csv, reported) => {
  const module = await newModule(type);
  const { status, code, errors } = faultsOf(await upload(module, csv, '?mode=replace'));
  expect({ status, code }).toEqual({ status: 422, code: 'validation_failed' });
  expect(errors.map(([pointer]) => pointer)).toEqual(reported.map(([line]) => line));
  for (const [index, [, text]] of reported.entries()) expect(errors[index]![1]).toContain(text);
  expect((await download(module)).split('\r\n')).toHaveLength(2);
});

test('what is not UTF-8', async () => {
  const module = await newModule('IP_RANGES');
  const csv = Buffer.concat([Buffer.from('cidr,note\n1.1.1.1,'), Buffer.from([0xe9, 0x0a])]);
  expect(faultsOf(await upload(module, csv)).errors).toEqual([['line 2', expect.stringContaining('UTF-8')]]);
});

test('a thousand of many, with their number', async () => {
  const module = await newModule('IP_RANGES');
  const answer = await upload(module, `cidr\n${'x\n'.repeat(3_000)}`);
  expect(answer.body.errors).toHaveLength(1_000);
  expect(answer.body.detail).toContain('(and 2999 more faults)');
});
