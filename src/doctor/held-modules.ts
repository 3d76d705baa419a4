import { shellWord } from '../cli/render/shell-word.ts';
import { staysText } from '../cli/session/held.ts';
import { type ExaminedHold, readHolds } from '../store/postgres/examination.ts';
import { asSystem, type Check, type Finding, findingsOf, warning } from './finding.ts';

const NAME = 'held';

export const HELD_MODULES: Check = {
  name: NAME,
  examine: (patient) =>
    asSystem(NAME, patient, async (client) =>
      findingsOf(NAME, await readHolds(client), {
        none: 'no module is held',
        toFinding,
        more: (count) => `${count} more modules are held`,
        all: 'See all: prefixcast module list --all',
      }),
    ),
};

function toFinding({ tenant, id, name, isDeleted, codes }: ExaminedHold): Finding {
  const what = `the ${isDeleted ? 'deleted ' : ''}module ${name} (tenant ${tenant})`;
  return warning(
    NAME,
    `${what} is held for ${codes.join(', ')}: ${staysText(codes)}`,
    `See what it breaks and which routes its release would change: prefixcast module held ${isDeleted ? id : shellWord(name)}`,
  );
}
