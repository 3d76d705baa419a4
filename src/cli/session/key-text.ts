/** Keys as they come from people, files and vaults, checked before a request carries them. */
import { CommandError, EXIT } from '../process/command-error.ts';

/** What a Bearer token may be made of, and more: no space, no control character, nothing outside of ASCII. */
const KEY = /^[\x21-\x7e]+$/;

/**
 * Without the space around it, as the line break at the end of a file.
 * @param from where it comes from, as the subject of a sentence
 * @throws {CommandError} for what no header can carry, which is not a key; it is not shown, since a key may be part of it
 */
export function keyText(given: unknown, from: string): string {
  const key = String(given).trim();
  if (KEY.test(key)) return key;
  throw new CommandError(`${from} is not a key: ${faultOf(key)}`, EXIT.configuration);
}

function faultOf(key: string): string {
  if (key === '') return 'it is empty';
  if (/[\r\n]/.test(key)) return 'it has more than one line';
  return /\s/.test(key) ? 'it has a space in it' : 'it has characters that no key has';
}
