/** An event as a person says it. */
import type { DeliveredEvent } from '../../api/activity/webhooks.ts';

/** As `GET /v1/events` has it for the kind; written by triggers, so what is missing is left out. */
type Data = Readonly<Record<string, unknown>>;

const SENTENCES: Readonly<Record<DeliveredEvent, (data: Data) => string>> = {
  job: ({ type, id, state, error }) => `Job ${text(type)} (${text(id)}) is ${text(state)}${because(error)}`,
  revision: ({ number, state, prefix_count: count }) =>
    `Revision ${text(number)} is ${text(state)}, with ${countOf(count)}`,
  session: ({ peer_id: peer, speaker_id: speaker, state, last_error: error }) =>
    `The session of speaker ${text(speaker)} with peer ${text(peer)} is ${text(state ?? 'gone')}${because(error)}`,
  apply: ({ speaker_id: speaker, revision_id: revision, state, error }) =>
    `Applying revision ${text(revision ?? 'as it is')} to speaker ${text(speaker)} is ${text(state)}${because(error)}`,
  module: ({ id, held }) =>
    held === null || held === undefined
      ? `Module ${text(id)} is no longer held`
      : `Module ${text(id)} is held: ${listOf((held as Data).codes)}`,
  source: ({ module_id: module, count, sources }) => {
    const [{ name, status, last_error: error } = {}] = (sources ?? []) as readonly Data[];
    const more = typeof count === 'number' && count > 1 ? ` and ${count - 1} more` : '';
    return `Source ${text(name)}${more} of module ${text(module)} is ${text(status)}${because(error)}`;
  },
  tenant: ({ status }) => `The tenant is ${text(status)}`,
  audit: ({ actor, action, resource }) => {
    const { type, id, name } = (resource ?? {}) as Data;
    const which = name ?? id;
    return `${text(actor)}: ${text(action)}${which === null || which === undefined ? '' : ` of ${text(type)} ${text(which)}`}`;
  },
  reset: () => 'Events were missed. Look at the current state',
  test: ({ message }) => text(message),
};

export function sentenceOf(event: DeliveredEvent, data: Data): string {
  return `${SENTENCES[event](data)}.`;
}

function text(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '?';
}

function because(error: unknown): string {
  const reason = typeof error === 'object' && error !== null ? (error as Data).detail : error;
  return typeof reason === 'string' ? `: ${reason.replace(/\.$/, '')}` : '';
}

function countOf(count: unknown): string {
  const { ipv4, ipv6 } = (count ?? {}) as Data;
  return `${text(ipv4)} IPv4 and ${text(ipv6)} IPv6 prefixes`;
}

function listOf(codes: unknown): string {
  return Array.isArray(codes) ? codes.map(text).join(', ') : '?';
}
