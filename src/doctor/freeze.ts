import { readFrozenTenants } from '../store/postgres/examination.ts';
import { asSystem, type Check, ok, warning } from './finding.ts';

const NAME = 'freeze';

export const FREEZE: Check = {
  name: NAME,
  examine: (patient) =>
    asSystem(NAME, patient, async (client) => {
      const frozen = await readFrozenTenants(client);
      if (frozen.length === 0) return [ok(NAME, 'applies may begin')];
      const names = frozen.map(({ tenant, since }) => `${tenant} since ${since.toISOString()}`).join(', ');
      return [
        warning(
          NAME,
          `applies are frozen, so that routers follow no list (tenant ${names})`,
          'See what waits: prefixcast unfreeze --dry-run. Let it go on: prefixcast unfreeze',
        ),
      ];
    }),
};
