// A vitest reporter for continuous integration: closes the run with one line that needs no knowledge of vitest,
// `N passed, N failed`, and fails a run in which a test was skipped. A file that does not end is named while it runs, since
// nobody will be left to name it when the run is cut off; the slowest files are named at the end, and what failed, each with the first
// line of its error, between two lines that .ci/run finds. Wired in vitest.config.ts when CI=true.

import type { Reporter, TestModule } from 'vitest/node';

const LONG_MS = 300_000;
const SLOWEST_NAMED = 10;

export default class ClosingLine implements Reporter {
  readonly #running = new Map<string, NodeJS.Timeout>();

  onTestModuleStart({ relativeModuleId: file }: TestModule): void {
    const tell = (): void =>
      console.log(`\n${file} has been running for more than ${LONG_MS / 60_000} minutes`);
    this.#running.set(file, setTimeout(tell, LONG_MS).unref());
  }

  onTestModuleEnd({ relativeModuleId: file }: TestModule): void {
    clearTimeout(this.#running.get(file));
    this.#running.delete(file);
  }

  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    const skipped: string[] = [];
    const broken = unhandledErrors.map((error) => `outside of a test: ${firstLine(error)}`);
    for (const module of modules) {
      let failedHere = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') {
          failedHere += 1;
          broken.push(
            `${module.relativeModuleId} > ${test.fullName}: ${firstLine(test.result().errors?.[0])}`,
          );
        } else skipped.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
      // A file that does not load has no tests that could fail.
      if (failedHere === 0 && module.state() === 'failed') {
        failedHere = 1;
        broken.push(`${module.relativeModuleId}: ${firstLine(module.errors()[0])}`);
      }
      failed += failedHere;
    }
    console.log(`\nThe slowest files:\n${slowest(modules).join('\n')}`);
    if (skipped.length > 0) {
      console.log(
        `\nIn CI nothing is skipped, but these tests were; they count as failed:\n  ${skipped.join('\n  ')}`,
      );
      process.exitCode = 1;
    }
    if (broken.length > 0) console.log(`\nWhat failed:\n  ${broken.join('\n  ')}`);
    console.log(`\n${passed} passed, ${failed + skipped.length} failed`);
  }
}

function slowest(modules: readonly TestModule[]): string[] {
  return modules
    .map((module) => ({ file: module.relativeModuleId, seconds: module.diagnostic().duration / 1000 }))
    .toSorted((a, b) => b.seconds - a.seconds)
    .slice(0, SLOWEST_NAMED)
    .map(({ file, seconds }) => `  ${seconds.toFixed(1).padStart(6)} s  ${file}`);
}

function firstLine(error: unknown): string {
  const message = (error as { message?: unknown } | undefined)?.message ?? error;
  return typeof message === 'string' ? message.split('\n', 1)[0]! : 'without a message';
}
