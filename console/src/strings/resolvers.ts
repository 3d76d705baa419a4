import { count } from './format.ts';

/** Of the resolvers that modules of domain names ask. */
export const resolversText = {
  title: 'Resolvers',
  create: 'New resolver',
  name: 'Name',
  state: 'State',
  on: 'on',
  off: 'off',
  url: 'Address',
  urlHint: 'https, as the template of RFC 8484: https://dns.example/dns-query{?dns}.',
  method: 'Method',
  bootstrap: 'Addresses to connect to',
  subnet: 'Client subnet',
  subnetHint: 'Answers are those that clients there get (RFC 7871). Empty: none is sent.',
  timeout: 'Timeout in milliseconds',
  timeoutHint: 'Empty: 5000.',
  enabled: 'Modules ask it',
  test: 'Test',
  testTitle: (name: string) => `Test ${name}`,
  domain: 'Name to ask it for',
  testName: 'example.com',
  ask: 'Ask',
  verdicts: {
    works: 'the resolver works.',
    partly: 'the resolver answers for one family alone.',
    empty:
      'the resolver works, and says that this name has no addresses. Ask it for a name that has some to be sure.',
    fails: 'the resolver does not answer. Modules that ask it keep the addresses that they have.',
  },
  addresses: (value: number) => count(value, 'address', 'addresses'),
  failed: 'no answer',
  noAddresses: 'no addresses',
  emptyTitle: 'No resolvers yet',
  empty: 'Modules of domain names ask them over HTTPS for the addresses of each name.',
  command: 'prefixcast doh create quad9 --url https://dns.quad9.net/dns-query',
} as const;
