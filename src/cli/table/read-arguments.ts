/** Reads what stands behind a command's name by what the table says of it. */
import { parseArgs } from 'node:util';
import { didYouMean } from '../../api/problems/nearest.ts';
import type { Command, Input, OptionSpec } from './command.ts';
import { UsageError } from '../process/command-error.ts';
import { READERS } from './value-types.ts';

const HELP = { type: 'boolean', short: 'h' } as const;

/** Null: help is asked for. Throws UsageError. */
export function readArguments(
  command: Command,
  words: readonly string[],
): Input<Record<string, unknown>> | null {
  const specs = new Map(Object.entries(command.options ?? {}));
  const known = Array.from(specs, ([name, { value, implied, short }]) => [
    name,
    {
      type: value === undefined || implied !== undefined ? ('boolean' as const) : ('string' as const),
      ...(short === undefined ? {} : { short }),
    },
  ]);
  const { tokens } = parseArgs({
    args: [...words],
    options: {
      ...(Object.fromEntries(known) as Record<string, { type: 'boolean' | 'string'; short?: string }>),
      help: HELP,
    },
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  // Help is help, whatever else is wrong.
  if (tokens.some((token) => token.kind === 'option' && token.name === 'help')) return null;
  const options = defaultsOf(specs);
  const args: string[] = [];
  const given = new Map<string, unknown>();
  for (const token of tokens) {
    if (token.kind === 'positional') args.push(token.value);
    if (token.kind !== 'option') continue;
    const spec = specs.get(token.name);
    if (spec === undefined) throw unknownOption(token.rawName, [...specs.keys(), 'help']);
    const value = readOption(token, spec);
    if (spec.many !== true) requireSame(token.rawName, given, token.name, value);
    options[token.name] = spec.many === true ? [...(options[token.name] as unknown[]), value] : value;
  }
  checkArguments(command, args);
  return { options, args };
}

function defaultsOf(specs: ReadonlyMap<string, OptionSpec>): Record<string, unknown> {
  const given = Array.from(specs, ([name, spec]) => {
    if (spec.value === undefined) return [name, false];
    if (spec.many === true) return [name, []];
    return [name, spec.fallback === undefined ? undefined : readValue(`--${name}`, spec.fallback, spec)];
  });
  return Object.fromEntries(given) as Record<string, unknown>;
}

function unknownOption(rawName: string, known: readonly string[]): UsageError {
  const near = didYouMean(
    rawName,
    known.map((name) => `--${name}`),
  );
  return new UsageError(`unknown option '${rawName}'${near}`);
}

/** Which of two values is meant is not guessed: the first would be lost without a word. */
function requireSame(rawName: string, given: Map<string, unknown>, name: string, value: unknown): void {
  if (given.has(name) && given.get(name) !== value)
    throw new UsageError(
      `${rawName} is given twice: write one of ${String(given.get(name))} and ${String(value)}`,
    );
  given.set(name, value);
}

interface Token {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function readOption({ rawName, value, inlineValue }: Token, spec: OptionSpec): unknown {
  if (spec.value === undefined) {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return true;
  }
  if (value === undefined && spec.implied !== undefined) return readValue(rawName, spec.implied, spec);
  if (value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} ${spec.value}`);
  if (inlineValue !== true && value.length > 1 && value.startsWith('-')) {
    throw new UsageError(
      `${rawName} needs a value before ${value}; one that begins with - is written ${rawName}=${value}`,
    );
  }
  return readValue(rawName, value, spec);
}

function readValue(rawName: string, text: string, { choices, type = 'text' }: OptionSpec): unknown {
  if (choices !== undefined && !choices.includes(text)) {
    throw new UsageError(`${rawName} ${text} is not known: write ${choices.join(', ')}`);
  }
  const read = READERS[type](text);
  if (!read.ok) throw new UsageError(`${rawName} ${text} cannot be read: ${read.reason}`);
  return read.value;
}

function checkArguments({ name, args: specs = [], missing }: Command, args: readonly string[]): void {
  const needed = specs.filter(({ optional }) => optional !== true);
  if (args.length < needed.length) {
    throw new UsageError(missing ?? `${needed[args.length]!.name} is missing`);
  }
  const tooMany = args[specs.length];
  if (tooMany !== undefined && specs.at(-1)?.many !== true) {
    const expected = specs.length === 0 ? 'takes no arguments' : `ends with ${specs.at(-1)!.name}`;
    throw new UsageError(`'${tooMany}' is one too many: ${name} ${expected}`);
  }
  for (const [index, { choices, name: what }] of specs.entries()) {
    const given = args[index];
    if (given !== undefined && choices !== undefined && !choices.includes(given)) {
      throw new UsageError(`${what} ${given} is not known: write ${choices.join(', ')}`);
    }
  }
}
