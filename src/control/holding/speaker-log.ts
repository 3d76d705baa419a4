import { counted, duration, type OperatorEvent } from '../../api/activity/operator-events.ts';
import { grouped } from '../../api/shapes/grouped.ts';
import { SessionWatch, type WatchedPeer } from '../../speakers/session-watch.ts';
import type { SpeakerModel, SpeakerStatus } from '../../speakers/speaker.ts';
import type { ApplyEnd, SpeakerApply } from '../../store/rollout/applies.ts';
import type { TenantTx } from '../../store/database/database.ts';
import { findRevisionNumber } from '../../store/revisions/stored-revisions.ts';
import { findSpeaker } from '../../store/speakers/speakers.ts';

interface Reported {
  readonly key: string;
  readonly at: number;
  /** Null: no routes at all. */
  readonly number: number | null;
  /** The speaker runs it already. */
  readonly isKept: boolean;
  isEnded: boolean;
}

/** Emits events for operators about one speaker, in the process that holds it. */
export class SpeakerLog {
  readonly #speakerId: string;
  readonly #emit: (event: OperatorEvent) => void;
  readonly #sessions: SessionWatch;
  #name: string;
  #peers: readonly WatchedPeer[] = [];
  /** The apply that was last reported; one that is retried repeatedly is reported once. */
  #reported: Reported | null = null;

  constructor(speakerId: string, emit: (event: OperatorEvent) => void) {
    this.#speakerId = this.#name = speakerId;
    this.#emit = emit;
    this.#sessions = new SessionWatch({ id: speakerId });
  }

  /** The daemon is configured to this. */
  configured({ name, peers, ...speaker }: SpeakerModel): void {
    this.#name = name;
    this.#peers = peers.map((peer) => ({ ...peer, settings: { peer, speaker } }));
  }

  observe(status: SpeakerStatus): void {
    for (const event of this.#sessions.observe(this.#name, this.#peers, status)) this.#emit(event);
  }

  /** The speaker is held no more, and its sessions have ended. */
  ended(reason: string): void {
    for (const event of this.#sessions.end(reason)) this.#emit(event);
  }

  /** An apply of what the speaker runs already, as after a change of its peers, is reported only when it fails. */
  async begun(tx: TenantTx, apply: SpeakerApply): Promise<void> {
    const key = keyOf(apply);
    if (this.#reported?.key === key) return;
    const { revision_id: id, state } = apply;
    const speaker = await findSpeaker(tx, this.#speakerId);
    this.#name = speaker?.name ?? this.#name;
    const number = id === null ? null : await findRevisionNumber(tx, id);
    const isKept = state !== 'undoing' && id === (speaker?.applied_revision_id ?? null);
    this.#reported = { key, at: performance.now(), number, isKept, isEnded: false };
    if (isKept) return;
    const text =
      state === 'undoing'
        ? `The speaker ${this.#name} goes back to ${titleOf(number)}`
        : `The speaker ${this.#name} begins with ${titleOf(number)}`;
    this.#emit({ event: 'apply_begun', text, fields: this.#fields(apply, number) });
  }

  finished(apply: SpeakerApply, end: ApplyEnd): void {
    const reported = this.#reported;
    if (reported?.key !== keyOf(apply) || reported.isEnded) return;
    reported.isEnded = true;
    const { number, isKept } = reported;
    const seconds = Math.round(performance.now() - reported.at) / 1_000;
    const fields = { ...this.#fields(apply, number), seconds };
    if ('error' in end) {
      const text = `The speaker ${this.#name} did not take ${titleOf(number)}, after ${duration(seconds)}: ${end.error}`;
      this.#emit({
        event: 'apply_failed',
        text,
        fields: { ...fields, outcome: 'failed', code: end.code, reason: end.error },
      });
      return;
    }
    const { announced, withdrawn, changed } = end;
    const isPartial = typeof end.partial === 'string';
    if (isKept && announced + withdrawn + changed === 0) return;
    const counts = `${counted(announced, 'route')} announced, ${grouped(withdrawn)} withdrawn, ${grouped(changed)} changed`;
    const text = `The speaker ${this.#name} runs ${titleOf(number)} after ${duration(seconds)}: ${counts}${isPartial ? `. ${end.partial}` : ''}`;
    const taken = isPartial ? 'partial' : 'applied';
    const outcome = apply.state === 'undoing' ? 'undone' : taken;
    this.#emit({
      ...{ event: 'apply_ended', text, fields: { ...fields, outcome, announced, withdrawn, changed } },
      ...(isPartial ? { level: 'warn' } : {}),
    });
  }

  #fields(
    { id, revision_id: revisionId }: SpeakerApply,
    number: number | null,
  ): Readonly<Record<string, unknown>> {
    return {
      ...{ speaker_id: this.#speakerId, speaker: this.#name, apply_id: id },
      ...(revisionId === null ? {} : { revision_id: revisionId }),
      ...(number === null ? {} : { revision: number }),
    };
  }
}

function keyOf({ id, state }: SpeakerApply): string {
  return `${id} ${state}`;
}

function titleOf(number: number | null): string {
  return number === null ? 'no routes' : `revision ${number}`;
}
