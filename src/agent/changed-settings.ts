import { isDeepStrictEqual } from 'node:util';
import type { OpenedBundle } from '../bundle/open-bundle.ts';

type Settings = Pick<OpenedBundle, 'speaker' | 'routes' | 'allowedRoutes' | 'fit'>;

/**
 * What changed besides the routes, for a person. Pure.
 * @returns names of settings without values: passwords are among them
 */
export function changedSettings(before: Settings, now: Settings): string[] {
  const { peers: then, ...speaker } = before.speaker;
  const { peers, ...speakerNow } = now.speaker;
  const known = new Map(then.map((peer) => [peer.id, peer]));
  const left = new Set(peers.map(({ id }) => id));
  const own = differing(speaker, speakerNow);
  return [
    ...(own.length === 0 ? [] : [`the speaker: ${own.join(', ')}`]),
    ...peers.flatMap((peer) => {
      const old = known.get(peer.id);
      if (old === undefined) return [`${peer.name} is new`];
      const names = differing(old, peer);
      return names.length === 0 ? [] : [`${peer.name}: ${names.join(', ')}`];
    }),
    ...then.flatMap(({ id, name }) => (left.has(id) ? [] : [`${name} is gone`])),
    ...(isDeepStrictEqual(before.routes.labels, now.routes.labels)
      ? []
      : ['communities and their next hops']),
    ...(before.routes.noExport === now.routes.noExport ? [] : ['NO_EXPORT']),
    ...(isDeepStrictEqual(before.allowedRoutes, now.allowedRoutes)
      ? []
      : ['routes that the policy of the tenant allows']),
    ...(isDeepStrictEqual(before.fit, now.fit) ? [] : ['what covers for peers may be']),
  ];
}

/** Members that differ, as words. */
function differing(before: object, now: object): string[] {
  const [then, since] = [before, now].map((value) => new Map(Object.entries(value)));
  return [...new Set([...then!.keys(), ...since!.keys()])]
    .filter((name) => !isDeepStrictEqual(then!.get(name), since!.get(name)))
    .map((name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`));
}
