/**
 * Reads a line as bash does, and writes a word so that bash puts it in its place. Bash breaks words at characters of its own, as at the
 * colon of 64500:666, and hands over the pieces: it is simpler to read the line than to put them together again.
 */

export interface BashLine {
  /** Without quotes and backslashes. */
  readonly before: readonly string[];
  readonly last: string;
  /** The quote that is open at the end. */
  readonly quote: '"' | "'" | null;
  /** What bash leaves as it stands of the last word: up to its last break. */
  readonly kept: string;
}

/** @param breaks the characters at which bash breaks words, of its variable */
export function readBashLine(line: string, breaks: string): BashLine {
  const words: string[] = [];
  let word = '';
  let isWord = false;
  let quote: BashLine['quote'] = null;
  let keptLength = 0;
  for (let at = 0; at < line.length; at++) {
    const character = line[at]!;
    if (quote !== null) {
      if (character === quote) quote = null;
      else if (character === '\\' && quote === '"' && at + 1 < line.length) word += line[++at]!;
      else word += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      isWord = true;
      keptLength = word.length;
    } else if (character === '\\' && at + 1 < line.length) {
      word += line[++at]!;
      isWord = true;
    } else if (/\s/.test(character)) {
      if (isWord) words.push(word);
      [word, isWord, keptLength] = ['', false, 0];
    } else {
      word += character;
      isWord = true;
      if (breaks.includes(character)) keptLength = word.length;
    }
  }
  return { before: words, last: word, quote, kept: word.slice(0, keptLength) };
}

/** What bash is to put behind what it keeps. */
export function bashReplacement(word: string, { quote, kept }: Pick<BashLine, 'quote' | 'kept'>): string {
  const rest = word.slice(kept.length);
  // Readline writes the closing quote itself.
  if (quote === "'") return rest.replaceAll("'", String.raw`'\''`);
  if (quote === '"') return rest.replaceAll(/["\\$`]/g, String.raw`\$&`);
  return rest.replaceAll(/[^\w@%+=:,./-]/gu, String.raw`\$&`);
}
