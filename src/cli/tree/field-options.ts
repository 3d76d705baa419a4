/** Options of commands, made of the members that they set. */
import type { Field } from '../nouns/noun.ts';
import type { OptionSpec } from '../table/command.ts';

type Options = Readonly<Record<string, OptionSpec>>;

/** @param isNew of what is created, which needs some of them */
export function optionsOf(fields: Readonly<Record<string, Field>>, { isNew = false } = {}): Options {
  const shown = Object.entries(fields).map(([name, field]): [string, OptionSpec] => {
    const option = optionOf(field);
    return [
      name,
      isNew && field.isRequired === true ? { ...option, about: `required: ${option.about}` } : option,
    ];
  });
  return Object.fromEntries(shown);
}

function optionOf({ kind, noun, choices, value, about }: Field): OptionSpec {
  if (kind === 'flag') return { value: 'yes|no', choices: ['yes', 'no'], about };
  const called = value ?? (noun ?? 'value').toUpperCase();
  return {
    value: called,
    about,
    ...(choices === undefined ? {} : { choices }),
    ...(noun === undefined ? {} : { names: noun }),
    ...(kind === 'references' ? { many: true as const } : {}),
  };
}
