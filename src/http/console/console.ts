/**
 * `GET /console/`: the web page for people. It is a part of the service that talks to nothing but `/v1`, and it loads nothing from elsewhere.
 * Paths of its own, such as `/console/revisions/42`, are answered with the page, which finds out what to show.
 */
import { fileURLToPath } from 'node:url';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../api/problems/problem.ts';
import { digestOf, sendStoredFile, type FileHeaders, type StoredFile } from '../stored-file.ts';
import { addVary } from '../vary.ts';
import { PAGE, readConsoleFiles, type ConsoleFiles } from './console-files.ts';
import { NOT_BUILT } from './not-built.ts';

const ROOT = '/console/';
/** Shapes of the paths below that one may ask for, for what is said about other methods. */
export const CONSOLE_PATHS = ['/console', ROOT] as const;

/** The same path from the sources, from a bundle, and from a package. */
const BUILT = fileURLToPath(new URL('../../../dist/console', import.meta.url));

/** No text ever becomes code: neither in the page, nor by what the page makes of answers (Trusted Types). */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Names of files in `assets/` have a digest of their content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** @param folder what was built */
export function serveConsole(
  server: FastifyInstance,
  answerUnknownPath: (request: FastifyRequest, reply: FastifyReply) => FastifyReply,
  folder = BUILT,
): void {
  let files: Promise<ConsoleFiles | null> | undefined;
  const read = async (): Promise<ConsoleFiles | null> => {
    files ??= readConsoleFiles(folder);
    const found = await files;
    // A console that is built now is found without a restart.
    if (found === null) files = undefined;
    return found;
  };

  server.get('/', (request, reply) => {
    addVary(reply, 'Accept');
    return wantsPage(request) ? reply.redirect(ROOT, 302) : answerUnknownPath(request, reply);
  });
  server.get('/console', (_request, reply) => reply.redirect(ROOT, 308));
  server.get<{ Params: { '*': string } }>(`${ROOT}*`, async (request, reply) => {
    const found = await read();
    if (found === null) return send(request, reply.code(503), NOT_BUILT_FILE, 'no-store');
    const path = request.params['*'];
    const file = found.get(path);
    if (file !== undefined && path !== PAGE)
      return send(request, reply, file, path.startsWith('assets/') ? IMMUTABLE : 'no-cache');
    // A file of an older build that an open page still asks for: the page itself would be taken for a script.
    if (path.startsWith('assets/')) throw new Problem('not_found', `The console has no file ${path}.`);
    return send(request, reply, found.get(PAGE)!, 'no-cache');
  });
}

const NOT_BUILT_FILE: StoredFile = {
  mediaType: 'text/html; charset=utf-8',
  bytes: Buffer.from(NOT_BUILT),
  coded: [],
  digest: digestOf(Buffer.from(NOT_BUILT)),
};

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
  cacheControl: FileHeaders['cacheControl'],
): FastifyReply {
  return sendStoredFile(request, reply, file, {
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    cacheControl,
  });
}

/** Browsers name the type; curl and clients of the API do not. */
function wantsPage(request: FastifyRequest): boolean {
  return request.headers.accept?.includes('text/html') === true;
}
