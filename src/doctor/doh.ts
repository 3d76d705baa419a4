import { DohResolver } from '../sources/doh/doh.ts';
import { ownAddresses } from '../core/own-addresses.ts';
import { readSecretKey, SecretBox } from '../store/secrets.ts';
import { type ExaminedResolver, readResolvers } from '../store/postgres/examination.ts';
import type { Config } from '../config/config.ts';
import { asSystem, type Check, fault, type Finding, ok } from './finding.ts';

const NAME = 'doh';
/** Where lists ask it for nothing: reserved for examples (RFC 2606). */
const USUAL_DOMAIN = 'example.com';

export const DOH: Check = {
  name: NAME,
  examine: (patient) =>
    asSystem(NAME, patient, async (client) => {
      const resolvers = await readResolvers(client);
      if (resolvers.length === 0) return [ok(NAME, 'no DoH profile is enabled')];
      return Promise.all(resolvers.map((resolver) => ask(resolver, patient.config)));
    }),
};

async function ask(resolver: ExaminedResolver, config: Config): Promise<Finding> {
  const { url, method, bootstrapAddresses, timeoutMs, name, tenant, domain } = resolver;
  const what = `${name} (tenant ${tenant})`;
  const started = performance.now();
  let asked: DohResolver | null = null;
  try {
    asked = new DohResolver({
      ...{ url, method, bootstrapAddresses, timeoutMs, clientSubnet: null },
      headers: headersOf(resolver, config),
      reach: { allow: config.fetchAllow, own: ownAddresses([]) },
      retry: { attempts: 1, firstMs: 0, longestMs: 0 },
    });
    // One of a company answers for its own zones alone.
    await asked.resolve(domain ?? USUAL_DOMAIN, 'ipv4');
    return ok(NAME, `${what} answers in ${(performance.now() - started).toFixed(0)} ms`);
  } catch (error) {
    return fault(
      NAME,
      `${what} does not answer${domain === null ? '' : ` for ${domain}`}: ${(error as Error).message}`,
      'Let this machine reach it (port 443, a firewall, its name in DNS or bootstrap_addresses), or disable the profile.',
    );
  } finally {
    asked?.close();
  }
}

function headersOf(
  { headersSealed, tenantId, id }: ExaminedResolver,
  config: Config,
): Record<string, string> {
  const key = config.secretKey ?? readSecretKey(config.dataDir);
  if (headersSealed === null || key === null) return {};
  const text = new SecretBox(key).open(headersSealed, `doh_profile ${tenantId} ${id}`).toString();
  return JSON.parse(text) as Record<string, string>;
}
