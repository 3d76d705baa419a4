/** What becomes of each speaker while an apply runs, in place on the terminal. */
import type { EventData } from '#client';
import { LiveTable } from './live.ts';
import { cellText } from '../render/formats.ts';
import type { Session } from '../session/run-remote.ts';
import type { ProgressView } from '../session/wait.ts';

type Shown = Pick<EventData['apply'], 'announced' | 'withdrawn' | 'changed' | 'error'> & {
  readonly status: string;
  /** Null: not known. */
  readonly wave: number | null;
};

const TITLES = ['SPEAKER', 'STATUS', 'ANNOUNCED', 'WITHDRAWN', 'CHANGED', 'WAVE', 'ERROR'];

export class SpeakersView implements ProgressView {
  readonly #client: Session['client'];
  readonly #jobId: string;
  readonly #table = new LiveTable(TITLES);
  readonly #names = new Map<string, string>();
  readonly #speakers = new Map<string, Shown>();
  readonly #stop = new AbortController();
  #step = '';

  constructor({ client }: Pick<Session, 'client'>, jobId: string) {
    this.#client = client;
    this.#jobId = jobId;
    // Whatever becomes of it: the job is waited for, and its result says how each speaker did.
    this.#follow().catch(() => undefined);
  }

  show({ state, progress }: Parameters<ProgressView['show']>[0]): void {
    const steps = typeof progress?.total === 'number' ? ` ${progress.done}/${progress.total}` : '';
    // A job that waits for canaries is queued meanwhile.
    this.#step =
      progress && (state === 'running' || state === 'queued') ? `${progress.phase}${steps}` : state;
    this.#draw();
  }

  /** What stands there stays. */
  end(): void {
    this.#stop.abort();
  }

  /** What is printed next takes its place. */
  clear(): void {
    this.#table.clear();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#stop;
    const onOpen = (): void => void this.#readSpeakers().catch(() => undefined);
    for await (const { kind, data } of this.#client.events({ kinds: ['apply'], signal, onOpen })) {
      if (kind !== 'apply' || data.job_id !== this.#jobId) continue;
      const status = data.state === 'succeeded' && data.partial ? 'partial' : data.state;
      this.#speakers.set(data.speaker_id, { ...data, status });
      this.#draw();
    }
  }

  /** Whoever begins in the middle of it has missed the first events. */
  async #readSpeakers(): Promise<void> {
    for await (const { id, name, last_apply: last } of this.#client.list('/v1/speakers')) {
      this.#names.set(id, name);
      if (last?.job_id !== this.#jobId || this.#speakers.has(id)) continue;
      const counts = { announced: null, withdrawn: null, changed: null, wave: null };
      const status = last.status === 'ok' ? 'succeeded' : last.status;
      this.#speakers.set(id, { ...counts, status, error: last.error });
    }
    this.#draw();
  }

  #draw(): void {
    if (this.#stop.signal.aborted) return;
    const rows = [...this.#speakers]
      .sort(([, one], [, other]) => (one.wave ?? 0) - (other.wave ?? 0))
      .map(([id, { status, announced, withdrawn, changed, wave, error }]) =>
        [this.#names.get(id) ?? id, status, announced, withdrawn, changed, wave, error].map((cell) =>
          cellText(cell),
        ),
      );
    this.#table.draw(rows, `apply: ${this.#step}`);
  }
}
