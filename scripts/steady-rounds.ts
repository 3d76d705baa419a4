/**
 * Rounds of test files in one process of vitest, which `steady-runs.ts` starts: starting vitest takes longer than most files do. Each round is a whole run of its
 * own, in processes that vitest starts for it and ends, with a seed of its own. After each round, this one says how it went.
 */
import { relative } from 'node:path';
import { Writable } from 'node:stream';
import { createVitest } from 'vitest/node';
import type { Round, RoundsToRun } from './steady-runs.ts';

const TAIL_CHARACTERS = 16_000;

// Nobody is left to hear of it.
process.once('disconnect', () => process.exit(1));
const { root, config, files, seeds } = JSON.parse(process.argv[2]!) as RoundsToRun;
let output = '';
const stdout = new Writable({
  write(chunk: Buffer, _, done) {
    output = (output + chunk.toString()).slice(-TAIL_CHARACTERS);
    done();
  },
});
let passed = new Set<string>();
const vitest = await createVitest(
  {
    ...{ root, watch: false, ...(config === undefined ? {} : { config }) },
    reporters: [
      'default',
      {
        onTestModuleEnd(module) {
          if (module.ok() && module.state() !== 'pending') passed.add(relative(root, module.moduleId));
        },
      },
    ],
  },
  {},
  { stdout, stderr: stdout },
);
await vitest.standalone();
const specifications = (await vitest.globTestSpecifications([...files])).filter(({ moduleId }) =>
  files.includes(relative(root, moduleId)),
);
for (const seed of seeds) {
  // vitest hands its own environment on to the processes of each run.
  process.env.SEED = String(seed);
  [output, passed] = ['', new Set()];
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
  const failed = files.filter((file) => !passed.has(file));
  // Nobody knows whose error it is that none of them failed for.
  const blamed = failed.length === 0 && unhandledErrors.length > 0 ? files : failed;
  const round: Round = { seed, failed: blamed, output: blamed.length > 0 ? output : '' };
  await new Promise((resolve) => process.send!(round, resolve));
}
await vitest.close();
process.exit();
