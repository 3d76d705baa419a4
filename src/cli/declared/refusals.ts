/** What the service refuses of several writes, as faults of the files that they come from. */
import type { ApiProblem } from '#client';
import { CommandError } from '../process/command-error.ts';
import { exitCodeOf } from '../session/run-remote.ts';
import { KINDS, nameInFiles, type Kind } from './kinds.ts';
import type { Write } from './writes.ts';

const POINTER = /^\/changes\/(\d+)(?:\/body)?(\/[^ ]*)?(?: (line \d+|.*))?$/;

/** @throws {CommandError} with the files and lines of what was refused */
export async function refusedAt<T>(writes: readonly Write[], work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as Error).name !== 'ApiProblem') throw error;
    const problem = error as ApiProblem;
    const lines = problem.errors.flatMap(({ pointer, detail }) => lineOf(writes, pointer, detail) ?? []);
    if (lines.length === 0) throw error;
    const isMoved = problem.status === 412;
    const moved =
      'Somebody has changed it since it was read, so nothing of this request was done: plan again';
    throw new CommandError([...lines, ...(isMoved ? [moved] : [])].join('\n'), exitCodeOf(problem), {
      cause: error,
    });
  }
}

function lineOf(writes: readonly Write[], pointer: string, detail: string): string | null {
  const [, index, member = '', more] = POINTER.exec(pointer) ?? [];
  const write = index === undefined ? undefined : writes[Number(index)];
  if (write === undefined) return null;
  // The path of the request says nothing to whoever writes files.
  const plain = detail.replace(
    /^(POST|PATCH|DELETE) \S+ (would be refused, \w+|is refused, so nothing was changed): /,
    '',
  );
  const { change } = write;
  if (change === null) return `settings${member}: ${plain}`;
  const { declared, kind, name } = change;
  if (declared === null) return `the ${kind} ${name}: ${plain}`;
  const words = inFileWords(KINDS[kind], plain);
  const line = /^line (\d+)$/.exec(more ?? '')?.[1];
  if (write.part === 'entries' && declared.entries !== null)
    return `${declared.entries.shown}:${line ?? 1}: ${words}`;
  const [first = '', ...rest] = member.split('/').slice(1);
  const inFile = first === '' ? '' : ['', nameInFiles(KINDS[kind], first), ...rest].join('/');
  return `${declared.at(inFile)}: ${kind} ${name}${inFile === '' ? '' : ` ${inFile.slice(1)}`}: ${words}`;
}

/** Members that a text names, as files call them. */
function inFileWords(kind: Kind, text: string): string {
  return kind.references.reduce(
    (shown, { member, name }) => shown.replace(new RegExp(String.raw`\b${member}\b`, 'g'), name),
    text,
  );
}
