/** Options before the command, as hands write them that know git and kubectl. */
import { expect, test } from 'vitest';
import { behindCommand } from '../../../src/cli/table/leading-options.ts';

test.each([
  ['--context lab status', 'status --context lab'],
  ['--context=lab status', 'status --context=lab'],
  ['-o json --context lab peer get edge1', 'peer get edge1 -o json --context lab'],
  ['-ojson peer list', 'peer list -ojson'],
  ['--output yaml diff -- -a b', 'diff --output yaml -- -a b'],
  ['--context lab help status', 'help status'],
  ['status --context lab', 'status --context lab'],
  ['--version', '--version'],
  ['--context lab', '--context lab'],
  ['--contxt lab status', '--contxt lab status'],
  ['--context lab --help', '--context lab --help'],
])('%s means %s', (typed, meant) => {
  expect(behindCommand(typed.split(' ')).join(' ')).toBe(meant);
});
