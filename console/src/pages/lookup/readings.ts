/** What the service proposes in place of a prefix with host bits: the network, and the address. */
export function readingsIn(said: string): readonly string[] {
  const found = /: write (\S+) for the network or (\S+) for the address/.exec(said);
  return found === null ? [] : [found[1]!, found[2]!];
}
