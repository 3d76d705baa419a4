/** FRR's configuration as a list of statements, each with its headings. Pure. */

/** Headings from the outside in, then the line itself: `['router bgp 64512 view v', 'address-family ipv4 unicast', 'neighbor …']`. */
export type Statement = readonly [string, ...string[]];

/** Headings that may contain something of ours, and those inside them. */
const HEADING = /^(?:router bgp |route-map |address-family )/;

/** What ends a heading: a family's has its own word. */
function endOf(heading: string): string {
  return heading.startsWith('address-family ') ? 'exit-address-family' : 'exit';
}

/**
 * The lines for the statements in this order, with the lines that enter and leave headings. Indented, as FRR writes its configuration.
 */
export function linesOf(statements: readonly Statement[]): string[] {
  const lines: string[] = [];
  let open: string[] = [];
  const write = (text: string): number => lines.push(' '.repeat(open.length) + text);
  const leave = (): void => {
    const heading = open.pop()!;
    // FRR indents the end of a heading like the heading itself.
    write(endOf(heading));
  };
  for (const statement of statements) {
    const headings = statement.slice(0, -1);
    while (open.length > headings.length || open.some((heading, i) => heading !== headings[i])) leave();
    for (const heading of headings.slice(open.length)) {
      write(heading);
      open = [...open, heading];
    }
    const line = statement.at(-1)!;
    write(line);
    if (HEADING.test(line)) open = [...open, line];
  }
  while (open.length > 0) leave();
  return lines;
}

/** Parses the output of `show running-config`. A heading is a statement too, since it may be empty. */
export function readStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let open: { readonly indent: number; readonly heading: string }[] = [];
  for (const line of text.split('\n')) {
    const words = line.trim();
    if (words === '' || words.startsWith('!')) continue;
    const indent = line.length - line.trimStart().length;
    open = open.filter((outer) => outer.indent < indent);
    if (words === 'exit' || words === 'exit-address-family') continue;
    statements.push([...open.map(({ heading }) => heading), words] as unknown as Statement);
    if (HEADING.test(words)) open.push({ indent, heading: words });
  }
  return statements;
}

/** Equal statements have equal keys. */
export function keyOf(statement: Statement): string {
  return statement.join('\n');
}
