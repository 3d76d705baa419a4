/**
 * `node scripts/steady.ts [--rounds N] [--at-once N] [--together N] [--busy N] [--resume] [--ledger FILE] [FILE…]`: runs each test file N times (20) in a
 * row on a machine whose cores are all busy, and names those that failed, with the seed that repeats what they tried. Default: every file of `npm test` and
 * of `npm run test:long`, those that start processes first, since they wait for most. A file that fails one time in many has a cause like any other. The
 * soak runs this last.
 *
 * `--resume` goes on from the rounds that the ledger has of a file without a failure, unless the file has changed since, and leaves out what has passed them all;
 * the ledger is written after each round. `--at-once` has several files in turns of their own.
 * `--together` puts up to this many files into one run of vitest, as `npm test` does, all but those that have a process of their own there.
 * `--busy` is how many cores it keeps busy itself: all of them, or 0 where others do.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testsByNeed } from '../test/needs.ts';
import { SteadyLedger } from './steady-ledger.ts';
import { configOf, roundsOf, runsOf } from './steady-runs.ts';

const ROOT = join(import.meta.dirname, '..');
const TAIL_CHARACTERS = 4_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '20' },
    'at-once': { type: 'string', default: '1' },
    together: { type: 'string', default: '1' },
    busy: { type: 'string', default: String(availableParallelism()) },
    resume: { type: 'boolean', default: false },
    ledger: { type: 'string', default: join(ROOT, 'test/steady-files.tsv') },
  },
});
const rounds = numberOf('rounds', 1);
const atOnce = numberOf('at-once', 1);
const together = numberOf('together', 1);
const busyCores = numberOf('busy', 0);
const ledger = new SteadyLedger(values.ledger, ROOT);
const commit = execFileSync('git', ['rev-parse', '--short=8', 'HEAD'], {
  cwd: ROOT,
  encoding: 'utf8',
}).trim();
const { processes, alone, database, nothing } = testsByNeed();
const named =
  positionals.length > 0
    ? positionals
    : [...processes, ...alone, ...database, ...nothing].filter((file) => !file.endsWith('.soak.test.ts'));
const missing = named.find((file) => !existsSync(join(ROOT, file)));
if (missing !== undefined) {
  console.error(`steady: there is no ${missing}.`);
  process.exit(2);
}
const before = new Map(named.map((file) => [file, values.resume ? ledger.passed(file) : 0]));
const files = named.filter((file) => before.get(file)! < rounds);
if (files.length < named.length)
  console.log(`${named.length - files.length} of ${named.length} files are in the ledger`);

const busy = Array.from({ length: busyCores }, keepBusy);
const failures: string[] = [];
const shared = new Set([...processes, ...database, ...nothing]);
const left = runsOf(files, { shared, together, before }).values();
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (const run of left) await tryFiles(run);
  }),
);
for (const child of busy) child.kill('SIGKILL');
if (failures.length > 0) console.log(`\nNot steady:\n  ${failures.join('\n  ')}`);
process.exitCode = failures.length > 0 ? 1 : 0;

function numberOf(option: 'rounds' | 'at-once' | 'together' | 'busy', least: number): number {
  const number = Number(values[option]);
  if (Number.isInteger(number) && number >= least) return number;
  console.error(`steady: --${option} is to be a number from ${least}, not ${values[option]}.`);
  process.exit(2);
}

/** The rounds that are missing of the files, one after the other; each is noted in the ledger. */
async function tryFiles(run: readonly string[]): Promise<void> {
  const failed = new Map(run.map((file) => [file, 0]));
  // All of a run have passed as many.
  let round = before.get(run[0]!)!;
  const seeds = Array.from({ length: rounds - round }, () => Math.floor(Math.random() * 2 ** 31));
  const config = configOf(run[0]!);
  for await (const { seed, failed: blamed, output } of roundsOf({ root: ROOT, config, files: run, seeds })) {
    round++;
    if (blamed.length > 0) console.log(`\n${output.slice(-TAIL_CHARACTERS)}`);
    for (const file of blamed) {
      failed.set(file, failed.get(file)! + 1);
      const options = config === undefined ? '' : `--config ${config} `;
      failures.push(`SEED=${seed} npx vitest run ${options}${file}`);
      console.log(`${file}: round ${round} failed`);
    }
    for (const [file, times] of failed) ledger.note(file, round - times, round, commit);
  }
  for (const [file, times] of failed) console.log(`${file}: ${rounds - times} of ${rounds} rounds passed`);
}

/** A core's worth of work that never ends by itself, nor outlives this process. */
function keepBusy(): ChildProcess {
  const program =
    'process.stdin.on("end", () => process.exit()).resume(); (function spin() { for (let i = 0; i < 1e8; i++); setImmediate(spin); })()';
  return spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'ignore'] });
}
