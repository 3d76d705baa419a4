/**
 * Files that end with the hash of everything before it. BIRD would accept a file that was cut off between statements; the hash reveals it.
 */
import { createHash } from 'node:crypto';

export function seal(text: string): string {
  return text + endMark(createHash('sha256').update(text).digest('hex'));
}

export function endMark(hash: string): string {
  return `# end sha256=${hash}\n`;
}

const MARK_LENGTH = endMark('0'.repeat(64)).length;

/** Whether the file is complete. O(bytes). */
export function isSealed(bytes: Uint8Array): boolean {
  const end = bytes.length - MARK_LENGTH;
  if (end < 0) return false;
  const hash = createHash('sha256').update(bytes.subarray(0, end)).digest('hex');
  return Buffer.from(bytes.buffer, bytes.byteOffset + end, MARK_LENGTH).toString('latin1') === endMark(hash);
}
