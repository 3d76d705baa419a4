/** Runs what a command line says: finds the command in the table, reads its arguments, and says what is wrong with them. */
import { didYouMean } from '../../api/problems/nearest.ts';
import { Output } from '../process/output.ts';
import { type Command, type CommandGroup, isGroup } from './command.ts';
import { CommandError, EXIT, UsageError } from '../process/command-error.ts';
import { behindCommand, LEADING_OPTIONS } from './leading-options.ts';
import { readArguments } from './read-arguments.ts';

const STANDARD_OUTPUT = 1;
const STANDARD_ERROR = 2;

/** `words` are what stands behind the program's name. Resolves to the exit code. */
export function runCommandLine(program: CommandGroup, words: readonly string[]): Promise<number> {
  return runGroup(program, program.name, behindCommand(words));
}

/** `path` is what one types for the command, from the program's name on; `words` are what stands behind. */
export function runCommand(command: Command, path: string, words: readonly string[]): Promise<number> {
  const run = (): Promise<number> => {
    const input = readArguments(command, words);
    return input === null ? showHelp(command, path) : command.run(input);
  };
  return orRefuse(run, path);
}

async function orRefuse(run: () => Promise<number>, path: string): Promise<number> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof UsageError) {
      printError(`prefixcast: ${error.message}\n(${path} --help shows the usage)\n`);
      return EXIT.usage;
    }
    if (!(error instanceof CommandError)) throw error;
    printError(`prefixcast: ${error.message}\n`);
    return error.exitCode;
  }
}

function runGroup(group: CommandGroup, path: string, words: readonly string[]): Promise<number> {
  const [word, ...rest] = words;
  const run = (): Promise<number> => {
    if (word === '--help' || word === '-h') return showHelp(group, path);
    const { version } = group;
    if (version !== undefined && (word === '--version' || word === '-V')) return showVersion(version);
    if (word === undefined || word.startsWith('-')) return runFallback(group, path, words);
    const entry = group.commands.find(({ name }) => name === word);
    if (entry === undefined && word === 'help') return showHelpFor(group, path, rest);
    if (entry === undefined) throw unknownCommand(group, word);
    const inner = `${path} ${word}`;
    return isGroup(entry) ? runGroup(entry, inner, rest) : runCommand(entry, inner, rest);
  };
  return orRefuse(run, path);
}

async function runFallback(group: CommandGroup, path: string, words: readonly string[]): Promise<number> {
  const fallback = group.commands.find(({ name }) => name === group.fallback);
  if (fallback !== undefined && !isGroup(fallback)) {
    refuseUnknownOption(group, fallback, words);
    return runCommand(fallback, path, words);
  }
  const { helpOf } = await import('./help.ts');
  printError(helpOf(group, path));
  return EXIT.usage;
}

/** Before a command stands what is of all of them: whoever misspells that means no option of the fallback. */
function refuseUnknownOption(
  { version }: CommandGroup,
  { options = {} }: Command,
  [word]: readonly string[],
): void {
  const name = /^--[^=]+/.exec(word ?? '')?.[0];
  if (name === undefined) return;
  const own = ['help', ...Object.keys(options), ...(version === undefined ? [] : ['version'])];
  const known = [...own.map((option) => `--${option}`), ...LEADING_OPTIONS];
  if (!known.includes(name)) throw new UsageError(`unknown option '${name}'${didYouMean(name, known)}`);
}

function showHelpFor(entry: Command | CommandGroup, path: string, words: readonly string[]): Promise<number> {
  const [word, ...rest] = words;
  if (word === undefined || !isGroup(entry)) return showHelp(entry, path);
  const inner = entry.commands.find(({ name }) => name === word);
  if (inner === undefined) throw unknownCommand(entry, word);
  return showHelpFor(inner, `${path} ${word}`, rest);
}

/** Words of other programs, and of other nouns, for the same. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['get', 'show'],
  ['list', 'ls'],
  ['create', 'add', 'new'],
  ['delete', 'remove', 'rm', 'revoke'],
  ['edit', 'set', 'change', 'update'],
];

function unknownCommand(group: CommandGroup, word: string): UsageError {
  const names = group.commands.map(({ name }) => name);
  const meant = SYNONYMS.find((words) => words.includes(word))?.find((name) => names.includes(name));
  if (meant !== undefined) return new UsageError(`unknown command '${word}'; did you mean "${meant}"?`);
  return new UsageError(`unknown command '${word}'${didYouMean(word, [...names, 'help'])}`);
}

async function showHelp(entry: Command | CommandGroup, path: string): Promise<number> {
  const { helpOf } = await import('./help.ts');
  return show(helpOf(entry, path));
}

async function showVersion(version: () => Promise<string>): Promise<number> {
  return show(`${await version()}\n`);
}

function show(text: string): number {
  const out = new Output(STANDARD_OUTPUT);
  out.text(text);
  out.flush();
  return EXIT.ok;
}

/** The exit code says it as well, in case nobody reads the text. */
function printError(text: string): void {
  const errors = new Output(STANDARD_ERROR, { isNeeded: false });
  errors.text(text);
  errors.flush();
}
