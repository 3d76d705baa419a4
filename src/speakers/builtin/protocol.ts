/** Messages between the main thread and the speaker thread. Tables are transferred, see table-copy.ts. */
import type { ApplyOutcome, RoutesModel, SessionState, SpeakerModel, SpeakerStatus } from '../speaker.ts';

export interface ListenAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
}

export interface ThreadOptions {
  readonly listen: ListenAddress;
  /** Milliseconds after which a peer that is still being sent an apply is shown to read slowly. */
  readonly timeout: number;
  /** Version of the program, shown in a speaker's status. */
  readonly version: string;
}

export type Command =
  | { readonly type: 'configure'; readonly speakerId: string; readonly model: SpeakerModel }
  | { readonly type: 'apply'; readonly speakerId: string; readonly routes: RoutesModel }
  | { readonly type: 'hurry'; readonly speakerId: string }
  | { readonly type: 'status'; readonly speakerId: string }
  | { readonly type: 'close'; readonly speakerId: string; readonly graceful: boolean };

/** Answers by the command's type. */
export interface Answers {
  readonly configure: null;
  readonly apply: ApplyOutcome;
  readonly hurry: null;
  readonly status: SpeakerStatus;
  readonly close: null;
}

export interface Request {
  readonly id: number;
  readonly command: Command;
}

export type Report =
  | { readonly type: 'ready' }
  | { readonly type: 'answer'; readonly id: number; readonly value: Answers[Command['type']] }
  | { readonly type: 'failure'; readonly id: number; readonly code: string; readonly message: string }
  | { readonly type: 'listening'; readonly address: ListenAddress | null }
  | { readonly type: 'session'; readonly change: SessionChange }
  | { readonly type: 'log'; readonly level: 'info' | 'warn'; readonly text: string; readonly fields: object };

export interface SessionChange {
  readonly speakerId: string;
  readonly peerId: string;
  readonly state: SessionState;
  readonly lastError: string | null;
}
