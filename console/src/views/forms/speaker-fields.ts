import { peersText, speakersText } from '../../strings/speakers.ts';
import { text } from '../../strings/english.ts';
import type { Choice, FormField } from './RecordForm.tsx';

/** Of a session whose hold time nobody has chosen. */
const HOLD_SECONDS = 90;

export const SPEAKER_FIELDS: readonly FormField[] = [
  { name: 'name', label: speakersText.name, isRequired: true },
  { name: 'label', label: speakersText.label },
  { name: 'local_asn', label: speakersText.asn, kind: 'number', isRequired: true },
  { name: 'router_id', label: speakersText.routerId, hint: speakersText.routerIdHint, isMono: true },
  { name: 'local_ipv4', label: speakersText.localIpv4, hint: speakersText.addressHint, isMono: true },
  { name: 'local_ipv6', label: speakersText.localIpv6, hint: speakersText.addressHint, isMono: true },
  { name: 'enabled', label: speakersText.enabled, kind: 'toggle', initial: true },
];

/** The few things without which there is no peer. */
export const FIRST_PEER_FIELDS: readonly FormField[] = [
  { name: 'name', label: peersText.name, isRequired: true },
  { name: 'address', label: peersText.address, isRequired: true, isMono: true },
  { name: 'remote_asn', label: peersText.remoteAsn, kind: 'number', isRequired: true },
];

/** How its router is reached where that is not over the next cable. */
export const REACH_FIELDS: readonly FormField[] = [
  { name: 'port', label: peersText.port, hint: peersText.portHint, kind: 'number' },
  { name: 'multihop', label: peersText.multihop, hint: peersText.multihopHint, kind: 'number' },
];

export function peerFields(speakers: readonly Choice[], communities: readonly Choice[]): FormField[] {
  return [
    ...FIRST_PEER_FIELDS,
    { name: 'description', label: peersText.description },
    {
      ...{ name: 'speaker_ids', label: peersText.speakers, hint: peersText.speakersHint },
      ...{ kind: 'many', initial: [], choices: speakers, none: peersText.allSpeakers },
    },
    {
      ...{ name: 'community_ids', label: peersText.communities, hint: peersText.communitiesHint },
      ...{ kind: 'many', initial: [], choices: communities, none: peersText.allRoutes },
    },
    {
      ...{ name: 'families', label: peersText.families, kind: 'many', initial: ['ipv4', 'ipv6'] },
      choices: [
        { value: 'ipv4', label: text.families.ipv4 },
        { value: 'ipv6', label: text.families.ipv6 },
      ],
    },
    ...REACH_FIELDS,
    {
      ...{ name: 'hold_time', label: peersText.holdTime, hint: peersText.holdTimeHint, kind: 'number' },
      whenEmpty: HOLD_SECONDS,
    },
    { name: 'password', label: peersText.password, hint: peersText.passwordHint, kind: 'secret' },
    { name: 'next_hop_ipv4', label: peersText.nextHop4, hint: peersText.nextHopHint, isMono: true },
    { name: 'next_hop_ipv6', label: peersText.nextHop6, hint: peersText.nextHopHint, isMono: true },
    {
      ...{ name: 'max_prefixes_out', label: peersText.limit, hint: peersText.limitHint, kind: 'number' },
      none: peersText.noLimit,
    },
    {
      ...{
        name: 'when_too_many',
        label: peersText.tooMany,
        kind: 'choice',
        isRequired: true,
        initial: 'keep',
      },
      choices: [
        { value: 'keep', label: peersText.keep },
        { value: 'fit', label: peersText.fit },
      ],
    },
    { name: 'bfd', label: peersText.bfd, kind: 'toggle', initial: false },
    { name: 'passive', label: peersText.passive, kind: 'toggle', initial: false },
    { name: 'graceful_restart', label: peersText.gracefulRestart, kind: 'toggle', initial: true },
    { name: 'enabled', label: peersText.enabled, kind: 'toggle', initial: true },
  ];
}
