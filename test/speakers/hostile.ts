// Names, titles and values that try to be more than text, wherever a model has text.
import { parseAddress } from '../../src/core/address.ts';
import { parseCommunity } from '../../src/core/community.ts';
import type { RoutesModel, SpeakerModel } from '../../src/speakers/speaker.ts';
import { times } from '../fuzz.ts';
import { peerModel, routesModel, speakerModel, tableOf } from './builtin/models.ts';

/** How many texts are tried on what makes a configuration; 100,000 of them in the soak. */
export const HOSTILE_COUNT = times(2_000, 1_000);
/** How many are tried on a daemon's own parser, a process for each. */
export const PARSED_COUNT = times(200, 40);

/** Texts that would be something else than text to a parser that met them. Those that happen to be a value, such as a community, are left out. */
export function* hostileTexts(count: number, seed: number): Generator<string> {
  const pieces = [
    ...[
      '"',
      "'",
      '\n',
      '\r\n',
      '\0',
      ';',
      '}',
      '};',
      '{',
      '#',
      '/*',
      '*/',
      '\\',
      '\\"',
      '%n',
      '${x}',
      '`id`',
    ],
    ...[
      'include "/etc/passwd";',
      'protocol kernel { ipv4 { export all; }; }',
      'filter f { accept; }',
      'import all;',
    ],
    ...[
      'quit',
      'configure',
      '\u202e',
      '\u2028',
      '\ufeff',
      '\ud800',
      'é',
      '漢',
      '🦜',
      'x'.repeat(5_000),
      ' ',
      '',
    ],
    ...[
      '0.0.0.0/0',
      '65000:1',
      '(65000,1)',
      '~ []',
      '-1',
      '1e9',
      'pc_00000000',
      'reject',
      'accept;',
      '\u001b[2J',
    ],
  ];
  let state = seed;
  const next = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let made = 0; made < count;) {
    const text = Array.from({ length: 1 + next(4) }, () => pieces[next(pieces.length)]!).join('');
    if (parseCommunity(text).ok || parseAddress(text).ok) continue;
    made++;
    yield text;
  }
}

export interface Models {
  readonly model: SpeakerModel;
  readonly routes: RoutesModel;
}

const base = [
  peerModel({ address: '192.0.2.1', id: 'one', labels: ['65000:1'], password: 'shared' }),
  peerModel({ address: '192.0.2.2', id: 'two' }),
];
const small = tableOf({ '11.0.0.0/8': ['65000:1'], '2001:db8::/32': ['65000:2'] });

/** What {@link poisoned} is to be rendered as, whatever the text. */
export const clean: Models = { model: speakerModel(base), routes: routesModel(small) };

/** The models with hostile text wherever they have text. */
export function poisoned(text: string): Models {
  const peers = [
    { ...base[0]!, name: text, labels: ['65000:1', text] },
    { ...base[1]!, name: text },
    // Further peers of which a value is hostile: they must not be there at all.
    ...[{ address: text }, { localAddress: text }, { password: `"${text}\n` }].map((changes) =>
      peerModel({ address: '192.0.2.3', id: text, name: text, ...changes }),
    ),
  ];
  return {
    model: speakerModel(peers, { name: text, localIpv4: text }),
    routes: withLabel(text, text),
  };
}

/** Models with hostile text in every name, and as much of it as `allowed` says in passwords, the one text that gets in. */
export function poisonedPasswords(text: string, allowed: RegExp): Models {
  const password =
    [...text]
      .filter((character) => allowed.test(character))
      .join('')
      .slice(0, 80) || null;
  const peers = base.map((peer) => ({ ...peer, name: text, password }));
  return { model: speakerModel(peers, { name: text }), routes: withLabel(text, null) };
}

function withLabel(text: string, nextHop: string | null): RoutesModel {
  const labels = {
    ...routesModel(small).labels,
    [text]: { community: text, nextHopIpv4: nextHop, nextHopIpv6: nextHop },
  };
  return { ...routesModel(small), labels };
}
