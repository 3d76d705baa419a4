import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readListText, withHeader } from '../../../src/cli/lists/list-text.ts';
import { temporaryDirectory } from '../../temporary.ts';

const of = (text: string): ReturnType<typeof withHeader> => withHeader(text, 'cidr', 'list.csv');

describe('a file of entries', () => {
  test.each([
    ['cidr,note\n192.0.2.0/24,x\n'],
    ['CIDR,Note\r\n192.0.2.0/24,x\r\n'],
    ['\uFEFF"cidr","note"\n'],
    ['cidr\n192.0.2.0/24\n'],
    ['\ncidr,note\n'],
  ])('with a header goes as it is: %j', (text) => {
    expect(of(text)).toEqual({ body: text, added: 0 });
  });

  test('without a header gets one, and loses comments but no line', () => {
    const text =
      '# DROP\n192.0.2.0/24 ; SBL1\n; more\n198.51.100.0/24\t# note; with more\n\n203.0.113.0/24#x\n';
    expect(of(text)).toEqual({
      body: 'cidr\n\n192.0.2.0/24\n\n198.51.100.0/24\n\n203.0.113.0/24\n',
      added: 1,
    });
  });

  test.each([
    ['5.9.0.0/24;hoster;false\n', 1, 'semicolons'],
    ['# list\n5.9.0.0/24\n5.9.1.0/24;other\n', 3, 'semicolons'],
    ['\uFEFFcidr;note;enabled\n5.9.0.0/24;a;b\n', 1, 'semicolons'],
    ['\nCidr;Note\n', 2, 'semicolons'],
    ['cidr\tnote\n5.9.0.0/24\ta\n', 1, 'tabs'],
    ['5.9.0.0/24\thoster\n', 1, 'tabs'],
  ])('with other separators than commas is refused, as its cells would be lost: %j', (text, line, name) => {
    expect(() => of(text)).toThrow(
      `list.csv:${line}: The cells are separated by ${name}: save the file with commas between them`,
    );
  });

  test.each([
    ['Windows-1252', Buffer.from('cidr,note\n5.8.0.0/24,M\xfcller\n', 'latin1'), 2],
    ['UTF-16', Buffer.from('\uFEFFcidr,note\n', 'utf16le'), 1],
  ])('in %s is refused with its line: its letters would become others', (_, bytes, line) => {
    const directory = mkdtempSync(join(temporaryDirectory(), 'prefixcast-list-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, 'list.csv');
    writeFileSync(file, bytes);
    expect(() => readListText(file)).toThrow(
      `${file}:${line}: This is not UTF-8: save the file as CSV in UTF-8`,
    );
  });
});
