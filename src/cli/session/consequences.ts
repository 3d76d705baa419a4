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
  // Without a new revision, what speakers would come to run is one that there is already.
  const applied = speakers.filter(
    (one) => revision === null && one.announced + one.withdrawn + one.changed > 0,
  );
  return [
    ...(applied.length === 0 ? [`Routes: ${summaryText(summary)}`] : []),
    ...applied.map((one) => `At ${one.name}: ${summaryText(one)}`),
    ...speakers.flatMap(({ name, peers }) =>
      peers.map(
        (peer) => `${peer.name} at ${name}: ${total(peer.before)} routes now, ${total(peer.after)} then`,
      ),
    ),
    ...(findings.length > 0 ? [`Guardrails would hold it:${reasonsOf(findings)}`] : []),
    ...(unread.length > 0 ? ['Sources that have to be read first are not counted'] : []),
  ].join('\n');
}

/** Null: no route would go. As many may come as go: nobody has fewer routes then, and still not the same. */
function lossOf({ summary: { announced, withdrawn }, speakers }: Effect): string | null {
  if (withdrawn > 0 && announced > 0) {
    const names = speakers.filter((one) => one.withdrawn > 0).map(({ name }) => name);
    return `This withdraws ${counted(withdrawn, 'route')}, and announces ${counted(announced, 'other')}${at('speaker', names)}`;
  }
  const losing = speakers.flatMap(({ peers }) =>
    peers.filter((peer) => total(peer.after) < total(peer.before)),
  );
  if (losing.length === 0) return withdrawn === 0 ? null : `This withdraws ${counted(withdrawn, 'route')}`;
  const routes = losing.reduce((sum, { before, after }) => sum + total(before) - total(after), 0);
  const names = losing.map(({ name }) => name);
  return `This withdraws ${counted(routes, 'route')}${at('peer', names)}`;
}

function at(noun: string, all: readonly string[]): string {
  const names = [...new Set(all)];
  if (names.length === 0) return '';
  const shown = names.slice(0, NAMED).join(', ') + (names.length > NAMED ? ', …' : '');
  return ` at ${counted(names.length, noun)}: ${shown}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

const NAMED = 10;

function total({ ipv4, ipv6 }: { readonly ipv4: number; readonly ipv6: number }): number {
  return ipv4 + ipv6;
}
