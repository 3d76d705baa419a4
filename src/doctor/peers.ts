import { shellWord } from '../cli/render/shell-word.ts';
import { type PeerBehind, readPeersBehind } from '../store/postgres/examination.ts';
import { asSystem, type Check, type Finding, findingsOf, warning } from './finding.ts';

const NAME = 'peers';

export const PEERS: Check = {
  name: NAME,
  examine: (patient) =>
    asSystem(NAME, patient, async (client) =>
      findingsOf(NAME, await readPeersBehind(client), {
        none: 'no peer holds less than its speaker runs',
        toFinding,
        more: (count) => `${count} more peers are behind`,
        all: 'See all: prefixcast session list',
      }),
    ),
};

function toFinding({ tenant, name, speaker, error }: PeerBehind): Finding {
  const what = `${name} at ${speaker} (tenant ${tenant})`;
  if (error === null)
    return warning(
      NAME,
      `${what} keeps what it had: the list has more routes than its max_prefixes_out`,
      `Compare both: prefixcast peer get ${shellWord(name)}. Raise the limit where the list is right: prefixcast peer edit ${shellWord(name)} --max-prefixes N`,
    );
  return warning(
    NAME,
    `${what} was reverted to what it held before: ${error}`,
    'See its session: prefixcast session list. Correct what the error says, and try again: prefixcast apply retry',
  );
}
