/** Commands about what leaves the service by other ways than BGP: lists under a URL, events, packet filters of hosts. */
import { POLICY_WORDS } from '../nouns/access-nouns.ts';
import { NOUNS } from '../nouns/nouns.ts';
import { group, type CommandGroup } from '../table/command.ts';
import { nounCommands, nounGroup } from './noun-commands.ts';
import { LIMITS, remote, VALID } from './remote-command.ts';

const session = () => import('../session/run-remote.ts');
const secrets = () => import('../tenant/secrets.ts');
const webhooks = () => import('../tenant/webhooks.ts');

export const FEED_GROUP = nounGroup('feed', 'feeds: lists under a URL', () => [
  remote({
    name: 'preview',
    summary: 'show what a feed would serve now: how many prefixes, and how it begins',
    args: [{ name: 'NAME', names: 'feed' }],
    examples: ['prefixcast feed preview drop'],
    run: async ({ options, args }) => {
      const [{ runRemote }, { previewFeed }] = await Promise.all([session(), import('../tenant/outlets.ts')]);
      return runRemote(options, (one) => previewFeed(one, args[0]!));
    },
  }),
]);

/** What the service keeps of firewalls stands beside what a host does about them. */
export const FIREWALL_GROUPS: readonly CommandGroup[] = [
  nounGroup('rule', 'rules of the packet filter'),
  group({
    name: 'client',
    summary: 'hosts that keep them',
    commands: () => [
      ...nounCommands(NOUNS.client),
      remote({
        name: 'token',
        summary: 'print a token with which a host becomes a firewall client, once',
        options: {
          policy: {
            value: 'POLICY',
            choices: ['block', 'accept'],
            about: POLICY_WORDS,
          },
          again: {
            value: 'CLIENT',
            names: 'client',
            about: 'a client that enrolls again, since its host was set up again',
          },
          ...VALID,
        },
        examples: ['prefixcast firewall client token --policy block > token'],
        run: async ({ options }) => {
          const [{ runRemote }, { enrollClient }] = await Promise.all([session(), secrets()]);
          return runRemote(options, (one) => enrollClient(one, options));
        },
      }),
    ],
  }),
];

const DELIVERY_STATES = ['pending', 'delivered', 'refused', 'skipped'] as const;

export const WEBHOOK_GROUP = group({
  name: 'webhook',
  summary: 'webhooks: events to receivers elsewhere',
  commands: () => [
    ...nounCommands(NOUNS.webhook),
    remote({
      name: 'test',
      summary: 'send a test to a webhook, and say what its receiver answers',
      args: [{ name: 'NAME', names: 'webhook' }],
      examples: ['prefixcast webhook test chat'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { testWebhook }] = await Promise.all([session(), webhooks()]);
        return runRemote(options, (one) => testWebhook(one, args[0]!, options));
      },
    }),
    remote({
      name: 'deliveries',
      summary: 'list what a webhook was sent and what waits, the newest first',
      args: [{ name: 'NAME', names: 'webhook' }],
      options: {
        state: { value: 'STATE', choices: DELIVERY_STATES, about: 'only these' },
        ...LIMITS,
      },
      examples: ['prefixcast webhook deliveries chat --state refused'],
      run: async ({ options, args }) => {
        const [{ runRemote }, { deliveries }] = await Promise.all([session(), webhooks()]);
        return runRemote(options, (one) => deliveries(one, args[0]!, options));
      },
    }),
    remote({
      name: 'resend',
      summary: 'send deliveries of a webhook again',
      args: [
        { name: 'NAME', names: 'webhook' },
        { name: 'DELIVERY', many: true },
      ],
      missing: 'Name what to send: prefixcast webhook resend NAME DELIVERY',
      examples: ['prefixcast webhook resend chat 0198c5d2-7b1e-7c3a-9f42-8d5e6f7a8b9c'],
      run: async ({ options, args: [name, ...ids] }) => {
        const [{ runRemote }, { resend }] = await Promise.all([session(), webhooks()]);
        return runRemote(options, (one) => resend(one, name!, ids));
      },
    }),
  ],
});
