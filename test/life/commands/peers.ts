/** Peers and speakers that come, go, and change what they are sent. */
import fc from 'fast-check';
import { chosen, deed, pick } from '../deed.ts';
import type { CommunityModel, SpeakerModel } from '../model.ts';
import type { Life } from '../life.ts';
import { brokenBy } from '../guardrails.ts';
import type { Walk } from '../walk.ts';
import { PEER_ASN, PEER_PLACES, SPEAKER_ASN, SPEAKER_PLACES } from '../world.ts';
import {
  deleted,
  doneTo,
  FAMILIES,
  givenFamilies,
  givenNextHop,
  peers,
  renamed,
  speakers,
  switched,
} from './things.ts';

/** The first place that none of them has. */
function freePlace(taken: readonly { readonly place: number }[], places: number): number | null {
  const free = Array.from({ length: places }, (_, place) => place).find(
    (place) => !taken.some((one) => one.place === place),
  );
  return free ?? null;
}

function some(life: Life, number: number): CommunityModel[] {
  return number % 3 === 0 ? [] : life.communities.filter((_, index) => ((number >> 2) >> index) % 2 === 1);
}

export async function addSpeaker(walk: Walk): Promise<void> {
  const { life } = walk;
  const place = freePlace(life.speakers, SPEAKER_PLACES)!;
  const name = `speaker${++life.made}`;
  walk.tell(`${name}: make it`);
  const body = { name, local_asn: SPEAKER_ASN, local_ipv4: walk.place.speakers[place] };
  const { id } = await walk.post<{ id: string }>('/v1/speakers', body);
  const address = walk.place.speakers[place]!;
  const speaker: SpeakerModel = { id, name, place, address, enabled: true, applied: null, appliedAt: 0 };
  life.speakers.push(speaker);
  follow(life, speaker);
}

/** A speaker that comes runs what the others run, in a freeze after its end. */
export function follow(life: Life, speaker: SpeakerModel): void {
  const brought = life.forNewcomer(speaker);
  if (brought === null || brought === speaker.applied) return;
  if (life.isFrozen) {
    life.waiting.add(speaker);
    return;
  }
  // Nobody is asked for an override.
  if (brokenBy(life, brought).length > 0) return;
  life.bring(speaker, brought);
  life.applied = brought;
}

export async function addPeer(
  walk: Walk,
  communities: readonly CommunityModel[],
  hasNextHop6: boolean,
): Promise<void> {
  const { life } = walk;
  const place = freePlace(life.peers, PEER_PLACES)!;
  const name = `peer${++life.made}`;
  const told = communities.map(({ value }) => value).join(', ') || 'every community';
  walk.tell(`${name}: make it, for ${told}${hasNextHop6 ? '' : ', without an IPv6 next hop'}`);
  const nextHop6 = hasNextHop6 ? '2001:db8::1' : null;
  const { id } = await walk.post<{ id: string }>('/v1/peers', {
    ...{ name, address: walk.place.peers[place], port: walk.world.bird.port, remote_asn: PEER_ASN },
    ...{ next_hop_ipv6: nextHop6, community_ids: communities.map((one) => one.id) },
  });
  life.peers.push({
    ...{ id, name, place, communities, nextHop: { ipv4: null, ipv6: nextHop6 } },
    ...{ enabled: true, families: FAMILIES[0]!, speakers: [], most: null, whenTooMany: 'keep' },
  });
}

export const peerEdits = [
  switched(1, peers),
  doneTo({
    ...{ weight: 2, of: peers, drawn: pick },
    async does(walk, { model, told, path }, number) {
      const communities = some(walk.life, number);
      walk.tell(`${told}: for ${communities.map(({ value }) => value).join(', ') || 'every community'}`);
      await walk.patch(path, { community_ids: communities.map(({ id }) => id) });
      model.communities = communities;
      return undefined;
    },
  }),
];

export const peerDeeds = [
  deed({
    weight: 2,
    drawn: fc.record({ communities: pick, hasNextHop6: fc.nat(4).map((number) => number < 4) }),
    can: (life) => life.peers.length < PEER_PLACES,
    async run(walk, { communities, hasNextHop6 }) {
      await addPeer(walk, some(walk.life, communities), hasNextHop6);
    },
  }),
  ...peerEdits,
  deleted(1, peers),
  renamed(1, peers, 'name'),
  givenNextHop(2, peers),
  doneTo({
    ...{
      weight: 2,
      of: peers,
      drawn: fc.record({ most: fc.option(fc.integer({ min: 1, max: 4 })), isFit: fc.boolean() }),
    },
    async does(walk, { model, told, path }, { most, isFit }) {
      const whenTooMany = isFit ? 'fit' : 'keep';
      walk.tell(
        `${told}: ${most === null ? 'any number of routes' : `${most} routes at most, else ${whenTooMany}`}`,
      );
      await walk.patch(path, { max_prefixes_out: most, when_too_many: whenTooMany });
      Object.assign(model, { most, whenTooMany });
      return undefined;
    },
  }),
  deed({
    weight: 1,
    drawn: fc.record({ pick, speakers: pick }),
    can: (life) => life.peers.length > 0 && life.speakers.length > 0,
    async run(walk, { pick: number, speakers: other }) {
      const peer = chosen(walk.life.peers, number);
      const speakers = other % 2 === 0 ? [] : [chosen(walk.life.speakers, other >> 1)];
      walk.tell(`${peer.name}: at ${speakers.map(({ name }) => name).join() || 'every speaker'}`);
      await walk.patch(`/v1/peers/${peer.id}`, { speaker_ids: speakers.map(({ id }) => id) });
      peer.speakers = speakers;
    },
  }),
];

/** Another address for it, where its router or its speaker has one that is free. */
function movedPeer(weight: number) {
  return doneTo({
    ...{ weight, of: (life: Life) => (freePlace(life.peers, PEER_PLACES) === null ? [] : peers(life)) },
    async does(walk, { model, told, path }) {
      const place = freePlace(walk.life.peers, PEER_PLACES)!;
      const address = walk.place.peers[place];
      walk.tell(`${told}: at ${address}`);
      await walk.patch(path, { address });
      model.place = place;
      return undefined;
    },
  });
}

function movedSpeaker(weight: number) {
  return doneTo({
    ...{
      weight,
      of: (life: Life) => (freePlace(life.speakers, SPEAKER_PLACES) === null ? [] : speakers(life)),
    },
    async does(walk, { model, told, path }) {
      const place = freePlace(walk.life.speakers, SPEAKER_PLACES)!;
      const address = walk.place.speakers[place]!;
      walk.tell(`${told}: from ${address}`);
      await walk.patch(path, { local_ipv4: address });
      Object.assign(model, { place, address });
      return undefined;
    },
  });
}

/** Not for a BIRD that keeps routes (see World.start). */
export const familyDeeds = [givenFamilies(1, peers), movedPeer(1), movedSpeaker(1)];

export const speakerDeeds = [
  renamed(1, speakers, 'name'),
  deed({
    weight: 2,
    drawn: fc.constant(null),
    can: ({ speakers }) => speakers.length < SPEAKER_PLACES,
    async run(walk) {
      await addSpeaker(walk);
    },
  }),
  deed({
    weight: 1,
    drawn: fc.record({ pick }),
    can: ({ speakers }) => speakers.length > 0,
    async run(walk, { pick: number }) {
      const { life } = walk;
      const speaker = chosen(life.speakers, number);
      walk.tell(`${speaker.name}: ${speaker.enabled ? 'disable' : 'enable'}`);
      await walk.patch(`/v1/speakers/${speaker.id}`, { enabled: !speaker.enabled });
      speaker.enabled = !speaker.enabled;
      if (speaker.enabled) follow(life, speaker);
    },
  }),
  deed({
    weight: 1,
    drawn: fc.record({ pick }),
    can: (life) => life.speakers.some((one) => !life.peers.some((peer) => peer.speakers.includes(one))),
    async run(walk, { pick: number }) {
      const { life } = walk;
      const free = life.speakers.filter((one) => !life.peers.some((peer) => peer.speakers.includes(one)));
      const speaker = chosen(free, number);
      walk.tell(`${speaker.name}: delete`);
      await walk.delete(`/v1/speakers/${speaker.id}`);
      life.speakers.splice(life.speakers.indexOf(speaker), 1);
    },
  }),
];
