/** What the overview says needs somebody, of what the service has answered. */
import { expect, test } from 'vitest';
import { attentionOf, hasNoRouter, isFault, needsPeers } from '../../src/api/activity/attention.ts';
import type { Seen } from '../../src/api/activity/seen.ts';

type Speaker = Seen['speakers'][number];
type Session = NonNullable<Speaker['live']>['sessions'][number];

const SESSION = {
  ...{ peer_name: 'edge1', state: 'established', reverted: null, last_error: null, since: 'then' },
} as unknown as Session;
const LATEST = { id: 'two', number: 2, content_hash: 'new', quarantined: [], created_at: 'now' };
const REVISIONS = [LATEST, { id: 'one', number: 1, content_hash: 'old', quarantined: [] }];

function speaker(more: object = {}, session: Partial<Session> = {}): Speaker {
  return {
    ...{
      id: 'speaker',
      name: 'builtin',
      enabled: true,
      applied_revision_id: 'two',
      last_apply: { status: 'ok' },
    },
    live: { reachable: true, sessions: [{ ...SESSION, ...session }] },
    ...more,
  } as unknown as Speaker;
}

function seen(more: object): Seen {
  return {
    ...{
      modules: [],
      ...{ speakers: [speaker()], peers: [], hosts: [] },
      applies: [],
      heldRevisions: [],
      isFrozen: false,
      pendingEdits: 0,
    },
    ...{ latest: LATEST, revisions: REVISIONS },
    ...more,
  } as unknown as Seen;
}

const kindsOf = (more: object): string[] => attentionOf(seen(more)).map(({ kind }) => kind);

test('nothing, where every speaker has the latest revision and every session is up', () => {
  expect(kindsOf({})).toEqual([]);
});

test('a speaker that is reported, and that something is wrong with as a whole', () => {
  const live = {
    reachable: true,
    error: 'The node announces what no revision here has',
    sessions: [SESSION],
  };
  expect(attentionOf(seen({ speakers: [speaker({ live })] }))).toMatchObject([
    { kind: 'speaker-fault', speaker: { live } },
  ]);
  // Out of reach says it already.
  expect(kindsOf({ speakers: [speaker({ live: { ...live, reachable: false } })] })).toEqual(['unreachable']);
  expect(kindsOf({ speakers: [speaker({ live: { ...live, error: null } })] })).toEqual([]);
});

test('a held revision, until a newer one is ready', () => {
  const held = (number: number) => ({ heldRevisions: [{ ...LATEST, id: 'held', number }] });
  expect(kindsOf(held(LATEST.number + 1))).toEqual(['held-revision']);
  expect(kindsOf(held(LATEST.number - 1))).toEqual([]);
  expect(kindsOf({ ...held(1), latest: undefined, revisions: [] })).toContain('held-revision');
});

test('a peer that went back, and says why', () => {
  const reverted = { since: 'then', error: 'it closed the session' } as Session['reverted'];
  expect(attentionOf(seen({ speakers: [speaker({}, { reverted })] }))).toMatchObject([
    { kind: 'reverted', peer: 'edge1', error: 'it closed the session' },
  ]);
});

test('a peer without a session holds nothing: one event, said once, with the reason why it went back', () => {
  const reverted = { since: 'then', error: 'it closed the session', revision_id: 'one' };
  const speakers = [speaker({}, { reverted, state: 'active' })];
  expect(attentionOf(seen({ speakers }))).toMatchObject([
    { kind: 'session-down', isReverted: true, error: 'it closed the session' },
  ]);
  const holdsNothing = { ...reverted, revision_id: null };
  expect(kindsOf({ speakers: [speaker({}, { reverted: holdsNothing })] })).toEqual(['holds-nothing']);
  expect(kindsOf({ speakers: [speaker({}, { state: 'active' })] })).toEqual(['session-down']);
});

test('a peer that is sent less than there is for it', () => {
  const error = '7 IPv6 routes are not sent because they have no IPv6 next hop';
  expect(attentionOf(seen({ speakers: [speaker({}, { last_error: error })] }))).toMatchObject([
    {
      kind: 'sent-less',
      peer: 'edge1',
      error,
    },
  ]);
  expect(kindsOf({ speakers: [speaker({}, { last_error: null })] })).toEqual([]);
});

test('a module that was deleted and that revisions keep, and none that is there', () => {
  const latest = { ...LATEST, quarantined: [{ module_id: 'gone' }, { module_id: 'there' }] };
  const modules = [{ id: 'there', enabled: true, held: null, last_refresh: null }];
  expect(attentionOf(seen({ latest, modules }))).toMatchObject([
    { kind: 'held-deleted', held: { module_id: 'gone' } },
  ]);
});

test('a speaker that nobody reaches, one that an apply failed on, and one that has something else', () => {
  expect(kindsOf({ speakers: [speaker({ live: null })] })).toEqual(['unreachable']);
  expect(kindsOf({ speakers: [speaker({ live: null, enabled: false })] })).toEqual([]);
  // It announces nothing, and so no other revision.
  const fresh = speaker({ live: null, mode: 'agent', agent: null, applied_revision_id: null });
  expect(kindsOf({ speakers: [fresh] })).toEqual(['not-enrolled']);
  const failed = speaker({ applied_revision_id: 'one', last_apply: { status: 'failed', error: 'why' } });
  expect(kindsOf({ speakers: [failed] })).toEqual(['apply-failed']);
  expect(kindsOf({ speakers: [speaker({ applied_revision_id: 'one' })] })).toEqual(['not-applied']);
  expect(kindsOf({ speakers: [speaker({ applied_revision_id: null })] })).toEqual(['not-applied']);
});

test('a node that had no time to report since the service started needs nobody', () => {
  const live = { reachable: false, error: 'just started', sessions: [], is_awaited: true };
  const awaited = speaker({ mode: 'agent', agent: { last_seen_at: 'then' }, live });
  const found = attentionOf(seen({ speakers: [awaited] }));
  expect(found.map(({ kind }) => kind)).toEqual(['awaited']);
  expect(found.some(isFault)).toBe(false);
});

test('a node that is away, and takes the latest revision by itself, is one thing', () => {
  const away = speaker({
    ...{ mode: 'agent', agent: { last_seen_at: 'then' }, applied_revision_id: 'one' },
    ...{
      live: { reachable: false, error: null, sessions: [] },
      last_apply: { status: 'running', job_id: 'job' },
    },
  });
  const job = (id: string) => ({
    id: 'job',
    state: 'succeeded',
    resource: { type: 'revision', id },
    error: null,
  });
  expect(attentionOf(seen({ speakers: [away], applies: [job('two')] }))).toMatchObject([
    { kind: 'unreachable', awaits: { number: 2 } },
  ]);
  // An apply of an older one brings no newer.
  const found = attentionOf(seen({ speakers: [away], applies: [job('one')] }));
  expect(found).toMatchObject([{ kind: 'unreachable' }, { kind: 'not-applied' }]);
  expect(found[0]).not.toHaveProperty('awaits');
});

test('a speaker that an apply never came to, since a canary failed', () => {
  const resource = { type: 'revision', id: 'two' };
  const failed = {
    id: 'job',
    state: 'failed',
    resource,
    error: { code: 'canary_failed', detail: 'edge: down' },
  };
  const found = (...applies: object[]) =>
    attentionOf(seen({ applies, speakers: [speaker({ applied_revision_id: 'one' })] }));
  expect(found(failed)).toMatchObject([{ kind: 'not-applied', canaryFault: 'edge: down' }]);
  // What keeps speakers at theirs says nothing of it.
  const keeps = { ...failed, resource: null, error: null };
  expect(found(keeps, failed)).toMatchObject([{ kind: 'not-applied', canaryFault: 'edge: down' }]);
  expect(found({ ...failed, error: { code: 'apply_failed' } })).toMatchObject([{ canaryFault: null }]);
  expect(found({ ...failed, resource: { ...resource, id: 'one' } }, failed)).toMatchObject([
    { canaryFault: null },
  ]);
  expect(found()).toMatchObject([{ canaryFault: null }]);
});

test('a disabled speaker whose node has not said that its sessions have ended, in place of peers without routes', () => {
  const known = (was_established: boolean) => ({
    ...{ reachable: false, sessions: [] },
    last_known_sessions: [{ peer_id: 'p', peer_name: 'edge1', was_established, routes_exported: 2 }],
  });
  const peers = [{ id: 'p', name: 'edge1', enabled: true, speaker_ids: [] }];
  const off = (live: object): Speaker => speaker({ live, enabled: false, mode: 'agent' });
  expect(kindsOf({ peers, speakers: [off(known(true))] })).toEqual(['unreachable']);
  expect(kindsOf({ peers, speakers: [off(known(false))] })).toEqual(['no-speaker']);
  // It reports, and has not come to it yet.
  const still = off({ reachable: true, sessions: [{ ...SESSION, peer_id: 'p', routes_exported: 2 }] });
  const found = attentionOf(seen({ peers, speakers: [still] }));
  expect(found).toMatchObject([{ kind: 'ending', peers: [{ id: 'p', name: 'edge1', routes: 2 }] }]);
  expect(found.every(isFault)).toBe(true);
  expect(kindsOf({ peers, speakers: [off({ reachable: true, sessions: [] })] })).toEqual(['no-speaker']);
});

test('none that has the same routes by an older revision, nor one whose apply is under way', () => {
  const same = [LATEST, { id: 'one', content_hash: 'new', quarantined: [] }];
  expect(kindsOf({ speakers: [speaker({ applied_revision_id: 'one' })], revisions: same })).toEqual([]);
  const applies = [{ id: 'job', state: 'running' }];
  expect(kindsOf({ speakers: [speaker({ applied_revision_id: 'one' })], applies })).toEqual(['running']);
  expect(attentionOf(seen({ applies, pendingEdits: 3 })).filter(isFault)).toEqual([]);
});

test('enabled peers whose speakers are all disabled, together where these are the same', () => {
  const [on, off, other] = ['on', 'off', 'other'].map((id) =>
    speaker({ id, name: id, enabled: id === 'on', live: { reachable: true, sessions: [] } }),
  ) as [Speaker, Speaker, Speaker];
  const peer = (name: string, ids: readonly string[], enabled = true) => ({
    ...{ id: name, name, enabled, speaker_ids: ids },
  });
  const peers = [
    ...[peer('anywhere', []), peer('switched-off', ['off'], false), peer('both', ['on', 'off'])],
    ...[peer('one', ['off']), peer('two', ['off']), peer('three', ['off', 'other'])],
  ];
  const speakers = [on, off, other];
  expect(needsPeers(speakers)).toBe(true);
  const found = attentionOf(seen({ speakers, peers }));
  expect(found).toEqual([
    { kind: 'no-speaker', speakers: [off], peers: [peers[3], peers[4]] },
    { kind: 'no-speaker', speakers: [off, other], peers: [peers[5]] },
  ]);
  expect(found.every(isFault)).toBe(true);
  // A peer of every speaker has none where all of them are off.
  expect(attentionOf(seen({ speakers: [off, other], peers: [peers[0]] }))).toEqual([
    { kind: 'no-speaker', speakers: [off, other], peers: [peers[0]] },
  ]);
  expect(needsPeers([on])).toBe(false);
  // So has any, where there is none.
  expect(needsPeers([])).toBe(true);
  expect(attentionOf(seen({ speakers: [], peers: [peers[0], peers[1]] }))).toEqual([
    { kind: 'no-speaker', speakers: [], peers: [peers[0]] },
  ]);
  expect(attentionOf(seen({ speakers: [], peers: [] }))).toEqual([]);
});

test('a firewall host that is out of reach, and one that could not apply its rules', () => {
  const host = (more: object) => ({
    ...{ id: 'host', name: 'web1', online: true, last_seen_at: 'then', status: 'applied', last_error: null },
    ...more,
  });
  expect(kindsOf({ hosts: [host({}), host({ status: 'pending' })] })).toEqual([]);
  expect(kindsOf({ hosts: [host({ online: false, status: 'failed' })] })).toEqual(['host-unreachable']);
  // It has nothing yet that could be old.
  expect(kindsOf({ hosts: [host({ online: false, last_seen_at: null })] })).toEqual([]);
  const failed = attentionOf(
    seen({ hosts: [host({ status: 'failed', last_error: 'why' }), host({ status: 'reverted' })] }),
  );
  expect(failed).toMatchObject([
    { kind: 'host-failed', host: { last_error: 'why' } },
    { kind: 'host-failed', host: { status: 'reverted' } },
  ]);
  expect(failed.every(isFault)).toBe(true);
});

test('a webhook that fails or was given up, and a feed whose content could not be made, unless somebody turned them off', () => {
  const webhook = {
    id: 'w',
    name: 'chat',
    enabled: true,
    status: 'failing',
    last_error: 'refused',
    failing_since: 'then',
  };
  expect(attentionOf(seen({ webhooks: [webhook] }))).toEqual([{ kind: 'webhook-failing', webhook }]);
  const off = { ...webhook, enabled: false, status: 'disabled' };
  expect(kindsOf({ webhooks: [off] })).toEqual(['webhook-failing']);
  expect(
    kindsOf({
      webhooks: [
        { ...off, last_error: null },
        { ...webhook, status: 'ok' },
      ],
    }),
  ).toEqual([]);
  const feed = { id: 'f', name: 'drop', enabled: true, status: 'failed', last_error: 'too many' };
  expect(attentionOf(seen({ feeds: [feed] }))).toEqual([{ kind: 'feed-failing', feed }]);
  expect(kindsOf({ feeds: [{ ...feed, status: 'stale' }] })).toEqual(['feed-failing']);
  expect(
    kindsOf({
      feeds: [
        { ...feed, enabled: false },
        { ...feed, status: 'ok' },
        { ...feed, status: 'pending' },
      ],
    }),
  ).toEqual([]);
  expect(attentionOf(seen({ webhooks: [webhook] })).every(isFault)).toBe(true);
});

test('canaries of which none can take a revision, unless an apply that failed says so already', () => {
  const off = speaker({ id: 'canary', name: 'first', enabled: false, live: null });
  const canaryIds = ['canary'];
  const all = { speakers: [speaker(), off], canaryIds };
  expect(attentionOf(seen(all))).toMatchObject([{ kind: 'no-canary', canaries: [{ name: 'first' }] }]);
  expect(kindsOf({ ...all, canaryIds: [] })).toEqual([]);
  expect(kindsOf({ ...all, canaryIds: ['canary', 'speaker'] })).toEqual([]);
  // Where no other speaker is on, none waits for it.
  expect(kindsOf({ ...all, speakers: [off] })).toEqual([]);
  const error = { code: 'canary_failed', detail: 'No speaker can go first' };
  const failed = { id: 'job', state: 'failed', resource: { type: 'revision', id: 'two' }, error };
  const behind = speaker({ applied_revision_id: 'one' });
  expect(kindsOf({ ...all, speakers: [behind, off], applies: [failed] })).toEqual(['not-applied']);
});

test('no router, where no speaker has a session and no peer is on', () => {
  const idle = speaker({ live: { reachable: true, sessions: [] } });
  const off = speaker({ enabled: false, live: null });
  const peer = { id: 'peer', name: 'edge', enabled: true, speaker_ids: [] };
  expect(hasNoRouter({ speakers: [idle], peers: [] })).toBe(true);
  expect(hasNoRouter({ speakers: [], peers: [] })).toBe(true);
  expect(hasNoRouter({ speakers: [off], peers: [{ ...peer, enabled: false }] })).toBe(true);
  expect(hasNoRouter({ speakers: [off], peers: [peer] })).toBe(false);
  expect(hasNoRouter({ speakers: [speaker()], peers: [] })).toBe(false);
  // Nobody knows what one has that is not reported.
  expect(hasNoRouter({ speakers: [speaker({ live: { reachable: false, sessions: [] } })], peers: [] })).toBe(
    false,
  );
});
