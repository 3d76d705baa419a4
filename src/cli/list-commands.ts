/**
 * The commands over prefix lists, which need no service. They are done in a moment, so that what this file imports is all that is loaded
 * before one of them: scripts/bundle-commands.ts makes one file of it.
 */
import { OUTPUT_FORMATS } from './prefixes/output-formats.ts';
import { runOnLists } from './prefixes/run.ts';
import { EXIT } from './process/command-error.ts';
import { type Command, command } from './table/command.ts';

const OUTPUT = {
  value: 'FORMAT',
  choices: OUTPUT_FORMATS,
  fallback: 'text',
} as const;

function exitCodes(no?: string): Record<number, string> {
  return {
    [EXIT.ok]: 'done',
    ...(no === undefined ? {} : { [EXIT.no]: no }),
    [EXIT.usage]: 'wrong usage',
    [EXIT.rejects]: 'lines were refused (listed on standard error); the rest was used',
    [EXIT.noInput]: "an input can't be read",
    [EXIT.broken]: 'the command itself failed, for example with too little memory',
    [EXIT.outputFailed]: "the output can't be written",
  };
}

const aggregate = command({
  name: 'aggregate',
  summary: 'print the fewest prefixes that cover exactly what some lists hold',
  details: [
    'Prints the fewest prefixes that cover exactly the addresses of the lists, IPv4 and then IPv6, each in ascending order. ' +
      'FILE - is standard input. A line holds a prefix, an address or a range a-b; comments begin with #, ; or //.',
  ],
  args: [{ name: 'FILE', type: 'file', many: true }],
  missing: 'No list is named: write a file, or - for standard input',
  options: {
    exclude: { value: 'FILE', type: 'file', many: true, about: 'leave out the addresses of this list' },
    'max-prefixes': {
      value: 'N',
      type: 'count',
      about:
        'print at most N prefixes of each family, covering as few other addresses as possible; standard error shows how many these are',
    },
    ipv4: { about: 'print IPv4 only' },
    ipv6: { about: 'print IPv6 only' },
    output: { ...OUTPUT, about: 'how to print them; with --max-prefixes, json also shows the over-coverage' },
  },
  examples: [
    'prefixcast aggregate clouds.txt --exclude ours.txt',
    'curl -s https://example.net/list | prefixcast aggregate -',
  ],
  exitCodes: exitCodes(),
  run: (input) => runOnLists(() => import('./commands/aggregate.ts'), input),
});

const diff = command({
  name: 'diff',
  summary: 'print what one list holds and another does not',
  details: [
    'Prints the addresses that only one of two lists holds, as the fewest prefixes: "- prefix" for those of A, "+ prefix" for those ' +
      'of B. How the lists write them makes no difference: two halves equal the whole. FILE - is standard input.',
  ],
  args: [
    { name: 'A', type: 'file' },
    { name: 'B', type: 'file' },
  ],
  missing: 'diff compares two lists: name both',
  options: {
    ipv4: { about: 'compare IPv4 only' },
    ipv6: { about: 'compare IPv6 only' },
    output: { ...OUTPUT, about: 'how to print the answer; json is an object a line' },
  },
  examples: ['prefixcast diff yesterday.txt today.txt'],
  exitCodes: exitCodes('the lists differ'),
  run: (input) => runOnLists(() => import('./commands/diff.ts'), input),
});

const contains = command({
  name: 'contains',
  summary: 'show whether a list holds some addresses, and by which prefixes',
  details: [
    'Shows for each address or prefix whether the list holds it, and all prefixes of the list that cover it, longest first. A list ' +
      'holds a prefix if it covers all of its addresses, even in pieces. FILE - is standard input.',
  ],
  args: [
    { name: 'FILE', type: 'file' },
    { name: 'ADDRESS', many: true },
  ],
  missing: 'Write a list and at least one address',
  options: { output: { ...OUTPUT, about: 'how to print the answer; json is an object a line' } },
  examples: ['prefixcast contains clouds.txt 192.0.2.7 2001:db8::/48'],
  exitCodes: exitCodes('the list does not hold all of them'),
  run: (input) => runOnLists(() => import('./commands/contains.ts'), input),
});

export const LIST_COMMANDS: readonly Command[] = [aggregate, diff, contains];
