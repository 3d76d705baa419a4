import type { Role } from '../api/access/permissions.ts';
import type { Daemon } from '../api/speakers/speakers.ts';
import type { Reach } from '../core/reach.ts';
import type { SecretBox } from '../store/secrets.ts';
import type { JobQueue } from './job.ts';

/** On whose behalf a verb runs, and what it may need to carry the change out. */
export interface ControlContext {
  /** `key:<name>`, `auto:scheduler`, `node:<speaker>` or `cli`: what jobs and revisions are signed with. */
  readonly actor: string;
  readonly role: Role;
  /** Whose node asks; null: no node does, or one whose speaker is gone. */
  readonly speakerId: string | null;
  /** Which firewall client asks; null: none does. */
  readonly firewallClientId: string | null;
  readonly queue: JobQueue;
  readonly secrets: SecretBox;
  /** Where peers of any tenant may be although they are inside: networks of `APP_PEER_ALLOW`. */
  readonly peerReach: Reach;
  /** Daemons that the configuration of this process lets speakers have. */
  readonly drivenDaemons: readonly Daemon[];
}
