/** A line for each thing that needs somebody, or is under way, with what to type. */
import { isFault, type Attention } from '../../api/activity/attention.ts';
import { awayCanaries, othersThan } from '../../api/activity/canary-speakers.ts';
import type { Seen } from '../../api/activity/seen.ts';
import { counted, named } from '../render/counted.ts';
import { shellWord } from '../render/shell-word.ts';
import { inCommands } from '../session/command-words.ts';
import { freezeBeginning, readFreeze } from '../session/freeze.ts';
import type { HeldModule } from '../session/held-module.ts';
import { codesOf, deletedHeld, wordOf, wordOfDeleted } from '../session/held.ts';
import { commandPast, waitingWords } from '../session/past-canaries.ts';
import type { Session } from '../session/run-remote.ts';

/** One line of what needs somebody, or is under way. */
export interface Line {
  readonly state: string;
  readonly what: string;
  /** RFC 3339; null: not known. */
  readonly since: string | null;
  /** Who began it; null: nobody did, or it is not known. */
  readonly by: string | null;
  readonly detail: string | null;
  /** What to type. */
  readonly command: string | null;
  readonly needs_somebody: boolean;
}

/** @param canaryIds speakers that applies go to first; empty: there are none */
export async function linesOf(
  session: Session,
  { speakers, revisions }: Pick<Seen, 'speakers' | 'revisions'>,
  found: readonly Attention[],
  canaryIds: readonly string[],
): Promise<Line[]> {
  const deleted = found.some(({ kind }) => kind === 'held-deleted') ? await deletedHeld(session) : [];
  const isFrozen = found.some(({ kind }) => kind === 'frozen');
  return Promise.all(
    found.map(async (item): Promise<Line> => {
      const {
        command,
        detail = null,
        ...line
      } = await lineOf(session, item, { deleted, isFrozen, canaryIds, speakers, revisions });
      return {
        ...{ state: STATES[item.kind], since: null, by: null, ...line },
        detail: detail === null ? null : inCommands(detail, session.contextWords),
        command: command === undefined ? null : `prefixcast${session.contextWords} ${command}`,
        needs_somebody: isFault(item),
      };
    }),
  );
}

const STATES: Readonly<Record<Attention['kind'], string>> = {
  'held-module': 'held',
  'held-deleted': 'held',
  'held-revision': 'held',
  frozen: 'frozen',
  failing: 'failing',
  unreachable: 'out of reach',
  awaited: 'awaited',
  'speaker-fault': 'fault',
  ending: 'ending',
  'not-enrolled': 'no node',
  'no-speaker': 'no speaker',
  'no-canary': 'no canary',
  'session-down': 'down',
  reverted: 'reverted',
  'holds-nothing': 'reverted',
  'sent-less': 'not sent',
  'apply-failed': 'apply failed',
  'not-applied': 'not applied',
  'host-unreachable': 'out of reach',
  'host-failed': 'not applied',
  'webhook-failing': 'failing',
  'feed-failing': 'failing',
  running: 'applying',
  pending: 'pending',
};

type Said = Pick<Line, 'what'> &
  Partial<Pick<Line, 'since' | 'by' | 'detail'>> & { readonly command?: string };

interface Around extends Pick<Seen, 'speakers' | 'revisions'> {
  readonly deleted: readonly HeldModule[];
  readonly isFrozen: boolean;
  readonly canaryIds: readonly string[];
}

async function lineOf(
  session: Session,
  item: Attention,
  { deleted, isFrozen, canaryIds, speakers, revisions }: Around,
): Promise<Said> {
  switch (item.kind) {
    case 'held-module': {
      const { id, name, held } = item.module;
      return {
        ...{ what: `module ${name}`, since: held!.since, detail: codesOf(held!.findings).join(', ') },
        command: `module held ${wordOf({ id, name, isDeleted: false })}`,
      };
    }
    case 'held-deleted': {
      const { module_id: id, findings } = item.held;
      const module = deleted.find((one) => one.id === id);
      return {
        what: `deleted module ${module?.name ?? id}`,
        detail: codesOf(findings).join(', '),
        command: `module held ${module === undefined ? id : await wordOfDeleted(session, module, deleted)}`,
      };
    }
    case 'held-revision': {
      const { number, created_at: since, findings } = item.revision;
      const detail = codesOf(findings).join(', ');
      return { what: `revision ${number}`, since, detail, command: `revision show ${number}` };
    }
    case 'frozen': {
      const begun = await freezeBeginning(session);
      const { reason: detail } = await readFreeze(session);
      const [since, by] = [begun?.at ?? null, begun?.actor ?? null];
      return { what: 'applies', since, by, detail, command: 'unfreeze --dry-run' };
    }
    case 'failing': {
      const { name, last_refresh: refresh } = item.module;
      // When it failed first, nobody knows.
      return {
        what: `module ${name}`,
        detail: refresh?.error ?? 'its last refresh failed',
        command: `module refresh ${shellWord(name)} --wait`,
      };
    }
    case 'unreachable': {
      const { name, agent, live } = item.speaker;
      const takes =
        item.awaits === undefined || live?.is_locked_out === true
          ? ''
          : ` It takes revision ${item.awaits.number} by itself when it is back.`;
      const detail = live?.error === undefined || live.error === null ? null : `${live.error}${takes}`;
      return {
        ...{ what: `speaker ${name}`, since: agent?.last_seen_at ?? null, detail },
        command: `speaker get ${shellWord(name)}`,
      };
    }
    case 'awaited': {
      const { name, agent, live } = item.speaker;
      return {
        ...{ what: `speaker ${name}`, since: agent?.last_seen_at ?? null, detail: live?.error ?? null },
        command: `speaker get ${shellWord(name)}`,
      };
    }
    case 'speaker-fault': {
      const { name, live } = item.speaker;
      const detail = live?.error ?? null;
      return { what: `speaker ${name}`, detail, command: `speaker get ${shellWord(name)}` };
    }
    case 'ending': {
      const { name } = item.speaker;
      const { count, names } = named(
        'peer',
        item.peers.map((peer) => peer.name),
      );
      const most = Math.max(...item.peers.map(({ routes }) => routes));
      return {
        what: `speaker ${name} is disabled, and has not ended its sessions yet`,
        detail: `it announces up to ${counted(most, 'route')} to ${count}: ${names}`,
        command: `speaker get ${shellWord(name)}`,
      };
    }
    case 'not-enrolled':
      return {
        what: `speaker ${item.speaker.name} waits for a machine`,
        command: `node enroll ${shellWord(item.speaker.name)}`,
      };
    case 'no-speaker': {
      const peers = named(
        'peer',
        item.peers.map(({ name }) => name),
      );
      const speakers = item.speakers.map(({ name }) => name);
      const { names } = named('speaker', speakers);
      const what = `${peers.names} ${item.peers.length === 1 ? 'has' : 'have'} no routes`;
      if (speakers.length === 0)
        return { what, detail: 'there is no speaker', command: 'speaker create NAME --asn ASN' };
      return {
        what,
        detail:
          speakers.length === 1 ? `the speaker ${names} is disabled` : `the speakers ${names} are disabled`,
        command: `speaker edit ${shellWord(speakers[0]!)} --enabled yes`,
      };
    }
    case 'no-canary': {
      const { names } = named(
        'speaker',
        item.canaries.map(({ name }) => name),
      );
      const [first] = item.canaries;
      const isOff = first?.enabled === false;
      return {
        what: 'applies go to canaries first, and none can take a revision',
        detail: `${names} ${item.canaries.length === 1 ? 'is' : 'are'} disabled or without a node, so the next revision comes to no speaker`,
        command: isOff
          ? `speaker edit ${shellWord(first.name)} --enabled yes`
          : 'settings set deploy_canary_speaker_ids NAME',
      };
    }
    case 'session-down': {
      const { peer, speaker, since, error: detail, isReverted } = item;
      const what = `${peer} at ${speaker.name}${isReverted ? ' could not take the routes, and gets its old ones when it is back' : ''}`;
      return { what, since, detail, command: `peer get ${shellWord(peer)}` };
    }
    case 'reverted':
    case 'holds-nothing': {
      const { peer, speaker, since, error: detail, kind } = item;
      const what = `${peer} at ${speaker.name} ${kind === 'reverted' ? 'kept its old routes' : 'has no routes'}`;
      return { what, since, detail, command: 'apply retry' };
    }
    case 'sent-less': {
      // Since when, nobody knows: the session may have had all of them for long.
      const { peer, speaker, error: detail } = item;
      const what = `${peer} at ${speaker.name} is not sent all routes`;
      return { what, detail, command: `peer get ${shellWord(peer)}` };
    }
    case 'apply-failed': {
      const { name, last_apply: last } = item.speaker;
      return { what: `speaker ${name}`, detail: last?.error ?? null, command: 'apply status' };
    }
    case 'not-applied': {
      const { number, created_at: since } = item.revision;
      const { name } = item.speaker;
      const said = { what: `revision ${number} at speaker ${name}`, since };
      // An apply would be refused.
      if (isFrozen) return { ...said, detail: 'it waits for the end of the freeze' };
      const one = `revision apply ${number} --speaker ${shellWord(name)}`;
      if (item.canaryFault !== null) {
        const isCanary = canaryIds.includes(item.speaker.id);
        const detail = isCanary
          ? `it came here first, and was taken back: ${item.canaryFault}`
          : `a canary failed, so it did not come here; ${pastText(session, number, [item.speaker])}`;
        return { ...said, detail, command: 'apply retry --wait' };
      }
      // One that names another speaker goes past the canaries.
      const isPast = canaryIds.length > 0 && !canaryIds.includes(item.speaker.id);
      return { ...said, command: isPast ? `revision apply ${number}` : one };
    }
    case 'host-unreachable':
    case 'host-failed': {
      const { name, last_seen_at, last_error } = item.host;
      const isAway = item.kind === 'host-unreachable';
      return {
        what: `firewall client ${name}`,
        since: isAway ? last_seen_at : null,
        detail: isAway ? 'it keeps the rules that it applied last' : last_error,
        command: `firewall client get ${shellWord(name)}`,
      };
    }
    case 'webhook-failing': {
      const { name, enabled, failing_since: since, last_error: detail } = item.webhook;
      return enabled
        ? { what: `webhook ${name}`, since, detail, command: `webhook deliveries ${shellWord(name)}` }
        : {
            ...{ what: `webhook ${name} was disabled by the service`, since, detail },
            command: `webhook edit ${shellWord(name)} --enabled yes`,
          };
    }
    case 'feed-failing': {
      // Since when, nobody knows.
      const { name, status, last_error: detail } = item.feed;
      const serves = status === 'failed' ? 'nothing' : 'its last good content';
      return { what: `feed ${name} serves ${serves}`, detail, command: `feed get ${shellWord(name)}` };
    }
    case 'running': {
      const { id, started_at: since, resource } = item.job;
      const revision = revisions.find((one) => one.id === resource?.id);
      const what = revision === undefined ? 'an apply' : `the apply of revision ${revision.number}`;
      const away = awayCanaries(item.job, speakers);
      const others = othersThan(away, speakers);
      const said = { what, since, command: `apply watch ${id}` };
      if (away.length === 0) return said;
      const isLast = revision === undefined || others.length === 0;
      const past = isLast ? '' : `; ${pastText(session, revision.number, others)}`;
      return { ...said, detail: `it ${waitingWords(away)}${past}` };
    }
    case 'pending':
      return {
        what:
          item.edits === 1 ? 'an edit that no revision holds' : `${item.edits} edits that no revision holds`,
        command: 'revision build --wait',
      };
  }
}

function pastText(session: Session, number: number, others: readonly { id: string; name: string }[]): string {
  return `${commandPast(session, number, others)} goes past canaries, and nothing has shown that routers bear it`;
}
