/** That no command lacks a golden file, in any of its formats, and no file its command. */
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { commands, fileOf, formatsOf, goldenFiles } from './golden-files.ts';

/** What no file can hold, and the tests that see what is printed. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  start: 'is the service, whose log has times: test/start.long.test.ts',
  'agent run': 'runs until it is stopped: test/agent/lifecycle.test.ts',
  'agent enroll': 'makes this machine a node: test/agent/setup.test.ts',
  'firewall run':
    'changes the packet filter of the machine: test/firewall/client.long.test.ts, in a network namespace',
  'firewall enroll': 'makes this host a client: test/firewall/client.long.test.ts',
  'firewall restore': 'changes the packet filter of the machine: test/firewall/client.long.test.ts',
  'firewall remove': 'changes the packet filter of the machine: test/firewall/client.long.test.ts',
  listen: 'prints routes as a router sends them: test/cli/listen.test.ts',
  events:
    'prints events as they happen, in an order of their own: test/cli/tree/golden.long.test.ts, in each format',
  'session watch': 'draws a terminal until it is stopped: test/cli/watch/pane.long.test.ts',
  'doh test': 'says how long an answer took: test/cli/tree/operations.long.test.ts',
  'router status': 'shows the daemons of this very machine: test/cli/tree/operations.long.test.ts',
  'database status': 'shows how large the database is now: test/cli/tree/operations.long.test.ts',
  doctor: 'finds what is wrong with this very machine: test/doctor/doctor.long.test.ts, in both forms',
};

/** Without a command of its own: errors of several. */
const OTHERS = fileOf('others');

const golden = [...commands].filter(([path]) => !(path in ELSEWHERE));

test.each(golden)('%s has a golden file, with each of its formats', (path, command) => {
  const file = fileOf(path);
  expect(existsSync(file), `${file}: add a line for it to test/cli/desk/golden-lines.ts`).toBe(true);
  const lines = readFileSync(file, 'utf8').split('\n');
  const typed = lines.filter((line) => line.startsWith(`$ prefixcast ${path}`));
  expect(typed).not.toEqual([]);
  const { option, formats } = formatsOf(command);
  for (const format of formats)
    expect(
      typed.some((line) => line.endsWith(` ${option} ${format}`)),
      `${file} lacks ${option} ${format}`,
    ).toBe(true);
});

test('what has no golden file is a command, and says why', () => {
  for (const path of Object.keys(ELSEWHERE)) {
    expect(commands.has(path), path).toBe(true);
    expect(existsSync(fileOf(path)), `${path} has one: take it out of the list`).toBe(false);
  }
});

test('no golden file is of a command that is gone', () => {
  const known = new Set([OTHERS, ...golden.map(([path]) => fileOf(path))]);
  expect(
    goldenFiles()
      .filter((file) => !known.has(file))
      .map((file) => basename(file)),
  ).toEqual([]);
});
