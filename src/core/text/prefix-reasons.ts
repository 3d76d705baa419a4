/** Why a line or a value of a list was rejected, in words. Only rejected text comes here, so speed does not matter. */
import { parseAddress } from '../address.ts';
import { explainPrefix, parsePrefix } from '../prefix.ts';
import { BLANKS, MAX_REJECT_TEXT } from './prefix-collector.ts';

const BLANK = new RegExp(`[${BLANKS}]`);
const INVISIBLE = /[\u00a0\u00ad\u200b-\u200f\u2060\ufeff]/u;

/** Text that can be shown and stored: at most 200 characters, trimmed, control characters replaced. */
export function shownText(text: string): string {
  const shown = withoutBlanksAround(text.slice(0, MAX_REJECT_TEXT * 2))
    // They must not reach a terminal or a database.
    .replace(/\p{Cc}/gu, '\ufffd')
    .toWellFormed();
  return shown.length > MAX_REJECT_TEXT ? `${shown.slice(0, MAX_REJECT_TEXT - 1)}…`.toWellFormed() : shown;
}

/** Without a regular expression, which for each blank of a run would scan all that follow: a list may be nothing but blanks. */
function withoutBlanksAround(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && BLANK.test(text[start]!)) start++;
  while (start < end && BLANK.test(text[end - 1]!)) end--;
  return text.slice(start, end);
}

/** Why a line of a text list has no prefix. */
export function explainLine(line: string): string {
  const uncommented = withoutBlanksAround(line.replace(/(?:#|;|\/\/).*$/s, ''));
  const comma = uncommented.indexOf(',');
  if (comma < 0) return explainValue(uncommented);
  const value = withoutBlanksAround(uncommented.slice(0, comma));
  if (!isValue(value)) return explainValue(value);
  return 'The line has an address in a later field too: write one prefix on a line, or read the list as CSV by column';
}

/** Why a text is not a prefix, an address or a range. */
export function explainValue(text: string): string {
  const value = withoutBlanksAround(text);
  if (value.length > 200) return 'The text is too long for a prefix';
  const invisible = INVISIBLE.exec(value);
  if (invisible !== null) {
    const code = invisible[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
    return `The text has an invisible character (U+${code}) inside: remove it`;
  }
  const hyphen = /^(.*?)\s*-\s*(.*)$/s.exec(value);
  if (hyphen !== null) {
    const [, first, last] = hyphen as unknown as [string, string, string];
    if (isValue(first) || isValue(last)) return explainRange(first, last);
  }
  const words = value.split(/[\s|]+/);
  if (words.length > 1 && isValue(words[0]!)) {
    return words.slice(1).some(isValue)
      ? 'The text holds two prefixes: write each on a line of its own'
      : `The text goes on behind ${words[0]!}: remove the rest, or make it a comment with "#" in a text list`;
  }
  return explainPrefix(value);
}

function explainRange(first: string, last: string): string {
  for (const end of [first, last]) {
    if (end.includes('/') && parsePrefix(end).ok)
      return 'The range has a prefix at an end: write both ends as addresses';
    const parsed = parseAddress(end);
    if (!parsed.ok) return `The range has no valid end: ${parsed.reason}`;
  }
  const family = (text: string): string => (text.includes(':') ? 'ipv6' : 'ipv4');
  if (family(first) !== family(last))
    return 'The range goes from one family into the other: write two ranges';
  return `The range ends before it begins: write ${last}-${first}`;
}

function isValue(text: string): boolean {
  return parsePrefix(text).ok;
}
