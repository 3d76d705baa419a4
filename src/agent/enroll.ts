import { hostname } from 'node:os';
import type { Daemon } from '../api/speakers/speakers.ts';
import type { ControlPlane } from './control-plane.ts';
import type { DataDirectory } from './data-directory.ts';
import { writeIdentity, type Identity } from './identity.ts';

export interface Enrollment {
  readonly directory: DataDirectory;
  readonly control: ControlPlane;
  readonly controlUrl: string;
  readonly token: string;
  readonly daemon: Daemon;
  /** Version of the agent. */
  readonly version: string;
}

/**
 * Makes this machine the node of the token's speaker, and stores its identity. The signing keys in the answer are trusted from then on:
 * this is the only moment at which the node trusts whoever presents the certificate.
 * @throws {AgentFault}
 */
export async function enroll({
  directory,
  control,
  controlUrl,
  token,
  daemon,
  version,
}: Enrollment): Promise<Identity> {
  // A token works once: it is not used before the disk is known to have room for the result.
  const room = await directory.stage('identity.json', [Buffer.alloc(4096)]);
  await room.discard();
  const answer = await control.enroll(token, { hostname: hostname(), version, daemon });
  const { tenant_id, speaker_id, speaker, api_key, signing_keys } = answer;
  const identity: Identity = {
    control_url: controlUrl,
    ...{ tenant_id, speaker_id, speaker_name: speaker.name, daemon: speaker.daemon, api_key },
  };
  const keys = signing_keys.map(({ key_id, public_key, not_after }) => ({ key_id, public_key, not_after }));
  await writeIdentity(directory, identity, { keys, highest_sequence: null });
  return identity;
}
