/** A network, in the colour of its family. */
export function Prefix({ prefix }: { prefix: string }) {
  return <code className={`prefix ${prefix.includes(':') ? 'ipv6' : 'ipv4'}`}>{prefix}</code>;
}
