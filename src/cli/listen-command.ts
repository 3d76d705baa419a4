import { type Command, command } from './table/command.ts';

export const LISTEN: Command = command({
  name: 'listen',
  summary: 'accept a BGP session and show what a router would receive',
  details: [
    'Holds a BGP session and shows what a router would receive, without a router. It ends when it is stopped, or when --once or --timeout applies.',
  ],
  options: {
    listen: {
      value: 'HOST:PORT',
      type: 'endpoint',
      fallback: '127.0.0.1:1179',
      about: 'accept sessions here',
    },
    connect: {
      value: 'HOST:PORT',
      type: 'endpoint',
      about: 'connect to a speaker instead of waiting for its connection',
    },
    asn: {
      value: 'NUMBER',
      type: 'asn',
      fallback: '65000',
      about: 'own AS number, the remote AS of the peer',
    },
    'peer-asn': {
      value: 'NUMBER',
      type: 'asn',
      about: 'refuse peers with another AS number; default: accept any',
    },
    'router-id': {
      value: 'ADDRESS',
      type: 'router_id',
      fallback: '10.255.255.254',
      about: 'own router id',
    },
    output: {
      value: 'FORMAT',
      choices: ['text', 'json'],
      fallback: 'text',
      about: 'lines for people or for programs',
    },
    count: { about: 'show totals, not every route' },
    save: { value: 'FILE', type: 'file', about: 'write the routes held at the end to a file' },
    once: { about: 'end when the peer has sent its whole table (End-of-RIB)' },
    'until-eor': { about: 'the same as --once' },
    timeout: {
      value: 'DURATION',
      type: 'seconds',
      about: 'end after this time, such as 60s or 2m; with --once this counts as a failure',
    },
  },
  examples: ['prefixcast listen --connect 192.0.2.1:179 --asn 65010 --once --count'],
  exitCodes: {
    0: 'done',
    1: 'it could not listen or save, or the table did not arrive in time',
  },
  run: async (input) => {
    const { listen } = await import('./commands/listen.ts');
    return listen(input);
  },
});
