/** Where in a request something is wrong, as the page calls it: the service says it as a JSON Pointer, which is for programs. */

/** Of a form. */
export interface NamedField {
  /** As in the request; of members of members, with a slash. */
  readonly name: string;
  readonly label: string;
}

/** Before the members of one of several writes. */
const WRITE = /^\/changes\/\d+(?:\/body)?(?= |\/|$) ?/;
/** Of something that is chosen, not written: which of them it is says its text. */
const CHOSEN = /^\/(?:ids|changes)\/\d+$/;

/**
 * @param pointer such as `/ports/1`, `/changes/0/body/name` or `?since`
 * @returns such as `Ports, number 2`; empty: it is about all of it
 */
export function placeInWords(pointer: string, fields: readonly NamedField[] = []): string {
  const place = pointer.replace(WRITE, '').replace(/^\?/, '');
  if (CHOSEN.test(place)) return '';
  const parts = place.split('/').filter((part) => part !== '');
  const field = longest(fields.filter(({ name }) => `${parts.join('/')}/`.startsWith(`${name}/`)));
  const rest = parts.slice(field?.name.split('/').length ?? 0).map(partInWords);
  return [...(field === undefined ? [] : [field.label]), ...rest].join(', ');
}

function longest(fields: readonly NamedField[]): NamedField | undefined {
  return [...fields].sort((one, other) => other.name.length - one.name.length)[0];
}

/** Lists count from 0 for programs, and from 1 for people. */
function partInWords(part: string): string {
  return /^\d+$/.test(part) ? `number ${Number(part) + 1}` : part;
}

/** What is wrong, with its place where that is not said already: `must not be empty` goes on from there, a sentence does not. */
export function faultInWords(
  { pointer, detail }: { readonly pointer: string; readonly detail: string },
  fields: readonly NamedField[] = [],
): string {
  const place = placeInWords(pointer, fields);
  if (place === '') return detail;
  return /^(?:must|is|repeats|has|cannot)\b/.test(detail) ? `${place} ${detail}` : `${place}: ${detail}`;
}
