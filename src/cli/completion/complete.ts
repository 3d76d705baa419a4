/** Answers a shell that completes a line. */
import { EXIT } from '../process/command-error.ts';
import { print } from '../render/formats.ts';
import type { CommandGroup } from '../table/command.ts';
import { bashReplacement, readBashLine } from './bash-line.ts';
import { type Candidate, candidatesFor } from './candidates.ts';
import { serviceNames } from './service-names.ts';
import { PATHS_MARK } from './shell-scripts.ts';

/**
 * Prints a word a line with what it is, for bash alone what it is to write.
 * @param words those behind the program's name with the last one as far as it is; with `breaks`, the line of bash
 */
export async function answerShell(
  program: CommandGroup,
  words: readonly string[],
  breaks: string | undefined,
): Promise<number> {
  const typed =
    breaks === undefined
      ? { before: words.slice(0, -1), last: words.at(-1) ?? '', write: described }
      : typedInBash(words[0] ?? '', breaks);
  const found = candidatesFor(program, typed.before, typed.last);
  const { names: asked, paths } = found;
  const names =
    asked === undefined
      ? []
      : (await serviceNames(asked, typed.last.slice(asked.prefix.length), found.context)).map((name) => ({
          ...name,
          word: asked.prefix + name.word,
        }));
  const lines = [...found.words, ...names].map(typed.write);
  print([...lines, ...(paths === undefined ? [] : [PATHS_MARK + paths])].map((line) => `${line}\n`).join(''));
  return EXIT.ok;
}

function typedInBash(line: string, breaks: string): Typed {
  const read = readBashLine(line, breaks);
  const write = ({ word }: Candidate): string => bashReplacement(word, read);
  return { before: read.before.slice(1), last: read.last, write };
}

interface Typed {
  readonly before: readonly string[];
  readonly last: string;
  readonly write: (candidate: Candidate) => string;
}

/** Names of people may have line breaks. */
function described({ word, about }: Candidate): string {
  return `${word}\t${about.replaceAll(/\s+/g, ' ')}`;
}
