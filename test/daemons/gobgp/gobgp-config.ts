import { families } from '../daemon.ts';
import type { DaemonOptions, Neighbor } from '../daemon.ts';

/** gobgpd's configuration in TOML. Only what the daemon originates goes out, as from every daemon of this folder. */
export function renderGobgpConfig(options: DaemonOptions): string {
  return `
[global.config]
as = ${options.localAsn}
router-id = "${options.routerId}"
port = ${options.listen.port}
local-address-list = ["${options.listen.address}"]
[global.apply-policy.config]
export-policy-list = ["own"]
default-export-policy = "reject-route"

[[policy-definitions]]
name = "own"
[[policy-definitions.statements]]
name = "own"
[policy-definitions.statements.conditions.bgp-conditions]
route-type = "local"
[policy-definitions.statements.actions]
route-disposition = "accept-route"
${options.neighbors.map((neighbor) => renderNeighbor(neighbor, options)).join('')}`;
}

function renderNeighbor(neighbor: Neighbor, { listen, localAsn }: DaemonOptions): string {
  const { gracefulRestart = 'aware', holdTime = 90 } = neighbor;
  const sections = families(neighbor).map(
    (family) => `
[[neighbors.afi-safis]]
[neighbors.afi-safis.config]
afi-safi-name = "${family}-unicast"
[neighbors.afi-safis.mp-graceful-restart.config]
enabled = ${gracefulRestart !== false}
`,
  );
  return `
[[neighbors]]
[neighbors.config]
neighbor-address = "${neighbor.address}"
peer-as = ${neighbor.asn}
[neighbors.transport.config]
local-address = "${listen.address}"
remote-port = ${neighbor.port}
passive-mode = ${neighbor.passive ?? false}
[neighbors.ebgp-multihop.config]
enabled = ${neighbor.asn !== localAsn}
multihop-ttl = 255
[neighbors.timers.config]
hold-time = ${holdTime}
keepalive-interval = ${Math.floor(holdTime / 3)}
connect-retry = 1
idle-hold-time-after-reset = 1
[neighbors.graceful-restart.config]
enabled = ${gracefulRestart !== false}
helper-only = ${gracefulRestart === 'aware'}
restart-time = 120
${sections.join('')}`;
}
