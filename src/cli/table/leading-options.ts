/** Options of commands that somebody writes before the command, as git and kubectl take them: `prefixcast --context lab status`. */

/** Those that mean the same to every command that has them, by each of their forms. */
const LEADING: ReadonlyMap<string, string> = new Map([
  ['--context', 'context'],
  ['--output', 'output'],
  ['-o', 'output'],
]);

export const LEADING_OPTIONS: readonly string[] = [...LEADING.keys()];

interface Led {
  /** The options, as they are written. */
  readonly options: readonly string[];
  readonly rest: readonly string[];
  /** The option whose value is still to come; null: none is. */
  readonly open: string | null;
}

/** What stands before the first word that is none of them. */
export function readLeading(words: readonly string[]): Led {
  let at = 0;
  let open: string | null = null;
  for (; at < words.length; at++) {
    const word = words[at]!;
    if (open !== null) {
      open = null;
      continue;
    }
    const whole = LEADING.get(word);
    if (whole !== undefined) open = whole;
    else if (!isWithValue(word)) break;
  }
  return { options: words.slice(0, at), rest: words.slice(at), open };
}

function isWithValue(word: string): boolean {
  return LEADING.has(word.split('=', 1)[0]!) || (word.startsWith('-o') && !word.startsWith('--'));
}

/** The words with these options behind the command, where it takes them. Without a command, they stay as they are. */
export function behindCommand(words: readonly string[]): readonly string[] {
  const { options, rest } = readLeading(words);
  const [command] = rest;
  if (options.length === 0 || command === undefined || command.startsWith('-')) return words;
  if (command === 'help') return rest;
  const end = rest.indexOf('--');
  return end < 0 ? [...rest, ...options] : rest.toSpliced(end, 0, ...options);
}
