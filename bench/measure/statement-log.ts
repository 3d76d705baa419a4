/** The statements that an embedded PostgreSQL executes, in order, as its own log has them. */
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedServer } from '../../src/store/embedded/embedded-server.ts';

const MARK = 'STATEMENT-LOG';
/** What a line of the log begins with: the mark, the application, and the process of the session. */
const PREFIX = `${MARK}|%a|%p|`;
const LINE = new RegExp(`^${MARK}\\|([^|]*)\\|(\\d+)\\|LOG:  (?:(statement)|execute [^:]*): ([^]*)$`);

export interface LoggedStatement {
  /** `application_name` of the session. */
  readonly application: string;
  /** Process id of the session: statements of one transaction have the same. */
  readonly session: string;
  readonly text: string;
}

/** Has the server of the data directory log every statement; {@link StatementLog} reads them. */
export async function logStatements(dataDir: string): Promise<void> {
  const server = await startEmbeddedServer(dataDir);
  const client = new pg.Client({ ...server.address, user: 'postgres' });
  await client.connect();
  try {
    await client.query(`ALTER SYSTEM SET log_statement = 'all'`);
    await client.query(`ALTER SYSTEM SET log_min_messages = 'log'`);
    await client.query(`ALTER SYSTEM SET log_parameter_max_length = 0`);
    await client.query(`ALTER SYSTEM SET log_line_prefix = '${PREFIX}'`);
  } finally {
    await client.end();
    await server.close();
  }
}

export class StatementLog {
  readonly #file: string;
  #from = 0;

  constructor(dataDir: string) {
    const names = readdirSync(dataDir, { recursive: true, encoding: 'utf8' });
    this.#file = join(
      dataDir,
      names.find((name) => name.endsWith('server.log'))!,
    );
    this.forget();
  }

  /** Statements until now are not counted. */
  forget(): void {
    this.#from = statSync(this.#file).size;
  }

  /** Every statement since {@link forget}. What a client sends as one text of several statements counts as several. */
  read(): LoggedStatement[] {
    const text = readFileSync(this.#file).subarray(this.#from).toString();
    const entries = text.split(new RegExp(`^(?=${MARK})`, 'm'));
    return entries.flatMap((entry) => {
      const [, application, session, isSimple, sql] = LINE.exec(entry.trimEnd()) ?? [];
      if (sql === undefined) return [];
      const parts = isSimple === undefined ? [sql] : sql.split(';').filter((part) => part.trim() !== '');
      return parts.map((part) => ({
        ...{ application: application!, session: session! },
        text: part.replace(/\s+/g, ' ').trim(),
      }));
    });
  }
}
