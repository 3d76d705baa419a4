import type { ProblemCode } from './problem.ts';

/** What a reader of docs/reference/errors.md wants to know of an error: when it comes, and how to mend it. */
export interface ProblemHelp {
  readonly when: string;
  readonly mend: string;
}

export const PROBLEM_HELP: Readonly<Record<ProblemCode, ProblemHelp>> = {
  malformed_request: {
    when: 'The body is no JSON, a body that is needed is missing, or a header or the path cannot be read.',
    mend: 'Look at `detail`: it says which part and what is wrong with it.',
  },
  invalid_cursor: {
    when: 'The `cursor` was made for another list, for other filters, or by hand.',
    mend: 'Give `next_cursor` of the page before back as it is, with the same filters; or begin without one.',
  },
  unauthenticated: {
    when: 'There is no key in `Authorization`, it is mistyped, unknown, expired, revoked, or was rotated.',
    mend: 'Send `Authorization: Bearer <API key>`. `detail` says what is wrong with the key; an operator of the tenant can make another.',
  },
  forbidden: {
    when: 'The role of the key lacks the permission of the operation, or of overriding this guardrail.',
    mend: 'Use a key whose role has the permission that `detail` names; `GET /v1/auth/session` shows what a key may do.',
  },
  guard_loosening_forbidden: {
    when: 'A setting `guard_*` would become looser, and the policy of the tenant lets its operators tighten only; or it is one that only super roles loosen.',
    mend: 'Ask the operator of the service. `GET /v1/auth/session` shows the policy of the tenant.',
  },
  role_escalation: {
    when: 'A key would create, change, rotate or revoke a stronger one.',
    mend: 'Ask somebody who holds that role.',
  },
  tenant_suspended: {
    when: 'The tenant was suspended: its speakers go on announcing what they announce, its jobs wait. Or it was stopped: its routes are withdrawn too.',
    mend: 'Ask the operator of the service to make it active again.',
  },
  not_found: {
    when: 'The path does not exist, nothing of this tenant has the id, or what had it was deleted.',
    mend: 'List the resources to see which exist. A mistyped path is answered with the nearest one that exists.',
  },
  method_not_allowed: {
    when: 'The path exists and does not take this method.',
    mend: 'Use one of those in the header `Allow`.',
  },
  not_acceptable: {
    when: '`Accept` names only media types that the path does not answer with.',
    mend: 'Name one of those in `detail`, or leave `Accept` out.',
  },
  request_timeout: {
    when: 'The head or the body of a request took longer than 60 seconds to arrive.',
    mend: 'Send the request again, without pauses. Send large lists in parts.',
  },
  conflict: {
    when: 'Something of that name is there already, or the state of the resource does not allow the change.',
    mend: 'Choose another value for the field in `errors`, or do first what `detail` says.',
  },
  quota_exceeded: {
    when: 'The tenant has as many of these as it may have; `detail` tells the limit and the use.',
    mend: 'Delete some, or have a super_admin raise `quotas` of the tenant.',
  },
  last_super_admin: {
    when: 'No other `super_admin` key of the tenant would work without an end.',
    mend: 'Create another one first.',
  },
  in_use: {
    when: 'Others refer to what should be deleted; `detail` names some of them.',
    mend: 'Change or delete those first.',
  },
  job_finished: {
    when: 'A job that has ended should be cancelled.',
    mend: 'Nothing is left to do; `GET /v1/jobs/{job_id}` tells how it ended.',
  },
  revision_not_ready: {
    when: 'The revision is still being built, has failed, or there is none yet.',
    mend: 'Wait for its job, or refresh a module to build another one.',
  },
  default_route_forbidden: {
    when: 'A module or the revision holds 0.0.0.0/0 or ::/0, or prefixes that cover 90 % or more of the unicast space of a family, before exclusions as well (`guard_allow_default_route`).',
    mend: 'Find the entry in `findings` and mend its source. Only super roles override this guardrail.',
  },
  coverage_exceeded: {
    when: 'A module or the revision covers more of the unicast space of a family than `guard_max_coverage_percent` allows, before exclusions as well.',
    mend: 'Mend the entry in `findings`, raise the setting, or let it through once with `override` and a reason: release the module that is held, or apply the revision.',
  },
  prefix_too_short: {
    when: 'A prefix is shorter than `guard_min_prefix_length_ipv4` or `_ipv6` allows.',
    mend: 'Mend the entry in `findings`, change the setting, or apply once with `override` and a reason.',
  },
  bogon_prefix: {
    when: 'The revision holds special-purpose addresses (RFC 6890), which `guard_bogons` does not allow.',
    mend: 'Take them out of the entry in `findings`, change the setting, or apply once with `override` and a reason.',
  },
  protected_prefix: {
    when: 'The revision holds addresses of `guard_protected_prefixes`, of a speaker, a peer, a resolver or the service itself.',
    mend: 'Exclude them with a module of purpose `exclude`, or apply once with `override` and a reason.',
  },
  max_change_exceeded: {
    when: 'More of what unchanged entries contribute appeared or vanished than `guard_max_change_percent` allows.',
    mend: 'Look at the source in `findings`. Where the change is right, release the module, or apply the revision that is held, with `override` and a reason.',
  },
  large_withdrawal: {
    when: 'What operators deleted, disabled or edited would take more of what a speaker runs than `guard_max_withdraw_percent` allows.',
    mend: 'Undo the edit. Where it is meant, look at the difference, and apply the revision with `override` and a reason.',
  },
  max_prefixes_exceeded: {
    when: 'The revision has more prefixes than `guard_max_prefixes`.',
    mend: 'Take entries out, raise the setting if the routers can hold it, or apply once with `override` and a reason.',
  },
  tenant_policy: {
    when: 'What is written, built or applied lies outside of what super roles allow the tenant: prefixes, communities, AS numbers, peers, source addresses or next hops.',
    mend: 'Stay within the policy, which `GET /v1/auth/session` shows, or ask the operator of the service to change it (`PATCH /v1/tenants/{id}`).',
  },
  deploy_frozen: {
    when: 'The setting `deploy_freeze` stops every apply.',
    mend: 'Set it to false when the freeze is over, and apply again.',
  },
  idempotency_in_progress: {
    when: 'The first request with this `Idempotency-Key` has no answer yet.',
    mend: 'Repeat the request after `Retry-After`.',
  },
  precondition_failed: {
    when: 'The resource is not any more in the state that `If-Match` names: somebody else changed it.',
    mend: 'Read it again, and repeat the change with the new `ETag`.',
  },
  payload_too_large: {
    when: 'The body is larger than the operation takes.',
    mend: 'Send less at once, or use the CSV import for many entries.',
  },
  unsupported_media_type: {
    when: '`Content-Type` is not what the operation takes, or the body is compressed.',
    mend: 'Send it as `detail` says, without `Content-Encoding`.',
  },
  expectation_failed: {
    when: 'The header `Expect` asks for something else than `100-continue`.',
    mend: 'Leave the header out.',
  },
  validation_failed: {
    when: 'A value has the wrong type or range, a field is unknown, or it refers to something that does not exist.',
    mend: '`errors` names each fault by JSON Pointer (`/items/3/cidr`), `?parameter` or `line 17`, and says what is allowed.',
  },
  idempotency_key_reused: {
    when: 'The `Idempotency-Key` came before with another method, path, `If-Match` or body.',
    mend: 'Use a new key for a new request.',
  },
  peer_refused_address: {
    when: 'The peer of a tenant other than the home tenant would be at a loopback, link-local, metadata or multicast address, or at one of the service itself.',
    mend: 'Use the address of the router. The operator of the service can allow networks with `APP_PEER_ALLOW`.',
  },
  source_bad_url: {
    when: 'The URL of a source is not http or https, holds a password, or a header is one that the service sets itself.',
    mend: 'Correct the URL or the header that `detail` names.',
  },
  source_refused_address: {
    when: 'The URL of a source leads to special-purpose addresses, such as those of the inside of a network.',
    mend: 'Use a public address. Networks that shall be reached all the same go into `APP_FETCH_ALLOW`.',
  },
  source_unparseable: {
    when: 'What the URL serves could not be read as a list of this format.',
    mend: 'Look at what it serves; set `format`, `json_path` or `csv_column`.',
  },
  source_empty: {
    when: 'What the URL serves was read and holds no prefix.',
    mend: 'Look at what it serves, and whether `json_path` or `csv_column` leads to the prefixes.',
  },
  source_unreachable: {
    when: 'The host of the source has no address, refuses connections, or its certificate is not valid.',
    mend: 'Look at the URL, and try again when the source is back.',
  },
  source_timeout: {
    when: 'The source did not send its whole list in time.',
    mend: 'Try again; if it stays slow, use another place of the list.',
  },
  source_redirect: {
    when: 'The source redirects too often or to a place that is not fetched.',
    mend: 'Use the URL at the end of the redirects.',
  },
  source_http_status: {
    when: 'The source answered with another status than 200; `detail` tells which.',
    mend: 'Look at the URL, and whether the source wants a header such as a token.',
  },
  source_too_large: {
    when: 'The list is larger than 64 MiB, or grows too much when it is unpacked.',
    mend: 'Use a smaller list, or several.',
  },
  rate_limited: {
    when: 'The key sent more requests in a minute than it may, the tenant more at once, or the address more wrong keys than are looked up.',
    mend: 'Wait for `Retry-After`. The header `RateLimit` tells in time what is left; entries can be sent many at once.',
  },
  headers_too_large: {
    when: 'The path and the headers of a request have more than 16 KiB together.',
    mend: 'Send fewer or shorter headers. Look for cookies and tokens that a proxy adds.',
  },
  internal_error: {
    when: 'The service failed in a way nobody foresaw. Nothing was changed.',
    mend: 'Try again; if it fails again, tell the operator of the service the `request_id`, which the log has too.',
  },
  apply_failed: {
    when: 'A job: at least one speaker did not take the revision; the others did.',
    mend: '`result.speakers` of the job says which and why. `{"retry_of": "<job id>"}` touches only those.',
  },
  canary_failed: {
    when: 'A job: a speaker of `deploy_canary_speaker_ids` did not take the revision, or did not keep its sessions while it was watched. No other was touched.',
    mend: 'The detail says why. The canaries are back at what they ran before. When it is mended, apply again, or `{"retry_of": "<job id>"}`.',
  },
  refresh_failed: {
    when: 'Every source, AS number or domain of a refreshed module failed. Its last good prefixes stay, and no revision was made.',
    mend: 'Look at `entries` in the result of the job, or at `last_error` of the entries: each says why it failed.',
  },
  reload_failed: {
    when: 'A job: at least one routing daemon did not read its configuration again. What it ran, it runs.',
    mend: '`result.daemons` of the job says which and why, in the words of the daemon. Mend its configuration, or start it, and reload again.',
  },
  database_unavailable: {
    when: 'The database does not answer or has no room left. Nothing was changed; speakers go on announcing.',
    mend: 'Repeat the request after `Retry-After`. If it stays, look at `GET /v1/ready` and at the database.',
  },
  busy: {
    when: 'Another request, import or job kept what the request needs locked for too long, or requests of the same tenant that came before did.',
    mend: 'Try again after `Retry-After`. Nothing was changed. Send fewer changes of one thing at once.',
  },
  shutting_down: {
    when: 'The process is stopping.',
    mend: 'Repeat the request after `Retry-After`, on a new connection.',
  },
};
