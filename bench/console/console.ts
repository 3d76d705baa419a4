/**
 * `npm run bench -- console [WORD…]`: the console in Chromium where there is much of everything: no interaction may block the page for
 * longer than 100 ms, nor the page take more than 300 MB; and how long the first load takes on a processor of a quarter of the speed.
 * Words choose scenes (`grid`, `text`, `diff`, `peers`, `modules`, `load`).
 */
import { execFileSync } from 'node:child_process';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { machine, median } from '../measure/report.ts';
import { firstLoads } from './first-load.ts';
import { SCENES } from './scenes.ts';
import { makeSubject, type Subject } from './subject.ts';
import { WatchedPage } from './watched-page.ts';

const LONGEST_GOAL_MS = 100;
const MEMORY_GOAL_MB = 300;
const INTERACTIVE_GOAL_MS = 1_000;

export async function run(words: readonly string[]): Promise<void> {
  const root = join(import.meta.dirname, '../..');
  execFileSync(process.execPath, [join(root, 'scripts/build-console.ts'), '--stale']);
  const isWanted = (name: string): boolean => words.length === 0 || words.some((word) => name.includes(word));
  console.log(`${machine()}; load ${loadavg()[0]!.toFixed(1)}`);
  const subject = await makeSubject();
  try {
    console.log(`import of the entries by a request: ${subject.importTime.toFixed(0)} ms`);
    for (const [name, scene] of Object.entries(SCENES)) {
      if (!isWanted(name)) continue;
      const watched = await WatchedPage.open();
      try {
        await scene(watched, subject);
      } finally {
        tell(name, watched);
        await watched.close();
      }
    }
    if (isWanted('load')) await load(subject);
  } finally {
    await subject.close();
  }
}

function tell(name: string, { measured, peak }: WatchedPage): void {
  const verdict = peak <= MEMORY_GOAL_MB ? 'met' : 'NOT met';
  console.log(
    `${name}: ${peak.toFixed(0)} MB at most, goal ${MEMORY_GOAL_MB}: ${verdict}; load ${loadavg()[0]!.toFixed(1)}`,
  );
  for (const { what, longest, time } of measured) {
    const shown = longest === 0 ? '< 50 ms' : `${longest.toFixed(0)} ms`;
    const isOver = longest > LONGEST_GOAL_MS;
    console.log(
      `  ${what.padEnd(40)} ${time.toFixed(0).padStart(6)} ms, longest task ${shown}${isOver ? '  NOT met' : ''}`,
    );
  }
}

async function load(subject: Subject): Promise<void> {
  const { times, script, style } = await firstLoads(subject);
  const [middle, least] = [median(times), Math.min(...times)];
  const verdict = middle <= INTERACTIVE_GOAL_MS ? 'met' : 'NOT met';
  console.log(
    `first load, 4x throttled: interactive after ${middle.toFixed(0)} ms (median of ${times.length}, the least ${least.toFixed(0)}), goal ${INTERACTIVE_GOAL_MS}: ${verdict}`,
  );
  console.log(
    `  ${(script / 1_000).toFixed(0)} kB of script and ${(style / 1_000).toFixed(0)} kB of CSS came`,
  );
}
