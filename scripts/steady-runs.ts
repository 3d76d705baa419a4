/** The runs of vitest that `scripts/steady.ts` makes of test files, and which files made one of them fail. */
import { spawn } from 'node:child_process';
import { on } from 'node:events';
import { join } from 'node:path';

const TAIL_CHARACTERS = 16_000;

/** Files of one configuration, in as many rounds as there are seeds. */
export interface RoundsToRun {
  /** Where the paths of files begin. */
  readonly root: string;
  /** A file of vitest; undefined: the one it finds. */
  readonly config: string | undefined;
  readonly files: readonly string[];
  readonly seeds: readonly number[];
}

export interface Round {
  readonly seed: number;
  /** The files that did not pass; all of them where nobody knows which one it was. */
  readonly failed: readonly string[];
  /** The end of what vitest printed, where some failed. */
  readonly output: string;
}

/** What vitest needs to find the file: `npm test` leaves some out. */
export function configOf(file: string): string | undefined {
  const run = /\.(long|soak)\.test\.ts$/.exec(file)?.[1];
  return run === undefined ? undefined : `vitest.${run}.config.ts`;
}

/** How files share runs. */
export interface Sharing {
  /** Those that share processes in `npm test` as well; each of the others has a run of its own. */
  readonly shared: ReadonlySet<string>;
  /** How many may share one. */
  readonly together: number;
  /** The rounds that files have passed before; none where it says nothing. */
  readonly before?: ReadonlyMap<string, number>;
}

/** Files of one configuration that lack as many rounds share a run. */
export function runsOf(files: readonly string[], { shared, together, before }: Sharing): string[][] {
  const runs: string[][] = [];
  const open = new Map<string, string[]>();
  for (const file of files) {
    const kind = shared.has(file) ? `${configOf(file)} ${before?.get(file) ?? 0}` : file;
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

/** The rounds, one after the other. Where vitest itself ends in the middle of one, that one has failed, and another vitest goes on. */
export async function* roundsOf({ seeds, ...run }: RoundsToRun): AsyncGenerator<Round> {
  for (let done = 0; done < seeds.length;) {
    const toRun: RoundsToRun = { ...run, seeds: seeds.slice(done) };
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, 'steady-rounds.ts'), JSON.stringify(toRun)],
      {
        cwd: run.root,
        env: { ...process.env, TEST: 'true', VITEST: 'true', NODE_ENV: 'test', NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      },
    );
    let output = '';
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-TAIL_CHARACTERS)));
    for await (const [round] of on(child, 'message', { close: ['close'] }) as AsyncIterable<[Round]>) {
      done++;
      yield round;
    }
    if (done < seeds.length)
      yield {
        seed: seeds[done++]!,
        failed: run.files,
        output: `${output}\nvitest ended with ${child.signalCode ?? child.exitCode}`,
      };
  }
}
