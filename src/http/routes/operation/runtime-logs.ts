import { AuditRecord } from '../../../api/activity/audit.ts';
import { PageOf } from '../../../api/shapes/page.ts';
import { Problem } from '../../../api/problems/problem.ts';
import {
  RUNTIME_LOG_NOUN,
  RuntimeLogAuditQuery,
  RuntimeLogCleanup,
  RuntimeLogDeleteQuery,
  RuntimeLogFile,
  RuntimeLogQuery,
  RuntimeLogRunQuery,
  RuntimeLogTail,
  RuntimeLogTailQuery,
} from '../../../api/operation/runtime-logs.ts';
import { SCHEDULER } from '../../../control/actor.ts';
import { ownsMachine, requireHomeTenant } from '../../../control/access/home-tenant.ts';
import {
  cleanLogsByLimits,
  cleanRuntimeLog,
  estimateLogCleanup,
  listRuntimeLogs,
  readLogLimits,
  readMaximumFileBytes,
} from '../../../control/maintenance/runtime-logs.ts';
import type { LogDirectory } from '../../../logs/log-directory.ts';
import { lineFilter } from '../../../logs/log-lines.ts';
import { tailLog, type Tail } from '../../../logs/tail-log.ts';
import { listAuditRecords } from '../../../store/audit/audit.ts';
import { readByName } from '../../../store/database/pagination.ts';
import { tenantRoute, type Answer, type Services } from '../../route.ts';
import { inPieces } from '../../../concurrency/paced-text.ts';
import { EVENT_STREAM } from '../activity/events.ts';

const tag = 'runtime logs';
const path = '/v1/runtime-logs';
const item = `${path}/files/{filename}` as const;
const params = { filename: RUNTIME_LOG_NOUN } as const;
const CLEANING = 'clean log files';
const TEXT = 'text/plain';

export const runtimeLogRoutes = [
  tenantRoute({
    method: 'GET',
    path: `${path}/files`,
    operation: 'listRuntimeLogs',
    permission: 'bgp:logs:read',
    tag,
    summary: 'List log files',
    description:
      'Every `*.log` of `APP_RUNTIME_LOGS_DIR`, by name: the log of the service (`app-all.log`), and what routing daemons write ' +
      'beside it. Links, FIFOs and directories are left out.',
    status: 200,
    problems: ['runtime_logs_unavailable'],
    query: RuntimeLogQuery,
    response: PageOf(RuntimeLogFile),
    asksOutside: true,
    handler: async ({ tx, query, services }) => {
      const directory = directoryOf(services);
      const page = readByName(tx, 'runtime logs', query);
      const maximum = await readMaximumFileBytes(tx);
      return { outside: async () => ({ body: await listRuntimeLogs(directory, maximum, page) }) };
    },
  }),
  tenantRoute({
    method: 'GET',
    path: item,
    operation: 'tailRuntimeLog',
    permission: 'bgp:logs:read',
    tag,
    summary: 'Read the end of a log file',
    description:
      'The last `lines` among the last `bytes` of the file that pass all filters; what stands before is not read. `level` and `since` ' +
      'look at the members `level` and `time` of JSON lines, and leave out other lines. `Accept: text/plain` gives the lines as text. ' +
      'With `follow=true` the answer is a stream of server-sent events: `line` (`{"line": "…"}`) for each line of the tail and then each ' +
      'new one, `truncated` when the file was emptied, `rotated` when another file took its name. A key may have 8 streams, a tenant ' +
      '64. Tenants other than the home tenant see the lines that carry their own `tenant_id`, and nothing else.',
    status: 200,
    problems: ['runtime_logs_unavailable', 'not_acceptable', 'rate_limited'],
    params,
    query: RuntimeLogTailQuery,
    streams: [TEXT, EVENT_STREAM],
    response: RuntimeLogTail,
    asksOutside: true,
    handler: ({ params: { filename }, query, mediaType, principal, authenticateAgain, services }) => {
      const directory = directoryOf(services);
      const { tenant, key } = principal;
      const tenantId = ownsMachine(principal) ? null : tenant.id;
      const { lines = 200, bytes = 256 * 1024, follow = false } = query;
      const filtering = { grep: query.grep, level: query.level, since: query.since, tenantId };
      const isFollowed = follow || mediaType === EVENT_STREAM;
      const reader = { tenantId: tenant.id, keyId: key.id, authenticateAgain };
      const following = { ...filtering, directory, filename, lines, bytes };
      return Promise.resolve({
        outside: async () =>
          isFollowed
            ? { text: await services.logStreams.open(reader, following), mediaType: EVENT_STREAM }
            : directory.inTurn(tenant.id, () =>
                readTail(
                  tenant.id,
                  directory,
                  filename,
                  { lines, bytes, filter: lineFilter(filtering) },
                  mediaType,
                ),
              ),
      });
    },
  }),
  tenantRoute({
    method: 'DELETE',
    path: item,
    operation: 'cleanRuntimeLog',
    permission: 'bgp:logs:write',
    audit: { written: 'runtime_logs.truncate' },
    tag,
    summary: 'Empty or remove a log file',
    description:
      'At once, and with a record in the audit log: `runtime_logs.truncate` or `runtime_logs.delete`, with the size before. Files of up ' +
      'to 512 MiB; larger ones are for the automatic cleanup. A daemon that keeps a removed file open goes on writing into it until it ' +
      'reopens its log, as the service does at once; `truncate` suits every writer that appends. For keys of the home tenant and of ' +
      'super roles.',
    status: 204,
    problems: ['runtime_logs_unavailable', 'home_tenant_only', 'runtime_log_too_large'],
    params,
    query: RuntimeLogDeleteQuery,
    handler: async (request) => {
      const { tx, context, principal, caller, query, ifMatch, services } = request;
      const { filename } = request.params;
      const directory = directoryOf(services);
      requireHomeTenant(principal, CLEANING);
      if (ifMatch !== null)
        throw new Problem('precondition_failed', 'A log file has no version. Leave If-Match out.');
      const cleaner = { actor: context.actor, ...caller, isTrial: request.isTrial };
      await cleanRuntimeLog(tx, directory, filename, query.mode ?? 'truncate', cleaner);
      return {};
    },
  }),
  tenantRoute({
    method: 'GET',
    path: `${path}/cleanup-audit`,
    operation: 'listRuntimeLogCleanups',
    permission: 'bgp:logs:read',
    tag,
    summary: 'Read which log files were cleaned',
    description:
      'The records `runtime_logs.*` of the audit log, newest first. Answers also where log files are not served.',
    status: 200,
    query: RuntimeLogAuditQuery,
    response: PageOf(AuditRecord),
    handler: async ({ tx, query }) => ({
      body: await listAuditRecords(tx, { ...query, resource_type: 'runtime_logs' }),
    }),
  }),
  tenantRoute({
    method: 'GET',
    path: `${path}/auto-estimate`,
    operation: 'estimateRuntimeLogCleanup',
    permission: 'bgp:logs:write',
    tag,
    summary: 'Preview the automatic cleanup',
    description:
      'The files that the settings `runtime_logs_max_file_bytes` and `runtime_logs_max_total_bytes` call too large, and what their ' +
      'cleanup would free. For keys of the home tenant and of super roles.',
    status: 200,
    problems: ['runtime_logs_unavailable', 'home_tenant_only'],
    response: RuntimeLogCleanup,
    asksOutside: true,
    handler: async ({ tx, principal, services }) => {
      const directory = directoryOf(services);
      requireHomeTenant(principal, CLEANING);
      return estimate(directory, await readLogLimits(tx));
    },
  }),
  tenantRoute({
    method: 'POST',
    path: `${path}/auto-run`,
    operation: 'runRuntimeLogCleanup',
    permission: 'bgp:logs:write',
    audit: { written: 'runtime_logs.clean' },
    tag,
    summary: 'Run the automatic cleanup now',
    description:
      'Cleans what `GET /v1/runtime-logs/auto-estimate` shows, whatever the setting `runtime_logs_auto_enabled` says; with ' +
      '`dry_run=true` it only evaluates. The record in the audit log has the actor `auto:scheduler`; `requested_by` names the key. For ' +
      'keys of the home tenant and of super roles.',
    status: 200,
    problems: ['runtime_logs_unavailable', 'home_tenant_only'],
    query: RuntimeLogRunQuery,
    response: RuntimeLogCleanup,
    handler: async ({ tx, context, principal, caller, query, isTrial, services }) => {
      const directory = directoryOf(services);
      requireHomeTenant(principal, CLEANING);
      const limits = await readLogLimits(tx);
      if (isTrial || query.dry_run === true) return { body: await estimateLogCleanup(directory, limits) };
      const cleaner = { actor: SCHEDULER, ...caller };
      return { body: await cleanLogsByLimits(tx, directory, limits, cleaner, context.actor) };
    },
  }),
];

/** @throws {Problem} `runtime_logs_unavailable` */
function directoryOf({ logs }: Services): LogDirectory {
  if (logs !== null) return logs;
  throw new Problem(
    'runtime_logs_unavailable',
    'This process serves no log files. They are served with APP_SERVICE=app-all and APP_RUNTIME_LOGS_DIR set to a directory.',
  );
}

function estimate(
  directory: LogDirectory,
  limits: Parameters<typeof estimateLogCleanup>[1],
): Answer<RuntimeLogCleanup> {
  return { outside: async () => ({ body: await estimateLogCleanup(directory, limits) }) };
}

function* asText(lines: Iterable<string>): Generator<string> {
  for (const line of lines) yield `${line}\n`;
}

/** A tail may have four megabytes, which in one piece keep everybody else waiting. */
function* asJson(
  file: Omit<RuntimeLogTail, 'lines' | 'truncated'>,
  { lines, truncated }: Tail,
): Generator<string> {
  yield `${JSON.stringify(file).slice(0, -1)},"lines":[`;
  let separator = '';
  for (const line of lines) {
    yield separator + JSON.stringify(line);
    separator = ',';
  }
  yield `],"truncated":${truncated}}`;
}

async function readTail(
  tenantId: string,
  directory: LogDirectory,
  filename: string,
  request: Parameters<typeof tailLog>[1],
  mediaType: string,
): Promise<Answer<RuntimeLogTail>> {
  const open = await directory.open(filename);
  try {
    const { name, size, modified_at } = open;
    const tail = await tailLog(open, request);
    return mediaType === TEXT
      ? { text: inPieces(tenantId, asText(tail.lines)), mediaType: `${TEXT}; charset=utf-8` }
      : { text: inPieces(tenantId, asJson({ name, size, modified_at }, tail)) };
  } finally {
    await open.handle.close();
  }
}
