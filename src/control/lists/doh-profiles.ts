import { freeName } from '../../store/database/free-name.ts';
import type { DohProfile, DohProfileCreate, DohProfilePatch } from '../../api/lists/doh-profiles.ts';
import type { FieldFault } from '../../api/problems/problem.ts';
import { formatAddress, parseAddress, type Parsed } from '../../core/address.ts';
import { formatPrefix, parsePrefix } from '../../core/prefix.ts';
import type { Reach } from '../../core/reach.ts';
import type { RetryRule } from '../../sources/fetch/retry.ts';
import { checkDohUrl } from '../../sources/doh/url.ts';
import { DohResolver } from '../../sources/doh/doh.ts';
import type { Resolver } from '../../sources/doh/domain.ts';
import { SourceError } from '../../sources/source-error.ts';
import { checkSourceHeaders, findHeaderFaults } from '../../sources/fetch/request-headers.ts';
import type { TenantTx, Versioned } from '../../store/database/database.ts';
import { insertDohProfile, type ProfileToAsk, updateDohProfile } from '../../store/modules/doh-profiles.ts';
import { refuseFaults } from '../body-faults.ts';
import type { ControlContext } from '../context.ts';

export async function createDohProfile(
  tx: TenantTx,
  { secrets }: ControlContext,
  body: DohProfileCreate,
): Promise<Versioned<DohProfile>> {
  refuseFaults(findFaults(body));
  const url = checkDohUrl(body.url);
  const host = url.ok ? url.value.url.hostname.slice(0, 90) : body.url;
  const name = body.name ?? (await freeName(tx, 'doh_profile', host));
  return insertDohProfile(tx, secrets, { ...canonical(body), url: body.url, name });
}

export async function changeDohProfile(
  tx: TenantTx,
  { secrets }: ControlContext,
  id: string,
  patch: DohProfilePatch,
  version: number | null,
): Promise<Versioned<DohProfile>> {
  refuseFaults(findFaults(patch));
  return updateDohProfile(tx, secrets, id, canonical(patch), version);
}

export interface ProfileResolver extends Resolver {
  /** Ends its connections. */
  close(): void;
}

/** A resolver that asks as the profile says. */
export function resolverOf(profile: ProfileToAsk, reach: Reach, retry?: RetryRule): ProfileResolver {
  const { headersFault: fault } = profile;
  if (fault !== null)
    return {
      lookUp: () => Promise.reject(new SourceError('source_bad_headers', `${profile.name}: ${fault}`)),
      close: () => undefined,
    };
  const subnet = profile.client_subnet === null ? null : parsePrefix(profile.client_subnet);
  return new DohResolver({
    url: profile.url,
    method: profile.method,
    bootstrapAddresses: profile.bootstrap_addresses,
    clientSubnet: subnet?.ok === true ? subnet.value : null,
    timeoutMs: profile.timeout_ms,
    headers: profile.headers,
    reach,
    ...(retry === undefined ? {} : { retry }),
  });
}

/** Headers that say what DoH is, and are ours to send. */
const OURS = ['accept', 'content-type', 'http2-settings'];

function findFaults({
  url,
  bootstrap_addresses,
  client_subnet,
  headers = {},
}: DohProfilePatch): FieldFault[] {
  const checks: (readonly [field: string, check: Parsed<unknown>])[] = [
    ...(url === undefined ? [] : [['url', checkDohUrl(url)] as const]),
    ...(bootstrap_addresses ?? []).map(
      (address, index) => [`bootstrap_addresses/${index}`, parseAddress(address)] as const,
    ),
    ...(typeof client_subnet === 'string' ? [['client_subnet', parsePrefix(client_subnet)] as const] : []),
  ];
  const faults = [
    ...checks.flatMap(([field, check]) => (check.ok ? [] : [[field, check.reason] as const])),
    ...findHeaderFaults(headers, checkHeader).map(([name, reason]) => [`headers/${name}`, reason] as const),
  ];
  return faults.map(([field, reason]) => ({ pointer: `/${field}`, detail: reason.replace(/[^.]$/, '$&.') }));
}

function checkHeader(name: string, value: string): Parsed<unknown> {
  if (!OURS.includes(name.toLowerCase())) return checkSourceHeaders({ [name]: value });
  return { ok: false, reason: `The header ${name} is set by the service itself: leave it out.` };
}

/** Addresses and networks in the one form that each has. */
function canonical<Body extends DohProfilePatch>(body: Body): Body {
  const { bootstrap_addresses: addresses, client_subnet: subnet } = body;
  return {
    ...body,
    ...(addresses === undefined ? {} : { bootstrap_addresses: addresses.map(canonicalAddress) }),
    ...(typeof subnet === 'string' ? { client_subnet: canonicalPrefix(subnet) } : {}),
  };
}

function canonicalAddress(text: string): string {
  const parsed = parseAddress(text);
  return parsed.ok ? formatAddress(parsed.value) : text;
}

function canonicalPrefix(text: string): string {
  const parsed = parsePrefix(text);
  return parsed.ok ? formatPrefix(parsed.value) : text;
}
