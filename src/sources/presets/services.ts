import type { SourcePreset } from '../../api/entries/source-presets.ts';
import { googlePath } from './clouds.ts';

const GITHUB_URL = 'https://api.github.com/meta';
const ATLASSIAN_URL = 'https://ip-ranges.atlassian.com/';

/** The keys of GitHub's answer that hold prefixes; the others hold names and SSH keys. */
const GITHUB_KEYS =
  'hooks web api git github_enterprise_importer packages pages importer actions actions_macos codespaces dependabot copilot';

const ATLASSIAN_PRODUCTS = 'bitbucket confluence jira jira-service-management opsgenie statuspage trello';

const crawler = (
  id: string,
  name: string,
  provider: string,
  url: string,
  documentation: string,
): SourcePreset => ({
  ...{ id, name, provider, url, documentation },
  category: 'crawler',
  description: `Addresses from which ${name} asks.`,
  format: 'json',
  json_path: googlePath(),
  csv_column: null,
  variants: [],
});

export const SERVICE_PRESETS: readonly SourcePreset[] = [
  {
    id: 'cloudflare',
    name: 'Cloudflare',
    provider: 'Cloudflare',
    category: 'cdn',
    description: "Addresses of Cloudflare's proxies, of both families.",
    url: 'https://api.cloudflare.com/client/v4/ips',
    format: 'json',
    json_path: "$.result['ipv4_cidrs','ipv6_cidrs'][*]",
    csv_column: null,
    variants: [
      {
        id: 'ipv4',
        name: 'IPv4 as text',
        url: 'https://www.cloudflare.com/ips-v4/',
        format: 'text',
        json_path: null,
      },
      {
        id: 'ipv6',
        name: 'IPv6 as text',
        url: 'https://www.cloudflare.com/ips-v6/',
        format: 'text',
        json_path: null,
      },
    ],
    documentation: 'https://www.cloudflare.com/ips/',
  },
  {
    id: 'fastly',
    name: 'Fastly',
    provider: 'Fastly',
    category: 'cdn',
    description: "Addresses of Fastly's edge.",
    url: 'https://api.fastly.com/public-ip-list',
    format: 'json',
    json_path: "$['addresses','ipv6_addresses'][*]",
    csv_column: null,
    variants: [],
    documentation: 'https://www.fastly.com/documentation/reference/api/utils/public-ip-list/',
  },
  {
    id: 'github',
    name: 'GitHub',
    provider: 'GitHub',
    category: 'service',
    description:
      'Addresses of GitHub. Most are those of hosted runners (`actions`), which lie in Azure; take the keys that are needed. Without a token ' +
      'GitHub answers 60 times an hour.',
    url: GITHUB_URL,
    format: 'json',
    json_path: `$[${GITHUB_KEYS.split(' ')
      .map((key) => `'${key}'`)
      .join()}][*]`,
    csv_column: null,
    variants: GITHUB_KEYS.split(' ').map((key) => ({
      id: `key:${key}`,
      name: `key ${key}`,
      url: GITHUB_URL,
      format: 'json',
      json_path: `$.${key}[*]`,
    })),
    documentation: 'https://docs.github.com/en/rest/meta/meta',
  },
  {
    id: 'telegram',
    name: 'Telegram',
    provider: 'Telegram',
    category: 'service',
    description: 'Addresses of the messenger.',
    url: 'https://core.telegram.org/resources/cidr.txt',
    format: 'text',
    json_path: null,
    csv_column: null,
    variants: [],
    documentation: 'https://core.telegram.org/resources/cidr.txt',
  },
  {
    id: 'atlassian',
    name: 'Atlassian',
    provider: 'Atlassian',
    category: 'service',
    description: 'Addresses of the cloud products, by product where that will do.',
    url: ATLASSIAN_URL,
    format: 'json',
    json_path: '$.items[*].cidr',
    csv_column: null,
    variants: ATLASSIAN_PRODUCTS.split(' ').map((product) => ({
      id: `product:${product}`,
      name: `product ${product}`,
      url: ATLASSIAN_URL,
      format: 'json',
      json_path: `$.items[?@.product[?@=='${product}']].cidr`,
    })),
    documentation:
      'https://support.atlassian.com/organization-administration/docs/ip-addresses-and-domains-for-atlassian-cloud-products/',
  },
  {
    id: 'zoom',
    name: 'Zoom',
    provider: 'Zoom',
    category: 'service',
    description: 'Addresses of meetings, phone and the rest of Zoom.',
    url: 'https://assets.zoom.us/docs/ipranges/Zoom.txt',
    format: 'text',
    json_path: null,
    csv_column: null,
    variants: [],
    documentation: 'https://support.zoom.com/hc/en/article?id=zm_kb&sysparm_article=KB0060548',
  },
  {
    id: 'apple-private-relay',
    name: 'Apple Private Relay',
    provider: 'Apple',
    category: 'service',
    description:
      'Addresses from which users of iCloud Private Relay come: hundreds of thousands of lines, far fewer prefixes once aggregated.',
    url: 'https://mask-api.icloud.com/egress-ip-ranges.csv',
    format: 'csv',
    json_path: null,
    csv_column: '1',
    variants: [],
    documentation: 'https://developer.apple.com/icloud/prepare-your-network-for-icloud-private-relay/',
  },
  crawler(
    'bingbot',
    'Bingbot',
    'Microsoft',
    'https://www.bing.com/toolbox/bingbot.json',
    'https://www.bing.com/webmasters/help/how-to-verify-bingbot-3905dc26',
  ),
  crawler(
    'openai-gptbot',
    'GPTBot',
    'OpenAI',
    'https://openai.com/gptbot.json',
    'https://platform.openai.com/docs/bots',
  ),
  crawler(
    'openai-searchbot',
    'OAI-SearchBot',
    'OpenAI',
    'https://openai.com/searchbot.json',
    'https://platform.openai.com/docs/bots',
  ),
  crawler(
    'openai-chatgpt-user',
    'ChatGPT-User',
    'OpenAI',
    'https://openai.com/chatgpt-user.json',
    'https://platform.openai.com/docs/bots',
  ),
];
