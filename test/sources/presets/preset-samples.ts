/** Small lists in the shape that each publisher has, with something for every variant; real ones are in ../shared/data. */
import { presets } from '../../../src/sources/presets/presets.ts';

/** What stands behind `kind:` in the variants of a preset. */
export function namesOf(id: string, kind: string): string[] {
  const { variants } = presets().find((preset) => preset.id === id)!;
  return variants.flatMap((variant) =>
    variant.id.startsWith(`${kind}:`) ? [variant.id.slice(kind.length + 1)] : [],
  );
}

/** A public /24 of its own for each number. */
const ipv4 = (n: number): string => `45.${n >> 8}.${n & 255}.0/24`;
const ipv6 = (n: number): string => `2a00:${n.toString(16)}::/32`;

const google = (scopes: readonly string[]) => ({
  syncToken: '1',
  prefixes: scopes.flatMap((scope, n) => [
    { ipv4Prefix: ipv4(n), service: 'Google Cloud', scope },
    { ipv6Prefix: ipv6(n + 1), service: 'Google Cloud', scope },
  ]),
});

const JSON_SAMPLES: Readonly<Record<string, () => unknown>> = {
  aws: () => {
    const members = [
      ...namesOf('aws', 'service').map((service) => ({ service, region: 'GLOBAL' })),
      ...namesOf('aws', 'region').map((region) => ({ service: 'AMAZON', region })),
    ];
    return {
      syncToken: '1',
      prefixes: members.map((member, n) => ({ ip_prefix: ipv4(n), ...member, network_border_group: 'x' })),
      ipv6_prefixes: members.map((member, n) => ({ ipv6_prefix: ipv6(n + 1), ...member })),
    };
  },
  google: () => google(['global']),
  'google-cloud': () => google(namesOf('google-cloud', 'region')),
  azure: () => ({
    changeNumber: 1,
    cloud: 'Public',
    values: namesOf('azure', 'tag').map((name, n) => ({
      name,
      id: name,
      properties: { region: '', platform: 'Azure', addressPrefixes: [ipv4(n), ipv6(n + 1)] },
    })),
  }),
  oracle: () => ({
    last_updated_timestamp: '2026-11-01T00:00:00',
    regions: [
      {
        region: 'eu-frankfurt-1',
        cidrs: namesOf('oracle', 'tag').map((tag, n) => ({ cidr: ipv4(n), tags: [tag] })),
      },
    ],
  }),
  cloudflare: () => ({
    result: { ipv4_cidrs: [ipv4(0)], ipv6_cidrs: [ipv6(1)], etag: 'e' },
    success: true,
    errors: [],
  }),
  fastly: () => ({ addresses: [ipv4(0)], ipv6_addresses: [ipv6(1)] }),
  github: () => ({
    verifiable_password_authentication: false,
    ssh_keys: ['ssh-ed25519 AAAA'],
    ...Object.fromEntries(namesOf('github', 'key').map((key, n) => [key, [ipv4(n), ipv6(n + 1)]])),
    domains: { website: ['*.github.com'] },
  }),
  atlassian: () => ({
    creationDate: '2026-11-01',
    items: namesOf('atlassian', 'product').map((product, n) => ({
      network: '45.0.0.0',
      mask_len: 24,
      cidr: ipv4(n),
      product: [product],
      direction: ['egress'],
    })),
  }),
  country: () => ({ country: 'Nowhere', prefixes: { ipv4: [ipv4(0)], ipv6: [ipv6(1)] } }),
};

const GEOFEED = `# prefix,country,region,city,postal\n${ipv4(0)},DE,DE-HE,Frankfurt,\n${ipv6(1)},NL,,,\n`;

const TEXT_SAMPLES: Readonly<Record<string, string>> = {
  digitalocean: GEOFEED.slice(GEOFEED.indexOf('\n') + 1),
  linode: GEOFEED,
  'apple-private-relay': GEOFEED.slice(GEOFEED.indexOf('\n') + 1),
  'spamhaus-drop': `; Spamhaus DROP List\n${ipv4(0)} ; SBL256894\n`,
  'spamhaus-drop-ipv6': `; Spamhaus DROP List\n${ipv6(1)} ; SBL303641\n`,
};

/** A list of the preset in the shape in which its publisher has it. */
export function sampleOf(id: string): string {
  const json = JSON_SAMPLES[id];
  if (json !== undefined) return JSON.stringify(json());
  if (id.startsWith('openai-') || id === 'bingbot') return JSON.stringify(google(['global']));
  return TEXT_SAMPLES[id] ?? `# a list\n${ipv4(0)}\n45.99.0.1\n`;
}
