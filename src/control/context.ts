import type { Role } from '../api/permissions.ts';
import type { Prefix } from '../core/prefix.ts';
import type { SecretBox } from '../store/secrets.ts';
import type { JobQueue } from './job.ts';

/** On whose behalf a verb runs, and what it may need to carry the change out. */
export interface ControlContext {
  /** `key:<name>`, `auto:scheduler`, `node:<speaker>` or `cli`: what jobs and revisions are signed with. */
  readonly actor: string;
  readonly role: Role;
  /** Whose node asks; null: no node does, or one whose speaker is gone. */
  readonly speakerId: string | null;
  readonly queue: JobQueue;
  readonly secrets: SecretBox;
  /** Networks of `APP_PEER_ALLOW`, where peers of any tenant may be although they are inside. */
  readonly peerAllow: readonly Prefix[];
}
