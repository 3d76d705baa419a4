/** `GET /docs/errors/{code}`: what a code means and what to do, as a page that needs nothing else. `type` of every problem leads to one. */
import { STATUS_CODES } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { nearest } from '../../api/problems/nearest.ts';
import { PROBLEM_HELP } from '../../api/problems/problem-help.ts';
import { ERROR_PAGES, PROBLEMS, Problem, type ProblemCode } from '../../api/problems/problem.ts';
import { RESULT_CODES } from '../../api/problems/result-codes.ts';
import { digestOf, sendStoredFile, type StoredFile } from '../stored-file.ts';

const CODE_PATH = `${ERROR_PAGES}/{code}`;
/** Paths of the pages, as the table of routes writes them. */
export const ERROR_PAGE_PATHS = [ERROR_PAGES, CODE_PATH] as const;

const HEADERS = {
  contentSecurityPolicy:
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  cacheControl: 'no-cache',
};

export function serveErrorPages(server: FastifyInstance): void {
  const pages = new Map<string, StoredFile>();
  const known = [...Object.keys(PROBLEMS), ...Object.keys(RESULT_CODES)];
  const pageOf = (code: string): StoredFile => {
    const page = pages.get(code) ?? storedPage(code === '' ? contents(known) : pageOfCode(code));
    pages.set(code, page);
    return page;
  };
  server.get(ERROR_PAGES, (request, reply) => sendStoredFile(request, reply, pageOf(''), HEADERS));
  server.get(`${ERROR_PAGES}/:code`, (request, reply) => {
    const { code } = request.params as { code: string };
    if (known.includes(code)) return sendStoredFile(request, reply, pageOf(code), HEADERS);
    const near = nearest(code, known);
    const meant = near === undefined ? '' : ` Did you mean ${near}?`;
    throw new Problem(
      'not_found',
      `No error has the code ${JSON.stringify(code.slice(0, 100))}.${meant} GET ${ERROR_PAGES} lists them.`,
    );
  });
}

function storedPage(html: string): StoredFile {
  const bytes = Buffer.from(html);
  return { mediaType: 'text/html; charset=utf-8', bytes, digest: digestOf(bytes), coded: [] };
}

function pageOfCode(code: string): string {
  const { title, lead, when, remedy, example } = Object.hasOwn(PROBLEMS, code)
    ? problemText(code as ProblemCode)
    : resultText(code as keyof typeof RESULT_CODES);
  const said = example === null ? '' : `<h2>For example</h2><p>${marked(example)}</p>`;
  return page(
    code,
    '../style.css',
    `<p>${marked(title)}. ${lead}</p><h2>When</h2><p>${marked(when)}</p><h2>What to do</h2><p>${marked(remedy)}</p>${said}` +
      '<p><a href="../errors">All codes</a> · <a href="../../docs">The API</a></p>',
  );
}

function problemText(code: ProblemCode) {
  const { status, title } = PROBLEMS[code];
  const lead = `Status ${status} ${STATUS_CODES[status] ?? ''}.`;
  return { title, lead, ...PROBLEM_HELP[code] };
}

function resultText(code: keyof typeof RESULT_CODES) {
  return {
    lead: 'No request is answered with it: it stands in results.',
    ...RESULT_CODES[code],
    example: null,
  };
}

function contents(codes: readonly string[]): string {
  const titles: Readonly<Record<string, { readonly title: string }>> = { ...PROBLEMS, ...RESULT_CODES };
  const items = codes.map(
    (code) => `<li><a href="errors/${code}"><code>${code}</code></a> ${marked(titles[code]!.title)}</li>`,
  );
  return page('Errors', 'style.css', `<ul>${items.join('')}</ul><p><a href="../docs">The API</a></p>`);
}

/** @param style where the style sheet is, from this page */
function page(title: string, style: string, body: string): string {
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8" />' +
    '<meta name="viewport" content="width=device-width, initial-scale=1" />' +
    `<title>${title} · Prefixcast</title><link rel="stylesheet" href="${style}" /></head>` +
    `<body><main class="error"><h1>${title}</h1>${body}</main></body></html>`
  );
}

/** Text as HTML, with code between backticks. */
function marked(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return escaped.replace(/`([^`]+)`/g, '<code>$1</code>');
}
