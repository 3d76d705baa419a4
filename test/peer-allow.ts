import { parsePrefix } from '../src/core/prefix.ts';
import type { Reach } from '../src/core/reach.ts';

/**
 * `APP_PEER_ALLOW` of tests, whose routers are on this machine and whose tenants are seldom the home tenant. Documentation addresses (RFC 5737)
 * are those of routers in tests, and of the machine itself in some laboratories.
 */
export const PEER_ALLOW_TEXT = '127.0.0.0/8,::1/128,192.0.2.0/24';

export const PEER_REACH: Reach = {
  own: [],
  allow: PEER_ALLOW_TEXT.split(',').map((text) => {
    const parsed = parsePrefix(text);
    if (!parsed.ok) throw new Error(parsed.reason);
    return parsed.value;
  }),
};
