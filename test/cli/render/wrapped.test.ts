/** Sentences are broken between words, and never wider than the terminal. */
import { stripVTControlCharacters } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { coloured } from '../../../src/cli/render/terminal.ts';
import { wrapped } from '../../../src/cli/render/wrapped.ts';
import { textOf } from '../../../src/cli/status/status-text.ts';

const { isTTY, columns } = process.stdout;
afterEach(() => {
  process.stdout.isTTY = isTTY;
  process.stdout.columns = columns;
});

function terminal(width: number): void {
  process.stdout.isTTY = true;
  process.stdout.columns = width;
}

test('lines end between words; the head and a long word stay whole', () => {
  terminal(16);
  expect(wrapped('held  ', 'one two three four', '      ')).toBe('held  one two\n      three four');
  expect(wrapped('', `a ${'x'.repeat(30)} b`, '  ')).toBe(`a\n  ${'x'.repeat(30)}\n  b`);
  process.stdout.isTTY = false;
  expect(wrapped('held  ', 'one two three four', '      ')).toBe('held  one two three four');
});

test('colours have no width', () => {
  terminal(13);
  expect(wrapped(coloured('held  ', 'yellow'), 'one two', '  ')).not.toContain('\n');
});

test.each([50, 80])('prefixcast status at %i columns', (width) => {
  terminal(width);
  const error = '1 of 2 sources failed. http://lists.example.net/list.txt: the server answered 404 Not Found';
  const coded = textOf({
    ...{ tenant: 'default', routes: 4_437, modules: 12, has_router: true },
    revision: { number: 118, created_at: '2026-11-26T14:59:46.031Z' },
    speakers: { enabled: 1, announcing: 1 },
    sessions: { up: 2, unknown: 0, total: 3 },
    items: [
      {
        ...{
          state: 'failing',
          what: 'module clouds',
          since: null,
          by: null,
          detail: error,
          needs_somebody: true,
        },
        command: 'prefixcast module refresh clouds --wait',
      },
    ],
  });
  const text = stripVTControlCharacters(coded);
  const lines = text.split('\n');
  // A command stays a line, so that it can be copied.
  for (const line of lines.filter((one) => !one.includes('→')))
    expect(line.length, line).toBeLessThanOrEqual(width);
  expect(text.replaceAll(/\n +/g, ' ')).toContain(error);
});
