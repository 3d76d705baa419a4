/** What people call things. There is one rule for all names: {@link Name} says it in schemas, {@link canonicalName} gives the form that is stored. */
import { Type, type TString } from 'typebox';
import Format from 'typebox/format';

/** Schemas of this format are names: whoever reads a body brings them into their canonical form before they are checked. */
export const NAME_FORMAT = 'name';

/**
 * Characters that no name holds: controls, line separators, and what cannot be seen or turns the direction of the text around it
 * (Unicode, UAX 9), so that two names that look alike are alike, and a log line reads as it is. Joiners stay: some scripts need them.
 */
const FORBIDDEN =
  // oxlint-disable-next-line no-control-regex -- these are the ones
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

Format.Set(NAME_FORMAT, (text) => !FORBIDDEN.test(text));

/** @param description in what it is unique, or what it is for */
export function Name(description: string, maxLength = 100): TString {
  return Type.String({ minLength: 1, maxLength, format: NAME_FORMAT, description });
}

/** Without blanks around it, and composed (NFC). Two names are the same if they are so without case: the database sees to that. */
export function canonicalName(text: string): string {
  return text.normalize('NFC').trim();
}

/** What is wrong with a name of which {@link Name} takes the length, for a person. */
export function explainName(name: string): string {
  const code = FORBIDDEN.exec(name)?.[0].codePointAt(0) ?? 0;
  const shown = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return `holds the character ${shown}, which cannot be seen or changes the direction of text; remove it`;
}
