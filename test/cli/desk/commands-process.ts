/** Runs one command line after the other in this process, as messages name them: what hundreds of commands print, without hundreds of starts. */
import { runProgram } from '../../../src/program.ts';

process.on('message', (words: string[]) => {
  void runProgram(words).then(
    (code) => process.send!(code),
    (error: unknown) => {
      console.error(error);
      process.send!(70);
    },
  );
});
