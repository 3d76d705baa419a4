/** A process that holds speakers in a BIRD, for tests that stop or kill it. Argument: where database and BIRD are, as JSON. */
import { SpeakerHolder } from '../../../src/control/holding/hold-speakers.ts';
import { BirdDaemon, type BirdOptions } from '../../../src/speakers/bird/daemon.ts';
import { BirdDriver } from '../../../src/speakers/bird/driver.ts';
import type { DatabaseAddress } from '../../../src/store/database/database-address.ts';
import { openDatabase } from '../../../src/store/database/database.ts';
import { SecretBox } from '../../../src/store/secrets.ts';
import { PEER_REACH } from '../../peer-allow.ts';

export interface HolderArguments {
  readonly address: DatabaseAddress;
  readonly bird: BirdOptions;
  /** In hexadecimal digits. */
  readonly secretKey: string;
}

const { address, bird, secretKey } = JSON.parse(process.argv[2]!) as HolderArguments;
const db = openDatabase(address);
const daemon = new BirdDaemon(bird);
const holder = new SpeakerHolder({
  peerReach: PEER_REACH,
  ...{ db, secrets: new SecretBox(Buffer.from(secretKey, 'hex')), daemons: ['bird'] },
  driverOf: (_daemon, id) =>
    new BirdDriver(daemon, id, () => {
      throw new Error('No speaker of these tests feeds its BIRD.');
    }),
  onFault: () => undefined,
});
holder.start();
