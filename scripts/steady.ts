/**
 * `node scripts/steady.ts [--rounds N] [--at-once N] [--together N] [--busy N] [--resume] [--ledger FILE] [FILE…]`: runs each test file N times (20) in a
 * row on a machine whose cores are all busy, and names those that failed, with the seed that repeats what they tried. Default: every file of `npm test` and
 * of `npm run test:long`, those that start processes first, since they wait for most. A file that fails one time in many has a cause like any other. The
 * soak runs this last.
 *
 * `--resume` leaves out what the ledger has with as many rounds and no failure, unless the file has changed since; `--at-once` has several files in turns of their own.
 * `--together` puts up to this many files that start no processes into one run of vitest, which takes longer to start than most of them do to run.
 * `--busy` is how many cores it keeps busy itself: all of them, or 0 where others do.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testsByNeed } from '../test/needs.ts';
import { SteadyLedger } from './steady-ledger.ts';
import { configOf, failedOf, runsOf } from './steady-runs.ts';

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
const files = named.filter((file) => !values.resume || !ledger.has(file, rounds));
if (files.length < named.length)
  console.log(`${named.length - files.length} of ${named.length} files are in the ledger`);

const busy = Array.from({ length: busyCores }, keepBusy);
const reports = mkdtempSync(join(tmpdir(), 'steady-'));
const failures: string[] = [];
const left = runsOf(files, new Set([...database, ...nothing]), together).values();
await Promise.all(
  Array.from({ length: atOnce }, async (_, turn) => {
    for (const run of left) await tryFiles(run, join(reports, `${turn}.json`));
  }),
);
for (const child of busy) child.kill('SIGKILL');
rmSync(reports, { recursive: true });
if (failures.length > 0) console.log(`\nNot steady:\n  ${failures.join('\n  ')}`);
process.exitCode = failures.length > 0 ? 1 : 0;

function numberOf(option: 'rounds' | 'at-once' | 'together' | 'busy', least: number): number {
  const number = Number(values[option]);
  if (Number.isInteger(number) && number >= least) return number;
  console.error(`steady: --${option} is to be a number from ${least}, not ${values[option]}.`);
  process.exit(2);
}

/** All rounds of the files, one after the other, and their rows in the ledger. */
async function tryFiles(run: readonly string[], report: string): Promise<void> {
  const failed = new Map(run.map((file) => [file, 0]));
  for (let round = 1; round <= rounds; round++) {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const { status, signal, output } = await runOnce(run, seed, report);
    if (status === 0) continue;
    console.log(`\n${output.slice(-TAIL_CHARACTERS)}`);
    for (const file of failedOf(run, report, ROOT)) {
      failed.set(file, failed.get(file)! + 1);
      failures.push(`SEED=${seed} npx vitest run ${[...configOf(file), file].join(' ')}`);
      console.log(`${file}: round ${round} ended with ${signal ?? status}`);
    }
  }
  for (const [file, times] of failed) {
    ledger.note(file, rounds - times, rounds, commit);
    console.log(`${file}: ${rounds - times} of ${rounds} rounds passed`);
  }
}

/** A core's worth of work that never ends by itself, nor outlives this process. */
function keepBusy(): ChildProcess {
  const program =
    'process.stdin.on("end", () => process.exit()).resume(); (function spin() { for (let i = 0; i < 1e8; i++); setImmediate(spin); })()';
  return spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'ignore'] });
}

async function runOnce(
  run: readonly string[],
  seed: number,
  report: string,
): Promise<{ status: number | null; signal: NodeJS.Signals | null; output: string }> {
  rmSync(report, { force: true });
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const child = spawn(process.execPath, [vitest, 'run', ...configOf(run[0]!), ...reporters, ...run], {
    cwd: ROOT,
    env: { ...process.env, SEED: String(seed), NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4 * TAIL_CHARACTERS)));
  const [status, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { status, signal, output };
}
