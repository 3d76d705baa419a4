/** A text of the service, in which what stands between backticks is code. */
export function Prose({ text }: { text: string }) {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part));
}
