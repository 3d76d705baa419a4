import { expect, test } from 'vitest';
import { diffLines } from '../../../src/cli/render/diff-lines.ts';

const communities = (...values: string[]) => values.map((community) => ({ community }));

test('a route that comes has its communities, one that goes those it had, one that changes both', () => {
  const change = (kind: string, before: string[], after: string[]) => ({
    ...{ prefix: '192.0.2.0/24', change: kind },
    ...{ communities_before: communities(...before), communities_after: communities(...after) },
  });
  expect(
    diffLines([
      change('announced', [], ['64500:1', '64500:2']),
      change('withdrawn', ['64500:3'], []),
      change('changed', ['64500:1'], ['64500:2']),
      change('withdrawn', [], []),
    ]),
  ).toEqual([
    '+ 192.0.2.0/24  64500:1, 64500:2',
    '- 192.0.2.0/24  64500:3',
    '~ 192.0.2.0/24  64500:1 -> 64500:2',
    '- 192.0.2.0/24',
  ]);
});
