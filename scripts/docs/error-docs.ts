/** docs/reference/errors.md: every code of the closed table of problems. */
import { STATUS_CODES } from 'node:http';
import { PROBLEM_HELP } from '../../src/api/problems/problem-help.ts';
import { RESULT_CODES } from '../../src/api/problems/result-codes.ts';
import { PROBLEMS, type ProblemCode } from '../../src/api/problems/problem.ts';
import { table } from './schema-text.ts';

const INTRODUCTION = `# Errors

Made by \`npm run docs\` from the table of problems; do not edit.

Every error is \`application/problem+json\` (RFC 9457). Programs use \`code\`, which never changes; \`detail\` is for people and says what
was wrong, where, and how to fix it. \`type\` is a page of the service about the code. A job that failed carries \`code\`,
\`title\` and \`detail\` in its \`error\`.

\`\`\`json
{
  "type": "/docs/errors/validation_failed",
  "title": "The values are not valid",
  "status": 422,
  "detail": "/asn must be an integer from 1 to 4294967294.",
  "instance": "/v1/modules/0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77/as-entries",
  "code": "validation_failed",
  "request_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c78",
  "errors": [{ "pointer": "/asn", "detail": "must be an integer from 1 to 4294967294." }]
}
\`\`\``;

/** No request is answered with these. */
const OF_RESULTS = `Results of jobs, speakers, entries and warnings of revisions also carry codes that no request is answered with:
${Object.keys(RESULT_CODES)
  .map((code) => `[\`${code}\`](#${code})`)
  .join(', ')}.`;

export function errorDocs(): string {
  const codes = Object.keys(PROBLEMS) as ProblemCode[];
  const contents = table(
    ['status', 'code', 'title'],
    codes.map((code) => [String(PROBLEMS[code].status), `[\`${code}\`](#${code})`, PROBLEMS[code].title]),
  );
  const sections = codes.map((code) => {
    const { status, title } = PROBLEMS[code];
    const { when, remedy } = PROBLEM_HELP[code];
    return `## ${code}\n\n${title}: ${status} ${STATUS_CODES[status]}.\n\n- When: ${when}\n- What to do: ${remedy}`;
  });
  const results = Object.entries(RESULT_CODES).map(
    ([code, { title, when, remedy }]) =>
      `## ${code}\n\n${title}.\n\n- When: ${when}\n- What to do: ${remedy}`,
  );
  return [INTRODUCTION, contents, OF_RESULTS, ...sections, ...results].join('\n\n');
}
