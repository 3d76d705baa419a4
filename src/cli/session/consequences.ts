/** What a write would do to routes, which a dry run says: shown instead of the write, or before a question. */
import type { Schemas } from '#client';
import { asksYes, canAsk, say } from '../process/ask.ts';
import { CommandError, EXIT } from '../process/command-error.ts';
import { summaryText } from '../render/diff-lines.ts';
import { print } from '../render/formats.ts';
import { reasonsOf } from './held.ts';
import type { Session } from './run-remote.ts';

type Effect = Schemas['Effect'];

export interface Write {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
}

export interface CautionOptions {
  /** Flags; noun commands read their options at run time. */
  readonly 'dry-run'?: unknown;
  readonly yes?: unknown;
}

/**
 * Whether the write is to be sent. A dry run prints its effect instead. A terminal is asked where `question` is given and routes would go.
 * @throws {CommandError} where the answer is no
 */
export async function isMeant(
  session: Session,
  write: Write,
  question: string | null,
  options: CautionOptions,
): Promise<boolean> {
  if (options['dry-run'] === true) {
    const effect = await effectOf(session, write);
    const isData = session.format === 'json';
    print(
      isData ? `${JSON.stringify(effect, null, 2)}\n` : `${textOf(effect)}\nNothing has changed: dry run\n`,
    );
    return false;
  }
  if (question === null || options.yes === true || !canAsk()) return true;
  const loss = lossOf(await effectOf(session, write));
  if (loss === null) return true;
  say(loss);
  if (await asksYes(question)) return true;
  throw new CommandError('Nothing has changed', EXIT.no);
}

async function effectOf({ client }: Session, { method, path, body }: Write): Promise<Effect> {
  const answer = await client.request(method, path, { body, query: { dry_run: true } });
  return ((await answer.json()) as { readonly effect: Effect }).effect;
}

function textOf({ summary, speakers, revision, uncollected_module_ids: unread }: Effect): string {
  const findings =
    revision === null ? [] : [...revision.findings, ...revision.quarantined.flatMap((one) => one.findings)];
  return [
    `Routes: ${summaryText(summary)}`,
    ...speakers.flatMap(({ name, peers }) =>
      peers.map(
        (peer) => `${peer.name} at ${name}: ${total(peer.before)} routes now, ${total(peer.after)} then`,
      ),
    ),
    ...(findings.length > 0 ? [`Guardrails would hold it:${reasonsOf(findings)}`] : []),
    ...(unread.length > 0 ? ['Sources that have to be read first are not counted'] : []),
  ].join('\n');
}

/** Null: no peer would have fewer routes. */
function lossOf({ speakers }: Effect): string | null {
  const losing = speakers.flatMap(({ peers }) =>
    peers.filter((peer) => total(peer.after) < total(peer.before)),
  );
  if (losing.length === 0) return null;
  const routes = losing.reduce((sum, { before, after }) => sum + total(before) - total(after), 0);
  const names = [...new Set(losing.map(({ name }) => name))];
  const shown = names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ', …' : '');
  return `This withdraws ${routes} routes at ${names.length} ${names.length === 1 ? 'peer' : 'peers'}: ${shown}`;
}

const NAMED = 10;

function total({ ipv4, ipv6 }: { readonly ipv4: number; readonly ipv6: number }): number {
  return ipv4 + ipv6;
}
