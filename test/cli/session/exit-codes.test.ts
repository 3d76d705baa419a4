/** How commands end by what the service answers. */
import { expect, test } from 'vitest';
import { EXIT } from '../../../src/cli/process/command-error.ts';
import { exitCodeOf } from '../../../src/cli/session/run-remote.ts';

test.each([
  ['source_http_status', 422, EXIT.failed],
  ['source_unreachable', 422, EXIT.failed],
  ['source_bad_url', 422, EXIT.usage],
  ['validation_failed', 422, EXIT.usage],
  ['busy', 503, EXIT.tryAgain],
  ['large_withdrawal', 409, EXIT.held],
  ['conflict', 409, EXIT.conflict],
])('%s (%i) ends a command with %i', (code, status, exitCode) => {
  expect(exitCodeOf({ code, status })).toBe(exitCode);
});
