import { OPEN_RAIL } from '../../../src/control/guards/guard-policy.ts';
import type { Rails } from '../../../src/control/guards/rails.ts';

/** The rails as a tenant has them who set none, with nothing around it, and what a test wants otherwise. */
export function railsOf(other: Partial<Rails> = {}): Rails {
  return {
    allowDefaultRoute: false,
    minLength: { ipv4: 8, ipv6: 19 },
    bogons: 'drop',
    protected: [],
    maxPrefixes: 1_000_000,
    maxChangePercent: 30,
    policy: OPEN_RAIL,
    maxCoveragePercent: 50,
    maxWithdrawPercent: 50,
    scope: 'module',
    ...other,
  };
}
