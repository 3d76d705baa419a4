import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificates, makeCertificates } from './certificates.ts';
import { daemonDirectory, spawnDaemon, tail } from './process.ts';
import { programPath } from './programs.ts';
import { waitFor } from './wait.ts';

export interface UnboundOptions {
  readonly listen: { readonly address: string; readonly port: number };
  /** The zone `test.`, as a zone file has it below its SOA: `www 300 A 192.0.2.1`. */
  readonly records: readonly string[];
  /** Names below `test.` that nobody can resolve: SERVFAIL for these and what is below them. */
  readonly broken?: readonly string[];
  /** Names below `test.` whose questions it hangs up on. */
  readonly denied?: readonly string[];
}

/** A resolver that serves DoH (RFC 8484) with a certificate of its own authority, for its address and `dns.test`. */
export interface Unbound {
  /** Template, with the address as host. */
  readonly url: string;
  readonly certificates: Certificates;
  /** Gives it other records; returns once they are served. Connections end. */
  serve(changes: Partial<Omit<UnboundOptions, 'listen'>>): Promise<void>;
  log(): string;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export async function startUnbound(initial: UnboundOptions): Promise<Unbound> {
  const { address, port } = initial.listen;
  const certificates = makeCertificates([`IP:${address}`, 'DNS:dns.test']);
  const directory = daemonDirectory('unbound');
  let options = initial;
  const write = (): void => {
    writeFileSync(join(directory, 'unbound.conf'), renderConfig(options, directory, certificates));
    writeFileSync(join(directory, 'test.zone'), renderZone(options.records));
  };

  write();
  const args = ['-d', '-p', '-c', join(directory, 'unbound.conf')];
  const child = spawnDaemon(programPath('unbound'), args, { directory });
  const starts = (): number => child.log().split('start of service').length - 1;
  const started = (count: number): Promise<boolean> =>
    waitFor(() => child.exited || starts() >= count, {
      what: 'unbound to serve',
      details: () => tail(child.log()),
    });
  const stop = async (): Promise<void> => {
    await child.stop();
    certificates.remove();
  };
  await started(1);
  if (child.exited) {
    const log = tail(child.log());
    await stop();
    throw new Error(`unbound did not start:\n${log}`);
  }
  return {
    url: `https://${address}:${port}/dns-query{?dns}`,
    certificates,
    async serve(changes) {
      options = { ...options, ...changes };
      write();
      const before = starts();
      child.kill('SIGHUP');
      await started(before + 1);
    },
    log: () => child.log(),
    kill: (signal) => child.kill(signal),
    stop,
  };
}

/** The zone is resolved as any other would be, aliases and all, only that its servers are never asked. */
function renderConfig(
  { listen, broken = [], denied = [] }: UnboundOptions,
  directory: string,
  { certFile, keyFile }: Certificates,
): string {
  return `
server:
  interface: ${listen.address}@${listen.port}
  https-port: ${listen.port}
  http-endpoint: "/dns-query"
  tls-service-pem: "${certFile}"
  tls-service-key: "${keyFile}"
  access-control: 127.0.0.0/8 allow
  do-not-query-localhost: no
  do-udp: yes
  do-ip6: no
  username: ""
  chroot: ""
  directory: "${directory}"
  pidfile: ""
  use-syslog: no
  logfile: ""
  verbosity: 1
  num-threads: 1
  incoming-num-tcp: 50
  module-config: "iterator"
  local-zone: "test." nodefault
${denied.map((name) => `  local-zone: "${name}.test." deny\n`).join('')}
auth-zone:
  name: "test."
  zonefile: "${join(directory, 'test.zone')}"
  for-downstream: no
  for-upstream: yes
${broken.map((name) => `auth-zone:\n  name: "${name}.test."\n  for-downstream: no\n  fallback-enabled: no\n`).join('')}
remote-control:
  control-enable: no
`;
}

function renderZone(records: readonly string[]): string {
  const head = ['$ORIGIN test.', '@ 300 SOA ns.test. root.test. 1 3600 600 86400 60', '@ 300 NS ns.test.'];
  return [...head, 'ns 300 A 192.0.2.53', ...records, ''].join('\n');
}
