/**
 * `node scripts/steady.ts [--rounds N] [FILE…]`: runs each test file N times (20) in a row on a machine whose cores are all busy, and names those
 * that failed, with the seed that repeats what they tried. Default: every file of `npm test` and of `npm run test:long`. A file that fails one time in many has
 * a cause like any other. The soak runs this last.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { testsByNeed } from '../test/needs.ts';

const ROOT = join(import.meta.dirname, '..');
const TAIL_CHARACTERS = 4_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '20' } },
});
const rounds = Number(values.rounds);
if (!Number.isInteger(rounds) || rounds < 1) {
  console.error(`steady: --rounds is to be a number from 1, not ${values.rounds}.`);
  process.exit(2);
}
const files =
  positionals.length > 0
    ? positionals
    : Object.values(testsByNeed())
        .flat()
        .filter((file) => !file.endsWith('.soak.test.ts'));

const busy = Array.from({ length: availableParallelism() }, keepBusy);
const failures: string[] = [];
for (const file of files) {
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
  console.log(`${file}: ${rounds - failed} of ${rounds} rounds passed`);
}
for (const child of busy) child.kill('SIGKILL');
if (failures.length > 0) console.log(`\nNot steady:\n  ${failures.join('\n  ')}`);
process.exitCode = failures.length > 0 ? 1 : 0;

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
