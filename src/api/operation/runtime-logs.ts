/** Log files of the machine that the service runs on: what is shown of them, and how they are cleaned. */
import { Type, type Static } from 'typebox';
import { Nullable, Strict, Timestamp, listQuery } from '../shapes/page.ts';
import { MAXIMUM_READ_BYTES } from './log-limits.ts';

/** Names of the files that are served; whatever else lies in the directory does not exist for the API. */
export const RUNTIME_LOG_NAME_PATTERN = '^[a-z0-9][a-z0-9_.-]*\\.log$';
/** What the table of routes calls such a file. */
export const RUNTIME_LOG_NOUN = 'runtime log file';
/** The file that the service writes itself. */
export const OWN_LOG_NAME = 'app-all.log';
/** A larger file is for the automatic cleanup only. */
export const MAXIMUM_DELETE_BYTES = 512 * 1024 * 1024;

/** Levels of the service's own lines, with the numbers that its lines carry. */
export const LINE_LEVELS = { trace: 10, debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const;
export type LineLevel = keyof typeof LINE_LEVELS;

export const RUNTIME_LOG_MODES = ['truncate', 'delete'] as const;
export const RuntimeLogMode = Type.Enum(RUNTIME_LOG_MODES);
export type RuntimeLogMode = Static<typeof RuntimeLogMode>;

const Bytes = (description: string) => Type.Integer({ minimum: 0, description });
const fileMembers = {
  name: Type.String(),
  size: Bytes('Bytes'),
  modified_at: Timestamp,
};

export const RuntimeLogFile = Strict({
  ...fileMembers,
  over_threshold: Type.Boolean({ description: 'Larger than the setting `runtime_logs_max_file_bytes`' }),
});
export type RuntimeLogFile = Static<typeof RuntimeLogFile>;

export const RuntimeLogQuery = listQuery({});
export type RuntimeLogQuery = Static<typeof RuntimeLogQuery>;

export const RuntimeLogTail = Strict({
  ...fileMembers,
  lines: Type.Array(Type.String(), { description: 'The oldest first' }),
  truncated: Type.Boolean({ description: 'The file has more before these lines' }),
});
export type RuntimeLogTail = Static<typeof RuntimeLogTail>;

export const RuntimeLogTailQuery = Strict({
  lines: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, default: 200, description: 'Lines at most, the last ones' }),
  ),
  bytes: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAXIMUM_READ_BYTES,
      default: 256 * 1024,
      description: 'How much of the end of the file is read; lines before it are not searched',
    }),
  ),
  grep: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 16_384 }), {
      maxItems: 32,
      description: 'Text that a line must contain, literally. Give it several times: a line must contain all',
    }),
  ),
  level: Type.Optional(
    Type.Enum(Object.keys(LINE_LEVELS) as LineLevel[], {
      description: 'JSON lines of this level or a more severe one',
    }),
  ),
  since: Type.Optional(
    Type.String({ format: 'date-time', description: 'JSON lines not older than this moment' }),
  ),
  follow: Type.Optional(
    Type.Boolean({
      description:
        'Answer with server-sent events: the last lines, then each new one, through truncation and rotation',
    }),
  ),
});
export type RuntimeLogTailQuery = Static<typeof RuntimeLogTailQuery>;

export const RuntimeLogDeleteQuery = Strict({
  mode: Type.Optional(
    Type.Enum(RUNTIME_LOG_MODES, {
      default: 'truncate',
      description: '`truncate` empties the file and keeps it for its writer, `delete` removes it',
    }),
  ),
});
export type RuntimeLogDeleteQuery = Static<typeof RuntimeLogDeleteQuery>;

export const RuntimeLogCandidate = Strict({
  ...fileMembers,
  reason: Type.Enum(['max_file_bytes', 'max_total_bytes'], {
    description:
      '`max_file_bytes`: the file is larger; `max_total_bytes`: all files together are, and it is among the oldest',
  }),
});
export type RuntimeLogCandidate = Static<typeof RuntimeLogCandidate>;

export const RuntimeLogCleanup = Strict({
  dry_run: Type.Boolean({ description: 'true: nothing was done' }),
  mode: RuntimeLogMode,
  max_file_bytes: Bytes('The setting `runtime_logs_max_file_bytes`'),
  max_total_bytes: Bytes('The setting `runtime_logs_max_total_bytes`'),
  total_bytes: Bytes('All files before the cleanup'),
  freed_bytes: Bytes('What the cleanup frees, or has freed'),
  files: Type.Array(RuntimeLogCandidate, { description: 'What is cleaned, or was' }),
  failed: Type.Array(
    Strict({ name: Type.String(), detail: Nullable(Type.String(), 'Why; null: it is gone') }),
    { description: 'Files that could not be cleaned' },
  ),
});
export type RuntimeLogCleanup = Static<typeof RuntimeLogCleanup>;

export const RuntimeLogRunQuery = Strict({
  dry_run: Type.Optional(Type.Boolean({ default: false, description: 'Only evaluate' })),
});
export type RuntimeLogRunQuery = Static<typeof RuntimeLogRunQuery>;

export const RuntimeLogAuditQuery = listQuery({});
export type RuntimeLogAuditQuery = Static<typeof RuntimeLogAuditQuery>;
