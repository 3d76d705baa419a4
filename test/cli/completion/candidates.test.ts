import { describe, expect, test } from 'vitest';
import { bashReplacement, readBashLine } from '../../../src/cli/completion/bash-line.ts';
import { candidatesFor } from '../../../src/cli/completion/candidates.ts';
import { type Command, type CommandGroup, isGroup } from '../../../src/cli/table/command.ts';
import { COMMANDS } from '../../../src/commands.ts';

const BREAKS = ' \t\n"\'@><=;|&(:';

function complete(line: string): ReturnType<typeof candidatesFor> {
  const { before, last } = readBashLine(line, BREAKS);
  return candidatesFor(COMMANDS, before, last);
}

const wordsOf = (line: string): string[] => complete(line).words.map(({ word }) => word);

describe('words of the table', () => {
  test.each<[line: string, words: readonly string[]]>([
    ['mod', ['module']],
    ['module re', ['refresh', 'release', 'restore']],
    ['help module ref', ['refresh']],
    ['help module refresh ', []],
    ['module nothing ', []],
    ['module create x --type I', ['IP_RANGES']],
    ['module create x --type=I', ['--type=IP_RANGES']],
    ['module create x --type IP_RANGES --ty', []],
    ['module refresh x --wait b', []],
    ['module refresh x --wait=b', ['--wait=built']],
    ['module list -o n', ['ndjson', 'name']],
    ['module list -ojson --al', ['--all']],
    ['-', ['--help', '--version']],
    ['--v', ['--version']],
    ['agent --tok', ['--token-file']],
    ['revision apply 1 --speaker a --sp', ['--speaker']],
    ['diff a b -- --', []],
  ])('%s', (line, words) => {
    expect(wordsOf(line).sort()).toEqual([...words].sort());
  });

  test.each([
    ['entry list ', 'module', ''],
    ['entry list x --context prod --con', undefined, ''],
    ['peer edit x --community ', 'community', ''],
    ['peer edit x --community=645', 'community', '--community='],
    ['module delete a b ', 'module', ''],
    ['revision diff 1 ', 'revision', ''],
    ['settings set ', 'setting', ''],
    ['apply watch ', 'apply', ''],
    ['module list --context ', 'context', ''],
    ['--context ', 'context', ''],
    ['node enroll ', 'node', ''],
  ])('%s takes the name of %s', (line, of, prefix) => {
    expect(complete(line).names).toEqual(of === undefined ? undefined : { of, prefix });
  });

  test('entries are those of the module that the line names', () => {
    expect(complete('entry remove --yes drop 9.').names).toEqual({ of: 'entry', prefix: '', within: 'drop' });
    expect(complete('entry edit drop ').names).toEqual({ of: 'entry', prefix: '', within: 'drop' });
    expect(complete('entry remove drop 9.9.9.0/24 ').names).toMatchObject({ of: 'entry', within: 'drop' });
  });

  test('values are those of the setting that the line names', () => {
    const names = { of: 'setting value', prefix: '', within: 'deploy_canary_speaker_ids' };
    expect(complete('settings set deploy_canary_speaker_ids ').names).toEqual(names);
    expect(complete('settings set deploy_canary_speaker_ids fr').names).toEqual(names);
  });

  test('the context that a line names is asked', () => {
    expect(complete('--context lab module get ').context).toBe('lab');
    expect(wordsOf('-o json module ref')).toEqual(['refresh']);
    expect(wordsOf('-o js')).toEqual(['json']);
    expect(complete('module get --context lab ').context).toBe('lab');
    expect(complete('module get --context=lab ').context).toBe('lab');
  });

  test.each([
    ['aggregate ', 'file'],
    ['aggregate --exclude x y --exclude ', 'file'],
    ['agent --data-dir ', 'directory'],
    ['agent --data-dir=', undefined],
  ])('%s takes a path: %s', (line, paths) => {
    expect(complete(line).paths).toBe(paths);
  });

  test('everything of the table can be typed by completing', () => {
    const visit = (entry: Command | CommandGroup, path: string): void => {
      const offered = new Set(wordsOf(`${path} `.trimStart()));
      if (isGroup(entry))
        for (const inner of entry.commands) {
          expect(offered.has(inner.name), `${path} ${inner.name}`).toBe(true);
          visit(inner, `${path} ${inner.name}`.trim());
        }
      else
        expect(wordsOf(`${path} --`).sort()).toEqual(
          [...Object.keys(entry.options ?? {}), 'help'].map((name) => `--${name}`).sort(),
        );
    };
    visit(COMMANDS, '');
  });
});

describe('a line of bash', () => {
  test.each([
    ['a b', { before: ['a'], last: 'b', quote: null, kept: '' }],
    ['a ', { before: ['a'], last: '', quote: null, kept: '' }],
    ['a 64500:6', { before: ['a'], last: '64500:6', quote: null, kept: '64500:' }],
    ['a --x=64500:6', { before: ['a'], last: '--x=64500:6', quote: null, kept: '--x=64500:' }],
    ['a "two wor', { before: ['a'], last: 'two wor', quote: '"', kept: '' }],
    [String.raw`a\ b c\ d`, { before: ['a b'], last: 'c d', quote: null, kept: '' }],
    [`'a b' "c'd" e`, { before: ['a b', "c'd"], last: 'e', quote: null, kept: '' }],
    [`"" x`, { before: [''], last: 'x', quote: null, kept: '' }],
  ])('%j', (line, read) => {
    expect(readBashLine(line, BREAKS)).toEqual(read);
  });

  test.each([
    ['64500:666', 'a 64500:6', '666'],
    ['Two Words', 'a T', String.raw`Two\ Words`],
    ['Two $ords', 'a "T', String.raw`Two \$ords`],
    ["it's", "a 'i", String.raw`it'\''s`],
    ['Zürich', 'a Z', String.raw`Z\ürich`],
  ])('%s is written behind %s', (word, line, written) => {
    expect(bashReplacement(word, readBashLine(line, BREAKS))).toBe(written);
  });
});
