/** What a write prints in each format: words for people, and what the API says for programs. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Format } from '../../src/cli/render/formats.ts';

const FORMATS = join(import.meta.dirname, '../../src/cli/render/formats.ts');

function printed(answer: object, format: Format): string {
  const script = `import { printAnswer } from '${FORMATS}'; await printAnswer(JSON.parse(process.argv[1]), 'list added', process.argv[2]);`;
  const words = ['--input-type=module-typescript', '-e', script, JSON.stringify(answer), format];
  return execFileSync(process.execPath, words, { encoding: 'utf8' });
}

const ONE = { id: 'i', name: 'list, of ours', parts: ['a', 'b'], enabled: true };

test.each<[Format, string]>([
  ['table', 'list added\n'],
  ['wide', 'list added\n'],
  ['json', `${JSON.stringify(ONE, null, 2)}\n`],
  ['ndjson', `${JSON.stringify(ONE)}\n`],
  ['yaml', 'id: i\nname: list, of ours\nparts:\n  - a\n  - b\nenabled: true\n'],
  ['csv', 'id,name,parts,enabled\ni,"list, of ours","a, b",yes\n'],
  ['name', 'list, of ours\n'],
])('-o %s', (format, text) => {
  expect(printed(ONE, format)).toBe(text);
});

test('several are a list, called by what they hold', () => {
  const items = [
    { id: '1', cidr: '192.0.2.0/24' },
    { id: '2', cidr: '198.51.100.0/24' },
  ];
  expect(printed({ items }, 'name')).toBe('192.0.2.0/24\n198.51.100.0/24\n');
  expect(JSON.parse(printed({ items }, 'json'))).toEqual({ items });
  expect(printed({ items: [] }, 'ndjson')).toBe('');
});

test('an object that has items beside others is whole where a format has room for it', () => {
  const effect = { revision: null, summary: { withdrawn: 1 }, items: [{ prefix: '192.0.2.0/24' }] };
  expect(JSON.parse(printed(effect, 'json'))).toEqual(effect);
  expect(printed(effect, 'yaml')).toBe(
    'revision: null\nsummary:\n  withdrawn: 1\nitems:\n  - prefix: 192.0.2.0/24\n',
  );
  expect(printed(effect, 'csv')).toBe('prefix\n192.0.2.0/24\n');
});
