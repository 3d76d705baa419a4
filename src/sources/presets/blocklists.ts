import type { SourcePreset } from '../../api/entries/source-presets.ts';

/** All of them are text, a prefix or an address a line, with comments. */
const blocklist = (
  id: string,
  name: string,
  provider: string,
  description: string,
  url: string,
  documentation: string,
): SourcePreset => ({
  ...{ id, name, provider, description, url, documentation },
  category: 'blocklist',
  format: 'text',
  json_path: null,
  csv_column: null,
  variants: [],
});

const SPAMHAUS = 'https://www.spamhaus.org/blocklists/do-not-route-or-peer/';
const FIREHOL = 'https://iplists.firehol.org/';
const firehol = (level: number): string =>
  `https://raw.githubusercontent.com/firehol/blocklist-ipsets/master/firehol_level${level}.netset`;

export const BLOCKLIST_PRESETS: readonly SourcePreset[] = [
  blocklist(
    'spamhaus-drop',
    'Spamhaus DROP',
    'Spamhaus',
    'IPv4 networks that are wholly in the hands of criminals. Read it no more than once an hour.',
    'https://www.spamhaus.org/drop/drop.txt',
    SPAMHAUS,
  ),
  blocklist(
    'spamhaus-drop-ipv6',
    'Spamhaus DROP for IPv6',
    'Spamhaus',
    'IPv6 networks that are wholly in the hands of criminals. Read it no more than once an hour.',
    'https://www.spamhaus.org/drop/dropv6.txt',
    SPAMHAUS,
  ),
  blocklist(
    'firehol-level1',
    'FireHOL level 1',
    'FireHOL',
    'What several lists agree on, made for few false positives. It also holds special-purpose space, which is dropped here.',
    firehol(1),
    FIREHOL,
  ),
  blocklist(
    'firehol-level2',
    'FireHOL level 2',
    'FireHOL',
    'Addresses that attacked within the last two days.',
    firehol(2),
    FIREHOL,
  ),
  blocklist(
    'blocklist-de',
    'blocklist.de',
    'blocklist.de',
    'Addresses that attacked servers of its users within the last two days.',
    'https://lists.blocklist.de/lists/all.txt',
    'https://www.blocklist.de/en/export.html',
  ),
  blocklist(
    'emerging-threats',
    'Emerging Threats block list',
    'Proofpoint',
    'Addresses of command servers and of attackers, from several lists.',
    'https://rules.emergingthreats.net/fwrules/emerging-Block-IPs.txt',
    'https://doc.emergingthreats.net/bin/view/Main/EmergingFirewallRules',
  ),
  blocklist(
    'cins-army',
    'CINS Army',
    'Sentinel IPS',
    'Addresses of bad standing that its sensors saw.',
    'https://cinsscore.com/list/ci-badguys.txt',
    'https://cinsscore.com/',
  ),
  blocklist(
    'feodo-tracker',
    'Feodo Tracker',
    'abuse.ch',
    'Addresses of active botnet command servers.',
    'https://feodotracker.abuse.ch/downloads/ipblocklist.txt',
    'https://feodotracker.abuse.ch/blocklist/',
  ),
  blocklist(
    'greensnow',
    'GreenSnow',
    'GreenSnow',
    'Addresses that attacked or scanned its sensors.',
    'https://blocklist.greensnow.co/greensnow.txt',
    'https://greensnow.co/',
  ),
  blocklist(
    'tor-exits',
    'Tor exits',
    'Tor Project',
    'Addresses of exits of the Tor network, good and bad users alike.',
    'https://check.torproject.org/torbulkexitlist',
    'https://blog.torproject.org/changes-tor-exit-list-service/',
  ),
];
