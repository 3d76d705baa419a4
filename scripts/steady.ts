/**
 * `node scripts/steady.ts [--rounds N] [--at-once N] [--resume] [--ledger FILE] [FILE…]`: runs each test file N times (20) in a row on a machine whose cores are all
 * busy, and names those that failed, with the seed that repeats what they tried. Default: every file of `npm test` and of `npm run test:long`, those that start
 * processes first, since they wait for most. A file that fails one time in many has a cause like any other. The soak runs this last.
 *
 * `--resume` leaves out what the ledger has with as many rounds and no failure, unless the file has changed since; `--at-once` has several files in turns of their own.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testsByNeed } from '../test/needs.ts';
import { SteadyLedger } from './steady-ledger.ts';

const ROOT = join(import.meta.dirname, '..');
const TAIL_CHARACTERS = 4_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '20' },
    'at-once': { type: 'string', default: '1' },
    resume: { type: 'boolean', default: false },
    ledger: { type: 'string', default: join(ROOT, 'test/steady-files.tsv') },
  },
});
const rounds = atLeastOne('rounds');
const atOnce = atLeastOne('at-once');
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

const busy = Array.from({ length: availableParallelism() }, keepBusy);
const failures: string[] = [];
const left = files.values();
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (const file of left) await tryFile(file);
  }),
);
for (const child of busy) child.kill('SIGKILL');
if (failures.length > 0) console.log(`\nNot steady:\n  ${failures.join('\n  ')}`);
process.exitCode = failures.length > 0 ? 1 : 0;

function atLeastOne(option: 'rounds' | 'at-once'): number {
  const number = Number(values[option]);
  if (Number.isInteger(number) && number >= 1) return number;
  console.error(`steady: --${option} is to be a number from 1, not ${values[option]}.`);
  process.exit(2);
}

/** All rounds of the file, one after the other, and its row in the ledger. */
async function tryFile(file: string): Promise<void> {
  let failed = 0;
  for (let round = 1; round <= rounds; round++) {
    const seed = Math.floor(Math.random() * 2 ** 31);
    const { status, signal, output } = await runOnce(file, seed);
    if (status === 0) continue;
    failed += 1;
    failures.push(`SEED=${seed} npx vitest run ${[...configOf(file), file].join(' ')}`);
    console.log(
      `\n${output.slice(-TAIL_CHARACTERS)}\n${file}: round ${round} ended with ${signal ?? status}`,
    );
  }
  ledger.note(file, rounds - failed, rounds, commit);
  console.log(`${file}: ${rounds - failed} of ${rounds} rounds passed`);
}

/** A core's worth of work that never ends by itself, nor outlives this process. */
function keepBusy(): ChildProcess {
  const program =
    'process.stdin.on("end", () => process.exit()).resume(); (function spin() { for (let i = 0; i < 1e8; i++); setImmediate(spin); })()';
  return spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'ignore', 'ignore'] });
}

/** What vitest needs to find the file: `npm test` leaves some out. */
function configOf(file: string): string[] {
  const run = /\.(long|soak)\.test\.ts$/.exec(file)?.[1];
  return run === undefined ? [] : ['--config', `vitest.${run}.config.ts`];
}

async function runOnce(
  file: string,
  seed: number,
): Promise<{ status: number | null; signal: NodeJS.Signals | null; output: string }> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const child = spawn(process.execPath, [vitest, 'run', ...configOf(file), file], {
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
