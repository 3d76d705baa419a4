/**
 * The command line as data: each command with its arguments, options and help. Reading arguments, help, errors and completion go by
 * it alone. What a command does is loaded when it runs, so that the whole table costs a small one next to nothing.
 */
import type { NounName } from '../nouns/noun.ts';
import type { Values, ValueType } from './value-types.ts';

/** Of what a value is a name: shells complete it by asking the service. */
export type Named =
  | NounName
  | 'apply'
  | 'context'
  | 'deleted module'
  | 'entry'
  | 'job'
  | 'node'
  | 'revision'
  | 'setting'
  | 'setting value';

export interface OptionSpec {
  /** What help calls its value, such as FILE. None: the option is a flag. */
  readonly value?: string;
  /** How the value is read; `text` without. */
  readonly type?: ValueType;
  readonly choices?: readonly string[];
  readonly names?: Named;
  /** As one would write it. */
  readonly fallback?: string;
  /** One letter for it. */
  readonly short?: string;
  /** Its value where it stands without one; then a value is written with =. */
  readonly implied?: string;
  /** It may be given several times. */
  readonly many?: true;
  readonly about: string;
}

export interface ArgumentSpec {
  /** As help names it, such as FILE. */
  readonly name: string;
  readonly type?: ValueType;
  readonly choices?: readonly string[];
  readonly names?: Named;
  readonly optional?: true;
  /** This one and all after it; the last only. */
  readonly many?: true;
}

type OptionSpecs = Readonly<Record<string, OptionSpec>>;

type Value<S extends OptionSpec> = S extends { choices: readonly (infer Choice)[] }
  ? Choice
  : S extends { type: infer Type extends ValueType }
    ? Values[Type]
    : string;

/** What the command gets for one option. */
type Given<S extends OptionSpec> = S extends { value: string }
  ? S extends { many: true }
    ? readonly Value<S>[]
    : S extends { fallback: string }
      ? Value<S>
      : Value<S> | undefined
  : boolean;

/** What the command gets for its options, by their names. */
export type OptionValues<Specs extends OptionSpecs> = string extends keyof Specs
  ? Readonly<Record<string, unknown>>
  : { readonly [Name in keyof Specs]: Given<Specs[Name]> };

export interface Input<Options> {
  readonly options: Options;
  /** As many as the command's arguments allow. */
  readonly args: readonly string[];
}

export interface Command<Specs extends OptionSpecs = OptionSpecs> {
  readonly name: string;
  /** One line, beginning small and without a full stop. */
  readonly summary: string;
  /** Paragraphs for the command's own help. */
  readonly details?: readonly string[];
  readonly args?: readonly ArgumentSpec[];
  /** What to say when an argument is missing. */
  readonly missing?: string;
  readonly options?: Specs;
  /** Whole lines that somebody may type. */
  readonly examples?: readonly string[];
  /** What each exit code means, for help. */
  readonly exitCodes?: Readonly<Record<number, string>>;
  /** Resolves to the exit code. */
  run(input: Input<OptionValues<Specs>>): Promise<number>;
}

/** Commands under a common first word. */
export interface CommandGroup {
  readonly name: string;
  readonly summary: string;
  readonly commands: readonly (Command | CommandGroup)[];
  /** The command that runs when none is named. */
  readonly fallback?: string;
  /** What `--version` prints. */
  readonly version?: () => Promise<string>;
}

/** A command whose options have the types that its table says. */
export function command<const Specs extends OptionSpecs>(spec: Command<Specs>): Command {
  return spec;
}

/** A group whose commands are made when somebody looks for one: a line names one of two dozen groups, and to make them all takes longer than most commands. */
export function group(
  spec: Omit<CommandGroup, 'commands'> & { readonly commands: () => CommandGroup['commands'] },
): CommandGroup {
  let made: CommandGroup['commands'] | null = null;
  return {
    ...spec,
    get commands() {
      return (made ??= spec.commands());
    },
  };
}

export function isGroup(entry: Command | CommandGroup): entry is CommandGroup {
  return 'commands' in entry;
}
