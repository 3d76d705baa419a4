import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { programPath } from './programs.ts';

/** A certificate authority of a test's own, and one certificate that it issued. All of it is PEM. */
export interface Certificates {
  /** File with the authority's certificate, such as for NODE_EXTRA_CA_CERTS. */
  readonly caFile: string;
  readonly certFile: string;
  readonly keyFile: string;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
  remove(): void;
}

/** @param names what the certificate is for, such as `DNS:dns.example.net` or `IP:127.0.0.1` */
export function makeCertificates(names: readonly string[]): Certificates {
  const directory = mkdtempSync(join(tmpdir(), `pc-${process.pid}-ca-`));
  const file = (name: string): string => join(directory, name);
  const openssl = (...args: string[]): void => {
    execFileSync(programPath('openssl'), args, { stdio: 'pipe', timeout: 60_000 });
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const ca = ['-x509', '-days', '30', '-subj', '/CN=Test authority', '-addext', 'keyUsage=keyCertSign'];
  openssl('req', ...ca, ...newKey, '-keyout', file('ca.key'), '-out', file('ca.pem'));
  openssl('req', '-subj', '/CN=test', ...newKey, '-keyout', file('key.pem'), '-out', file('csr.pem'));
  writeFileSync(file('names'), `subjectAltName=${names.join(',')}\n`);
  const issue = ['x509', '-req', '-days', '30', '-CA', file('ca.pem'), '-CAkey', file('ca.key')];
  openssl(
    ...issue,
    '-CAcreateserial',
    '-in',
    file('csr.pem'),
    '-extfile',
    file('names'),
    '-out',
    file('cert.pem'),
  );
  const text = (name: string): string => readFileSync(file(name), 'utf8');
  return {
    caFile: file('ca.pem'),
    certFile: file('cert.pem'),
    keyFile: file('key.pem'),
    ca: text('ca.pem'),
    cert: text('cert.pem'),
    key: text('key.pem'),
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** Has this process trust the authority, as NODE_EXTRA_CA_CERTS has a process that it starts. */
export function trust({ ca }: Certificates): void {
  setDefaultCACertificates([...getCACertificates('default'), ca]);
}
