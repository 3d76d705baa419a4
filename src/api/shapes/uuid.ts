/** UUIDs as texts. */

/** One in lower case, as the service and PostgreSQL write it: a part of patterns, which captures nothing. */
export const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

/** A whole one in upper or lower case, where only a pattern can stand: path parameters and names of members. */
export const ID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';
const ID = new RegExp(ID_PATTERN);

/** Whether the text is one, in upper or lower case, as people may write it. */
export function isUuid(text: string): boolean {
  return ID.test(text);
}
