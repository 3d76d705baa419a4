/** The runs of vitest that `scripts/steady.ts` makes of test files, and which files made one of them fail. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What vitest needs to find the file: `npm test` leaves some out. */
export function configOf(file: string): string[] {
  const run = /\.(long|soak)\.test\.ts$/.exec(file)?.[1];
  return run === undefined ? [] : ['--config', `vitest.${run}.config.ts`];
}

/** Files of one configuration that start no processes share a run, up to `together` of them; each of the others has its own. */
export function runsOf(files: readonly string[], quick: ReadonlySet<string>, together: number): string[][] {
  const runs: string[][] = [];
  const open = new Map<string, string[]>();
  for (const file of files) {
    const kind = quick.has(file) ? configOf(file).join(' ') : file;
    const run = open.get(kind);
    if (run !== undefined && run.length < together) run.push(file);
    else {
      const next = [file];
      runs.push(next);
      open.set(kind, next);
    }
  }
  return runs;
}

/**
 * The files of a run that has failed which did not pass by vitest's report in JSON; all of them where it blames none, since nobody knows then.
 * @param root where the paths of files begin
 */
export function failedOf(run: readonly string[], report: string, root: string): readonly string[] {
  if (run.length === 1 || !existsSync(report)) return run;
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as {
    testResults: readonly { name: string; status: string }[];
  };
  const passed = new Set(testResults.filter(({ status }) => status === 'passed').map(({ name }) => name));
  const failed = run.filter((file) => !passed.has(join(root, file)));
  return failed.length > 0 ? failed : run;
}
