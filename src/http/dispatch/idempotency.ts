/**
 * `Idempotency-Key`: a change is made once however often its request is repeated, across processes and crashes. The claim is
 * committed before the work starts; the answer is kept in the transaction of the change itself, so that there is never a
 * change without its answer. Answers may hold secrets (a new API key), so they are kept encrypted.
 */
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { FastifyRequest } from 'fastify';
import { Problem } from '../../api/problems/problem.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { claimIdempotencyKey, finishIdempotencyKey, releaseIdempotencyKey } from '../../store/idempotency.ts';
import { openFor, sealFor } from '../../store/sealed-values.ts';
import type { Rendered } from '../answer.ts';
import { instanceOf, problemBody, problemHeaders, toProblem } from '../problem-answer.ts';
import type { Services } from '../route.ts';

/** What is kept of an answer. */
interface Kept {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Runs `perform` in a transaction of the caller's tenant; with an Idempotency-Key only the first time.
 * @param inTenant opens that transaction
 * @throws {Problem} `idempotency_key_reused`, `idempotency_in_progress`, `malformed_request`, or what `perform` throws
 */
export async function answerOnce(
  { db, secrets }: Services,
  request: FastifyRequest,
  perform: (tx: TenantTx) => Promise<Rendered>,
  inTenant: (work: (tx: TenantTx) => Promise<Rendered>) => Promise<Rendered>,
): Promise<Rendered> {
  const { tenant, key: apiKey } = request.principal!;
  const key = readIdempotencyKey(request);
  if (key === undefined) return inTenant(perform);

  const requestHash = secrets.fingerprint(
    JSON.stringify([
      request.method,
      request.url,
      request.headers['if-match'] ?? null,
      fingerprintable(request.body),
    ]),
  );
  const claim = await db.inTenant(tenant.id, (tx) =>
    claimIdempotencyKey(tx, { apiKeyId: apiKey.id, key, requestHash }),
  );
  const ofTenant = { tenantId: tenant.id };
  const owner = { table: 'idempotency', id: `${apiKey.id} ${key}` } as const;
  if (claim.state === 'finished') {
    const answer = openFor(ofTenant, secrets, owner, claim.answer);
    if (answer === null)
      throw new Problem(
        'idempotency_key_reused',
        'A request with this Idempotency-Key has been carried out, and its answer cannot be opened any more. Look at what it changed, and use a new key for a new request.',
      );
    const text = await unpacked(answer);
    const { status, headers, body } = JSON.parse(text) as Kept;
    return { status, headers: { ...headers, 'idempotency-replayed': 'true' }, body };
  }
  if (claim.state === 'reused')
    throw new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key came before with another method, path, If-Match or body. Use a new key for a new request.',
    );
  if (claim.state === 'running')
    throw new Problem(
      'idempotency_in_progress',
      'The first request with this Idempotency-Key has no answer yet. Ask again in a moment.',
      { retryAfter: 1 },
    );

  const keep = async (tx: TenantTx, { status, headers, body }: Rendered): Promise<void> => {
    const kept: Kept = { status, headers, body: typeof body === 'string' ? body : '' };
    const answer = sealFor(ofTenant, secrets, owner, await compress(Buffer.from(JSON.stringify(kept))));
    if (!(await finishIdempotencyKey(tx, apiKey.id, key, claim.claimId, answer)))
      throw new Problem(
        'idempotency_in_progress',
        'The request took so long that a repetition of it took over. Repeat it for the answer.',
        { retryAfter: 1 },
      );
  };
  try {
    return await inTenant(async (tx) => {
      const rendered = await perform(tx);
      await keep(tx, rendered);
      return rendered;
    });
  } catch (error) {
    const problem = toProblem(error);
    // What failed by the service's own fault, only for now, or by values that were wrong may be retried with the same key, corrected
    // as well; any other refusal stands.
    const isFree = problem.status >= 500 || problem.status === 422 || problem.retryAfter !== undefined;
    await db
      .inTenant(tenant.id, (tx) =>
        isFree
          ? releaseIdempotencyKey(tx, apiKey.id, key, claim.claimId)
          : keep(tx, {
              status: problem.status,
              headers: problemHeaders(problem),
              body: problemBody(problem, request.id, instanceOf(request)),
            }),
      )
      .catch((fault: unknown) => {
        // The claim runs out by itself; the caller should see the first fault.
        request.log.warn({ err: fault }, 'the Idempotency-Key could not be released');
      });
    throw error;
  }
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

const BRACE = '{'.charCodeAt(0);

/** Answers that an earlier version kept are not compressed. */
async function unpacked(answer: Buffer): Promise<string> {
  return (answer[0] === BRACE ? answer : await decompress(answer)).toString();
}

/** A file is recorded by its digest: as JSON it would be several times its size. */
function fingerprintable(body: unknown): unknown {
  return body instanceof Uint8Array ? createHash('sha256').update(body).digest('hex') : (body ?? null);
}

function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw new Problem(
    'malformed_request',
    'Idempotency-Key must be 1 to 255 printable ASCII characters without blanks, such as a UUID.',
  );
}
