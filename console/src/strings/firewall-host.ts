import { count, formatNumber } from './format.ts';

/** Of the page of one host that keeps firewall rules. */
export const firewallHostText = {
  states: { online: 'online', away: 'out of reach', unheard: 'has never reported' },
  rulesets: {
    current: 'has the current rules',
    behind: 'has other rules',
    none: 'has no rules yet',
    failed: 'could not apply its rules',
    reverted: 'went back to the rules before',
    unknown: 'its rules may be old',
  },
  away: 'Last heard of',
  awayWhat: 'It keeps the rules that it applied last, and takes up what changed once it is back.',
  changedSince: (rules: number) =>
    rules === 1
      ? '1 of its rules has changed since.'
      : `${formatNumber(rules)} of its rules have changed since.`,
  unheardWhat:
    'It has enrolled, and has never reported what it applies. On the host, run the command “prefixcast firewall run”.',
  hostname: 'Host name',
  version: 'Version',
  policy: 'Policy',
  policies: {
    block: 'block: what no rule names passes',
    accept: 'accept: only what a rule accepts passes, in both directions',
  },
  policyHint:
    'With accept, the host drops every packet that no rule accepts, beside what protects it. It changes within seconds.',
  /** Before the policy becomes accept. @param accepting rules */
  dropsTheRest: (name: string, accepting: number) =>
    `${name} drops every packet that no rule accepts from then on, in both directions: ${
      accepting === 0
        ? 'no rule accepts anything of it, and nothing passes but what always does'
        : `${count(accepting, 'rule')} of the action accept`
    }. The policy block, in the same form, lets the rest pass again.`,
  protected: 'Protected networks',
  protectedHint:
    'No rule cuts these off from the host, such as those that it is administered from. One a line.',
  nothingProtected: 'none beside those that every host protects by itself',
  lastReport: 'Last report',
  inForce: 'Ruleset in force',
  given: 'Ruleset given last',
  enrolled: 'Enrolled',
  key: 'Its key',
  rules: 'Rules that are for it',
  noRules: 'No rule is for it.',
  allRules: 'All rules',
  packets: 'Packets',
  bytes: 'Bytes',
  commands: 'Commands',
  onHost: 'On the host, as root:',
  atService: 'Where the command line is signed in to the service:',
  status: 'What it has, and what went wrong',
  kernel: 'What its kernel holds',
  remove: 'Takes all of it out of the packet filter, and forgets the service',
  read: 'What the service knows of it',
  script: 'Save its rules for nft',
  again: 'Enroll it again',
  againWhat:
    'For a machine that was set up again: run this there, as root. It stays this host, and its current key stops working. The token works once.',
  notReady: 'Before a host on another machine can enroll:',
  lost: 'The machine keeps the rules that it applied last, and takes no others. It cannot be taken back: the machine has to enroll again, as another host.',
  removed: (name: string) =>
    `${name} was deleted. The machine keeps the rules that it applied last, until “prefixcast firewall remove” is run there.`,
} as const;
