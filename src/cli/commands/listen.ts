/** `prefixcast listen`: shows what a router would receive, without a router. */
import { open, rename } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Writable } from 'node:stream';
import type { ReceivedRoutes } from '../listen/received-routes.ts';
import { RouteReceiver } from '../listen/receiver.ts';
import type { Endpoint } from '../listen/receiver.ts';
import { JsonReport, TextReport, jsonRoute, routeText } from '../listen/report.ts';
import type { Input } from '../table/command.ts';

const HOLD_TIME = 90;

export interface ListenOptions {
  readonly listen: Endpoint;
  /** Call there instead of listening. */
  readonly connect?: Endpoint | undefined;
  readonly asn: number;
  readonly peerAsn?: number | undefined;
  /** BGP identifier as a number. */
  readonly routerId: number;
  readonly output: 'text' | 'json';
  readonly count?: boolean;
  readonly save?: string | undefined;
  /** End when the whole table has come. */
  readonly once?: boolean;
  /** Seconds. */
  readonly timeout?: number | undefined;
}

interface Options {
  readonly listen: Endpoint;
  readonly connect: Endpoint | undefined;
  readonly asn: number;
  readonly 'peer-asn': number | undefined;
  readonly 'router-id': number;
  readonly output: 'text' | 'json';
  readonly count: boolean;
  readonly save: string | undefined;
  readonly once: boolean;
  readonly 'until-eor': boolean;
  readonly timeout: number | undefined;
}

/** {@link runListen} on standard output, until a signal or the reader's end. */
export async function listen({ options }: Input<Options>): Promise<number> {
  const { 'peer-asn': peerAsn, 'router-id': routerId, 'until-eor': untilEor, once, ...others } = options;
  const stop = new AbortController();
  const end = (): void => stop.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  // `| head` closes the pipe: whoever reads has seen enough.
  process.stdout.on('error', end);
  const given = { ...others, peerAsn, routerId, once: once || untilEor };
  const code = await runListen(given, process.stdout, process.stdout.isTTY, stop.signal);
  process.off('SIGINT', end).off('SIGTERM', end);
  return code;
}

/** Resolves to the exit code: 0, or 1 when it could not listen or save, or the table did not arrive in time. */
export async function runListen(
  options: ListenOptions,
  out: Writable,
  isTerminal: boolean,
  signal: AbortSignal,
): Promise<number> {
  const reportOptions = { out, isTerminal, countOnly: options.count === true };
  const report = options.output === 'json' ? new JsonReport(reportOptions) : new TextReport(reportOptions);
  const untilComplete = options.once === true;
  const ended = Promise.withResolvers<number>();
  let summarised = false;
  const receiver = new RouteReceiver({
    asn: options.asn,
    peerAsn: options.peerAsn ?? null,
    identifier: options.routerId,
    holdTime: HOLD_TIME,
    onEvent: (event) => {
      // After the summary the end of the sessions is no news.
      if (summarised) return;
      report.event(event);
      if (event.type === 'end_of_rib' && untilComplete && receiver.complete) ended.resolve(0);
    },
  });
  let file: FileHandle | null = null;
  try {
    if (options.save !== undefined) file = await openDraft(options.save);
    if (options.connect === undefined)
      report.begun(await receiver.listen(options.listen), options.asn, false);
    else {
      report.begun(options.connect, options.asn, true);
      receiver.connect(options.connect);
    }
  } catch (error) {
    await file?.close();
    complain((error as Error).message);
    return 1;
  }
  const stop = (): void => ended.resolve(0);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const timer =
    options.timeout === undefined
      ? undefined
      : setTimeout(() => {
          if (untilComplete) complain(`the whole table did not arrive within ${options.timeout} s`);
          ended.resolve(untilComplete ? 1 : 0);
        }, options.timeout * 1000);
  const code = await ended.promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', stop);

  const tables = receiver.tables;
  report.summary(tables);
  summarised = true;
  const isSaved = file === null || (await save(file, options.save!, tables, options.output));
  await receiver.close();
  return isSaved ? code : 1;
}

function complain(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** The routes go to a file of their own first, so that a reader never sees half of them. */
function draftOf(path: string): string {
  return `${path}.partial`;
}

/** Before the session, so that a wrong path is reported at once and not after the table. */
async function openDraft(path: string): Promise<FileHandle> {
  try {
    return await open(draftOf(path), 'w');
  } catch (error) {
    const reason = `cannot save to ${path}: ${(error as Error).message}; name a file in a directory that exists and that this user may write`;
    throw new Error(reason, { cause: error });
  }
}

async function save(
  file: FileHandle,
  path: string,
  tables: readonly ReceivedRoutes[],
  output: 'text' | 'json',
): Promise<boolean> {
  const lines = function* (): Generator<string> {
    for (const { routes } of tables) {
      for (const [prefix, route] of routes) {
        yield output === 'json'
          ? `${JSON.stringify(jsonRoute(prefix, route))}\n`
          : `${prefix} ${routeText(route)}\n`;
      }
    }
  };
  try {
    await pipeline(Readable.from(lines()), file.createWriteStream());
    await rename(draftOf(path), path);
    return true;
  } catch (error) {
    complain(`cannot save to ${path}: ${(error as Error).message}`);
    return false;
  }
}
