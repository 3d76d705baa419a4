/** The header `Prefer` of RFC 7240, as far as it is known here: `wait`. */
import { MAXIMUM_JOB_WAIT_SECONDS } from '../../api/activity/jobs.ts';

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
/** A preference without its parameters: a name, and a value as it is or in quotes. */
const PREFERENCE = new RegExp(`^\\s*(${TOKEN})(?:\\s*=\\s*(?:"([^"]*)"|(${TOKEN}))?)?\\s*(?:;.*)?$`);

/** Seconds that the client wants to wait for the end of what it asks for, 60 at most; null: it asks for no wait. */
export function preferredWait(header: string | readonly string[] | undefined): number | null {
  if (header === undefined) return null;
  // Commas in quotes part nothing, and `wait` has none.
  for (const part of (typeof header === 'string' ? header : header.join()).split(',')) {
    const [, name, quoted, plain] = PREFERENCE.exec(part) ?? [];
    if (name?.toLowerCase() !== 'wait') continue;
    const value = quoted ?? plain ?? '';
    // Only the first counts (section 2). What cannot be read is ignored, as unknown preferences are.
    return /^\d{1,9}$/.test(value) ? Math.min(Number(value), MAXIMUM_JOB_WAIT_SECONDS) : null;
  }
  return null;
}
