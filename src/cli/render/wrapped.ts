/** Sentences on a terminal: no longer than its lines, and broken between words. */
import { stripVTControlCharacters } from 'node:util';
import { widthOfOutput } from './terminal.ts';

/**
 * @param head what the first line begins with, as it is
 * @param margin what the others begin with
 * @returns its lines; a word that is longer than one is not cut
 */
export function wrapped(head: string, text: string, margin: string): string {
  const width = widthOfOutput();
  const lines: string[] = [];
  let [line, isBegun] = [head, false];
  for (const word of text.split(' ')) {
    const longer = isBegun ? `${line} ${word}` : `${line}${word}`;
    if (isBegun && stripVTControlCharacters(longer).length > width) {
      lines.push(line);
      line = `${margin}${word}`;
    } else line = longer;
    isBegun = true;
  }
  return [...lines, line].join('\n');
}
