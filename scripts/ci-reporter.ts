// A vitest reporter for continuous integration: closes the run with one line that needs no knowledge of vitest,
// `N passed, N failed`, and fails a run in which a test was skipped. Wired in vitest.config.ts when CI=true.

import type { Reporter, TestModule } from 'vitest/node';

export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    let passed = 0;
    let failed = unhandledErrors.length;
    const skipped: string[] = [];
    for (const module of modules) {
      let failedHere = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') passed += 1;
        else if (state === 'failed') failedHere += 1;
        else skipped.push(`${module.relativeModuleId} > ${test.fullName}`);
      }
      // A file that does not load has no tests that could fail.
      if (failedHere === 0 && module.state() === 'failed') failedHere = 1;
      failed += failedHere;
    }
    if (skipped.length > 0) {
      console.log(
        `\nIn CI nothing is skipped, but these tests were; they count as failed:\n  ${skipped.join('\n  ')}`,
      );
      process.exitCode = 1;
    }
    console.log(`\n${passed} passed, ${failed + skipped.length} failed`);
  }
}
