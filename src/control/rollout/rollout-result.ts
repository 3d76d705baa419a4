import type { PeerApplyResult, SpeakerApplyResult } from '../../api/revisions/apply.ts';
import { announcerAtNode, type Speaker } from '../../api/speakers/speakers.ts';
import { faultAlone } from '../../speakers/verification/peer-results.ts';
import type { SpeakerApply } from '../../store/rollout/applies.ts';

/**
 * What the apply did at each speaker, in the order of its waves.
 * @param away speakers whose node is not waited for
 * @param lockedOut those of them whose node has no key that works
 */
export function presentApplies(
  applies: readonly SpeakerApply[],
  speakers: readonly NamedSpeaker[],
  away: ReadonlySet<string> = new Set(),
  lockedOut: ReadonlySet<string> = new Set(),
): SpeakerApplyResult[] {
  const byId = new Map(speakers.map((speaker) => [speaker.id, speaker]));
  return applies
    .toSorted((a, b) => a.wave - b.wave)
    .map((apply) => {
      const result = presentApply(apply, byId.get(apply.speaker_id));
      const hasNotEnded = apply.state === 'queued' || apply.state === 'running';
      const isAway = hasNotEnded && away.has(apply.speaker_id);
      return isAway
        ? {
            ...result,
            status: 'unreachable',
            error: (lockedOut.has(apply.speaker_id) ? withoutKey : outOfReach)(byId.get(apply.speaker_id)),
          }
        : result;
    });
}

/** What of a speaker helps to find out why it says nothing. */
type NamedSpeaker = Pick<Speaker, 'id' | 'name' | 'mode' | 'daemon' | 'agent'>;

function presentApply(apply: SpeakerApply, speaker: NamedSpeaker | undefined): SpeakerApplyResult {
  const { speaker_id, wave, code, error } = apply;
  const nothing = { announced: 0, withdrawn: 0, changed: 0 };
  const base = { speaker_id, wave, ...nothing, code, error, peers: [...(apply.peers ?? [])] };
  switch (apply.state) {
    case 'succeeded': {
      const { announced, withdrawn, changed } = apply;
      const counts = { announced: announced ?? 0, withdrawn: withdrawn ?? 0, changed: changed ?? 0 };
      const touched = counts.announced + counts.withdrawn + counts.changed;
      return {
        ...base,
        ...counts,
        status: apply.partial ? 'partial' : touched === 0 ? 'unchanged' : 'applied',
      };
    }
    case 'superseded':
      return { ...base, status: 'unchanged' };
    case 'undone':
      return { ...base, status: 'undone', peers: base.peers.map(withoutOutlook) };
    case 'failed':
    case 'skipped':
      return { ...base, status: apply.state };
    case 'undoing':
      return {
        ...base,
        status: 'failed',
        peers: base.peers.map(withoutOutlook),
        error: `${error} It is to go back to what it ran before, and could not yet; that is tried until it comes about.`,
      };
    case 'planned':
    case 'queued':
      return { ...base, status: 'failed', code: 'speaker_unreachable', error: unanswered(speaker) };
    case 'running':
      return {
        ...base,
        status: 'unfinished',
        error: unfinished(speaker),
      };
  }
}

/** What was to become of a peer is over: its speaker goes back to what it ran before, or has done so. */
function withoutOutlook(peer: PeerApplyResult): PeerApplyResult {
  return { ...peer, error: peer.error === null ? null : faultAlone(peer.error) };
}

function unanswered(speaker: NamedSpeaker | undefined): string {
  if (speaker?.mode !== 'agent')
    return 'No process that holds this speaker answered in time. See that one runs as app-all or app-speaker; it applies the revision when it starts.';
  if (speaker.agent === null)
    return `No node has enrolled for the speaker ${speaker.name} yet. Make a token (POST /v1/speakers/${speaker.id}/enrollment-tokens) and start an agent with it; it applies the revision then.`;
  return `${agentOf(speaker.agent)} has not fetched the revision in time. See that it runs and reaches this service; it applies the revision when it does.`;
}

function unfinished(speaker: NamedSpeaker | undefined): string {
  if (speaker?.mode !== 'agent' || speaker.agent === null)
    return 'Whoever holds this speaker began and has not come to an end in time. It goes on; see the live status of the speaker.';
  return `${agentOf(speaker.agent)} was sent the revision and has not reported the outcome in time. Check that it runs and reaches this service; it continues by itself.`;
}

function outOfReach(speaker: NamedSpeaker | undefined): string {
  const agent = speaker?.agent ?? null;
  const who = agent === null ? 'Its agent' : agentOf(agent);
  const daemon = speaker?.daemon ?? 'builtin';
  return `${who} is out of reach. ${announcerAtNode(daemon)} goes on announcing what it ran, if it runs, and ${daemon === 'builtin' ? '' : 'the agent '}applies the revision when it is back.`;
}

function withoutKey(speaker: NamedSpeaker | undefined): string {
  const agent = speaker?.agent ?? null;
  const who = agent === null ? 'Its agent' : agentOf(agent);
  return `${who} takes nothing more: no key of the node works. Enroll it again with another token (POST /v1/speakers/{speaker_id}/enrollment-tokens), or stop it on its machine. ${announcerAtNode(speaker?.daemon ?? 'builtin')} goes on announcing what it ran, if it runs.`;
}

function agentOf({ hostname, last_seen_at: seen }: NonNullable<Speaker['agent']>): string {
  return `The agent on ${hostname ?? 'a machine without a name'}, last seen at ${seen ?? 'no time that is known'},`;
}
