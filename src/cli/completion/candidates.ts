/** What may stand at the end of a line, by the table of commands. Pure: names that only the service knows are asked for by others. */
import {
  type ArgumentSpec,
  type Command,
  type CommandGroup,
  isGroup,
  type Named,
  type OptionSpec,
} from '../table/command.ts';
import { FORMATS } from '../render/formats.ts';
import { readLeading } from '../table/leading-options.ts';

export interface Candidate {
  /** The whole word. */
  readonly word: string;
  readonly about: string;
}

/** Words, and what else may stand there. */
export interface Candidates {
  readonly words: readonly Candidate[];
  /** A name that the service knows, behind `prefix`, as in `--module=`. */
  readonly names?: {
    readonly of: Named;
    readonly prefix: string;
    /** Of entries, the module that the line names; of values, the setting. */
    readonly within?: string;
  };
  /** A path, which the shell completes. */
  readonly paths?: 'file' | 'directory';
  /** The service that the line names. */
  readonly context?: string;
}

const HELP: Candidate = { word: '--help', about: 'show this text' };
const VERSION: Candidate = { word: '--version', about: 'print the version' };

/**
 * @param before the words behind the program's name, without the last one
 * @param last the word that is being typed, as far as it is; perhaps empty
 */
export function candidatesFor(program: CommandGroup, before: readonly string[], last: string): Candidates {
  const { options, rest, open } = readLeading(before);
  if (open === 'context') return { words: [], names: { of: 'context', prefix: '' } };
  if (open !== null)
    return beginningWith(
      last,
      FORMATS.map((word) => ({ word, about: '' })),
    );
  const found = ofWords(program, rest, last);
  const { context } = readTyped({ options: { context: CONTEXT, output: OUTPUT } }, options);
  return context === undefined ? found : { context, ...found };
}

/** As they count before every command. */
const CONTEXT = { value: 'NAME', about: '' } as const;
const OUTPUT = { value: 'FORMAT', short: 'o', about: '' } as const;

function ofWords(program: CommandGroup, before: readonly string[], last: string): Candidates {
  let entry: Command | CommandGroup = program;
  for (const [index, word] of before.entries()) {
    if (!isGroup(entry)) return ofCommand(entry, before.slice(index), last);
    // `help` takes the words of a command.
    if (index === 0 && word === 'help') continue;
    const wanted: string | undefined = word.startsWith('-') ? entry.fallback : word;
    const next: Command | CommandGroup | undefined = entry.commands.find(({ name }) => name === wanted);
    if (next === undefined) return { words: [] };
    if (wanted !== word && !isGroup(next)) return ofCommand(next, before.slice(index), last);
    entry = next;
  }
  if (!isGroup(entry)) return before[0] === 'help' ? { words: [] } : ofCommand(entry, [], last);
  return ofGroup(entry, entry === program && before.length === 0, last);
}

function ofGroup(group: CommandGroup, isProgram: boolean, last: string): Candidates {
  if (last.startsWith('-')) {
    const fallback = group.commands.find(({ name }) => name === group.fallback);
    const options = fallback === undefined || isGroup(fallback) ? [] : optionWords(fallback, new Set());
    return beginningWith(last, [...options, HELP, ...(group.version === undefined ? [] : [VERSION])]);
  }
  const help = isProgram ? [{ word: 'help', about: 'show the help of a command' }] : [];
  return beginningWith(last, [
    ...group.commands.map(({ name, summary }) => ({ word: name, about: summary })),
    ...help,
  ]);
}

function ofCommand(command: Command, before: readonly string[], last: string): Candidates {
  const { given, open, args, isOver, context } = readTyped(command, before);
  const found = open === null ? atWord(command, { given, args, isOver }, last) : ofValue(open, '', last);
  const { names } = found;
  if ((names?.of === 'entry' || names?.of === 'setting value') && args.length > 0)
    return { ...found, names: { ...names, within: args[0]! }, ...(context === undefined ? {} : { context }) };
  return context === undefined ? found : { ...found, context };
}

interface Typed {
  readonly given: ReadonlySet<string>;
  readonly args: readonly string[];
  /** `--` has been: everything is an argument. */
  readonly isOver: boolean;
}

function atWord(command: Command, { given, args, isOver }: Typed, last: string): Candidates {
  const options = command.options ?? {};
  if (!isOver && last.startsWith('-')) {
    const [, name, value] = /^--([^=]+)=(.*)$/s.exec(last) ?? [];
    if (name === undefined) return beginningWith(last, [...optionWords(command, given), HELP]);
    const spec = options[name];
    return spec?.value === undefined ? { words: [] } : ofValue(spec, `--${name}=`, value!);
  }
  const specs = command.args ?? [];
  const spec = specs[args.length] ?? (specs.at(-1)?.many === true ? specs.at(-1) : undefined);
  if (spec !== undefined) return ofValue(spec, '', last);
  return isOver ? { words: [] } : beginningWith(last, [...optionWords(command, given), HELP]);
}

interface Read extends Typed {
  /** The option whose value is being typed. */
  readonly open: OptionSpec | null;
  readonly context: string | undefined;
}

function readTyped({ options = {} }: Pick<Command, 'options'>, before: readonly string[]): Read {
  const given = new Set<string>();
  let open: OptionSpec | null = null;
  const args: string[] = [];
  let isOver = false;
  let context: string | undefined;
  const letters = new Map(Object.entries(options).map(([name, { short }]) => [short, name]));
  let name = '';
  for (const word of before) {
    if (open !== null) {
      if (name === 'context') context = word;
      open = null;
    } else if (isOver || !word.startsWith('-') || word === '-') args.push(word);
    else if (word === '--') isOver = true;
    else {
      const [, long, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
      name = long ?? letters.get(word[1]) ?? '';
      given.add(name);
      const spec = options[name];
      const isWhole = value !== undefined || (long === undefined && word.length > 2);
      if (spec?.value !== undefined && spec.implied === undefined && !isWhole) open = spec;
      if (name === 'context' && value !== undefined) context = value;
    }
  }
  return { given, open, args, isOver, context };
}

function ofValue(spec: OptionSpec | ArgumentSpec, prefix: string, last: string): Candidates {
  const { choices = [], names, type } = spec;
  const words = choices.map((choice) => ({ word: prefix + choice, about: '' }));
  return {
    ...beginningWith(prefix + last, words),
    ...(names === undefined ? {} : { names: { of: names, prefix } }),
    // A shell completes paths as whole words only.
    ...((type === 'file' || type === 'directory') && prefix === '' ? { paths: type } : {}),
  };
}

function optionWords({ options = {} }: Command, given: ReadonlySet<string>): Candidate[] {
  return Object.entries(options)
    .filter(([name, { many }]) => many === true || !given.has(name))
    .map(([name, { about }]) => ({ word: `--${name}`, about }));
}

function beginningWith(start: string, words: readonly Candidate[]): Candidates {
  return { words: words.filter(({ word }) => word.startsWith(start)) };
}
