import { OPEN_POLICY } from '../../../src/policy/policy-guardrail.ts';
import type { Guardrails } from '../../../src/control/guards/guardrails.ts';

/** The guardrails as a tenant has them who set none, with nothing around it, and what a test wants otherwise. */
export function guardrailsOf(other: Partial<Guardrails> = {}): Guardrails {
  return {
    allowDefaultRoute: false,
    minLength: { ipv4: 8, ipv6: 19 },
    bogons: 'drop',
    protected: [],
    namesService: false,
    maxPrefixes: 1_000_000,
    maxChangePercent: 30,
    policy: OPEN_POLICY,
    maxCoveragePercent: 50,
    maxWithdrawPercent: 50,
    scope: 'module',
    ...other,
  };
}
