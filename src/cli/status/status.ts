/** What a person looks at first: what the tenant announces, and what needs somebody, with the command for it. */
import type { Schemas } from '#client';
import { roleHas } from '../../api/access/permissions.ts';
import { attentionOf, hasNoRouter, isFault, needsPeers } from '../../api/activity/attention.ts';
import type { Seen } from '../../api/activity/seen.ts';
import { column, type Item } from '../nouns/noun.ts';
import { say } from '../process/ask.ts';
import { EXIT } from '../process/command-error.ts';
import { total } from '../render/counted.ts';
import { print, printList, printObject } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';
import { isUnheard, unheardPeers } from '../session/unheard-peers.ts';
import { linesOf } from './attention-lines.ts';
import { emptyLines } from './empty-lines.ts';
import { textOf, type Status } from './status-text.ts';

/** Applies among which one may be under way, as the console looks at. */
const APPLIES = 20;
/** Revisions among which that of a speaker is looked for, to see whether it announces the same routes. */
const REVISIONS = 100;
/** Resolves to 1 where something needs somebody, so that a script or a check of a monitoring system can ask. */
export async function status(session: Session): Promise<number> {
  const { seen, tenant, latest, canaryIds, peers } = await look(session);
  const found = attentionOf(seen);
  const lines = [...(await linesOf(session, seen, found, canaryIds)), ...(await emptyLines(session))];
  const sessions = seen.speakers.flatMap(({ enabled, live }) => (enabled ? (live?.sessions ?? []) : []));
  const enabled = seen.speakers.filter((speaker) => speaker.enabled);
  const silent = seen.speakers.filter(isUnheard);
  const known = silent.flatMap(({ live }) => live?.last_known_sessions ?? []);
  const unknown = known.length + silent.flatMap((speaker) => unheardPeers(speaker, peers)).length;
  const shown: Status = {
    tenant,
    revision: latest === undefined ? null : { number: latest.number, created_at: latest.created_at },
    routes: latest === undefined ? 0 : total(latest.prefix_count),
    speakers: {
      enabled: enabled.length,
      announcing: enabled.filter(({ applied_revision_id: id }) => id !== null).length,
    },
    sessions: {
      up: sessions.filter(({ state }) => state === 'established').length,
      unknown,
      total: sessions.length + unknown,
    },
    modules: seen.modules.length,
    has_router: !hasNoRouter(seen),
    items: lines,
  };
  await show(session, shown);
  return found.some(isFault) ? EXIT.no : EXIT.ok;
}

interface RevisionQuery {
  readonly state?: ('held' | 'ready')[];
  readonly limit: number;
}

interface Looked {
  readonly tenant: string;
  readonly seen: Seen;
  readonly latest: Schemas['Revision'] | undefined;
  readonly canaryIds: readonly string[];
  /** None where neither what needs somebody nor the sessions depend on them. */
  readonly peers: readonly Schemas['Peer'][];
}

async function look(session: Session): Promise<Looked> {
  const { client } = session;
  const revisionsOf = async (query: RevisionQuery): Promise<readonly Schemas['Revision'][]> =>
    (await client.get('/v1/revisions', { params: { query } })).items;
  const [account, modules, speakers, applies, settings, heldRevisions, ready, revisions] = await Promise.all([
    client.get('/v1/auth/session'),
    session.names.all('module'),
    client.list('/v1/speakers', { params: { query: { limit: 500, live: true } } }).toArray(),
    client.get('/v1/jobs', { params: { query: { type: 'apply', limit: APPLIES } } }),
    // Where it cannot be read, do not say that all is well.
    client.get('/v1/settings'),
    revisionsOf({ state: ['held'], limit: REVISIONS }),
    revisionsOf({ state: ['ready'], limit: 1 }),
    revisionsOf({ limit: REVISIONS }),
  ]);
  const [hosts, feeds] = await Promise.all([session.names.all('client'), session.names.all('feed')]);
  const readsWebhooks = roleHas(account.role, 'bgp:webhooks:read');
  const webhooks = readsWebhooks ? await session.names.all('webhook') : [];
  if (!readsWebhooks)
    say(
      `Webhooks are not looked at: that takes a key of the role operator, and this one is of ${account.role}`,
    );
  const isAnyAway = needsPeers(speakers) || speakers.some(isUnheard);
  const peers = (isAnyAway ? await session.names.all('peer') : []) as unknown as readonly Schemas['Peer'][];
  return {
    peers,
    tenant: account.tenant.slug,
    latest: ready[0],
    canaryIds: settings.settings.deploy_canary_speaker_ids,
    seen: {
      peers,
      hosts: hosts as unknown as readonly Schemas['FirewallClient'][],
      webhooks: webhooks as unknown as readonly Schemas['Webhook'][],
      feeds: feeds as unknown as readonly Schemas['Feed'][],
      modules: modules as unknown as readonly Schemas['Module'][],
      ...{ speakers, applies: applies.items, heldRevisions, latest: ready[0], revisions },
      isFrozen: settings.settings.deploy_freeze === true,
      canaryIds: settings.settings.deploy_canary_speaker_ids,
      pendingEdits: account.pending_changes.count,
    },
  };
}

async function show({ format, contextWords }: Session, shown: Status): Promise<void> {
  if (format === 'table' || format === 'wide') return print(textOf(shown, contextWords));
  if (format === 'json' || format === 'yaml')
    return printObject(shown as unknown as Item, { columns: [], name: 'tenant' }, format);
  await printList({ items: shown.items as unknown as Item[], columns: COLUMNS, name: 'what' }, format);
}

const COLUMNS = [
  column('STATE', 'state'),
  column('WHAT', 'what'),
  column('SINCE', 'since'),
  column('BY', 'by'),
  column('DETAIL', 'detail'),
  column('COMMAND', 'command'),
  column('NEEDS SOMEBODY', 'needs_somebody'),
];
