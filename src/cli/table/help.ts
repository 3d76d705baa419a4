/** Help, made of the table of commands. */
import { type Command, type CommandGroup, isGroup, type OptionSpec } from './command.ts';

const WIDTH = 100;
const HELP_OPTION = ['-h, --help', 'show this text'] as const;

/** `path` is what one types for the command, from the program's name on. */
export function helpOf(entry: Command | CommandGroup, path: string): string {
  return isGroup(entry) ? helpOfGroup(entry, path) : helpOfCommand(entry, path);
}

function helpOfGroup(group: CommandGroup, path: string): string {
  const commands = group.commands.map(({ name, summary }) => {
    return [name, name === group.fallback ? `${summary} (the same as ${path} alone)` : summary] as const;
  });
  const version = group.version === undefined ? [] : [['-V, --version', 'print the version'] as const];
  return [
    `usage: ${path} ${group.fallback === undefined ? 'COMMAND' : '[COMMAND]'}`,
    sentence(group.summary),
    `Commands:\n${columns(commands)}`,
    `Options:\n${columns([...version, HELP_OPTION])}`,
    `${path} help COMMAND shows the help of one command.\n`,
  ].join('\n\n');
}

function helpOfCommand(command: Command, path: string): string {
  const options = Object.entries(command.options ?? {}).map(([name, spec]) => {
    return [optionText(name, spec), aboutOption(spec)] as const;
  });
  const exitCodes = Object.entries(command.exitCodes ?? {});
  return [
    `usage: ${path}${options.length > 0 ? ' [options]' : ''}${argumentsOf(command)}`,
    ...(command.details ?? [sentence(command.summary)]).map((text) => wrapped(text, WIDTH).join('\n')),
    `Options:\n${columns([...options, HELP_OPTION])}`,
    ...(command.examples === undefined ? [] : [`Examples:\n${indented(command.examples)}`]),
    ...(exitCodes.length === 0 ? [] : [`Exit codes:\n${columns(exitCodes)}`]),
  ]
    .join('\n\n')
    .concat('\n');
}

function optionText(name: string, { short, value, implied }: OptionSpec): string {
  const letter = short === undefined ? '' : `-${short}, `;
  if (value === undefined) return `${letter}--${name}`;
  return implied === undefined ? `${letter}--${name} ${value}` : `${letter}--${name}[=${value}]`;
}

function argumentsOf({ args = [] }: Command): string {
  return args
    .map(({ name, many, optional }) => {
      const text = many === true ? `${name}…` : name;
      return optional === true ? ` [${text}]` : ` ${text}`;
    })
    .join('');
}

function aboutOption({ about, choices, fallback, many }: OptionSpec): string {
  const facts = [
    ...(choices === undefined ? [] : [choices.join(', ')]),
    ...(fallback === undefined ? [] : [`default: ${fallback}`]),
    ...(many === true ? ['may be given several times'] : []),
  ];
  return facts.length === 0 ? about : `${about} (${facts.join('; ')})`;
}

function sentence(summary: string): string {
  return `${summary[0]!.toUpperCase()}${summary.slice(1)}.`;
}

function columns(rows: readonly (readonly [name: string, about: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  const lines = rows.flatMap(([name, about]) =>
    wrapped(about, WIDTH - width - 2).map(
      (line, index) => `${(index === 0 ? name : '').padEnd(width)}${line}`,
    ),
  );
  return indented(lines);
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `  ${line}`).join('\n');
}

function wrapped(text: string, width: number): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1)!;
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
