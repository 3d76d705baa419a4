import { text } from './english.ts';

const { navigation } = text;

interface Place {
  readonly call: RegExp;
  readonly to:
    | '/communities'
    | '/revisions'
    | '/modules'
    | '/speakers'
    | '/feeds'
    | '/webhooks'
    | '/settings'
    | '/audit'
    | '/jobs';
  readonly name: string;
}

/** Where the console does what a request would do that the service names as a remedy; the first that fits. */
export const apiText: readonly Place[] = [
  { call: /\/v1\/communities/, to: '/communities', name: `the page ${navigation.communities}` },
  { call: /\/v1\/(apply|revisions)\b/, to: '/revisions', name: `the page ${navigation.revisions}` },
  { call: /enrollment-tokens|\/v1\/speakers/, to: '/speakers', name: `the page ${text.palette.speakers}` },
  { call: /\/v1\/(removed-)?modules/, to: '/modules', name: `the page ${navigation.modules}` },
  { call: /\/v1\/feeds/, to: '/feeds', name: `the page ${navigation.feeds}` },
  { call: /\/v1\/webhooks/, to: '/webhooks', name: `the page ${navigation.webhooks}` },
  { call: /\/v1\/settings/, to: '/settings', name: `the page ${navigation.settings}` },
  { call: /\/v1\/jobs/, to: '/jobs', name: `the page ${navigation.jobs}` },
];

/** Of the one thing that a text is about. */
export const itsPage = 'its page';

/** What a request would say, as the buttons are called that send it. */
export function inWordsOfThePages(said: string): string {
  return said.replaceAll('let it through with override', 'release it');
}
