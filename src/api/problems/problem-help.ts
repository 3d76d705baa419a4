import type { ProblemCode } from './problem.ts';

/** What a reader of docs/reference/errors.md wants to know of an error: when it occurs, and how to fix it. */
export interface ProblemHelp {
  readonly when: string;
  readonly remedy: string;
  /** A `detail` of such an error. */
  readonly example: string;
}

export const PROBLEM_HELP: Readonly<Record<ProblemCode, ProblemHelp>> = {
  malformed_request: {
    when: 'The body is not JSON, a required body is missing, or a header or the path cannot be read.',
    remedy: 'See `detail`: it names the part and what is wrong with it.',
    example: 'The body is not JSON: line 3 has a comma too many. Correct it there and send it again.',
  },
  invalid_cursor: {
    when: 'The `cursor` was made for another list, for other filters, or by hand.',
    remedy:
      'Send the unchanged `next_cursor` of the previous page, with the same filters; or begin without a cursor.',
    example:
      'The cursor does not belong to this list with these filters. Take next_cursor of the page before, and keep the filters.',
  },
  unauthenticated: {
    when: '`Authorization` has no key, or the key is mistyped, unknown, expired, revoked or rotated.',
    remedy:
      'Send `Authorization: Bearer <API key>`. `detail` says what is wrong with the key; an operator of the tenant can make another.',
    example: 'The API key has expired. Ask an operator of the tenant for another one.',
  },
  session_ended: {
    when: 'The cookie of a browser is of a session that somebody ended, that nobody used for 12 hours, or whose API key stopped working.',
    remedy: 'Sign in again: `POST /v1/auth/session`.',
    example: 'The session of this browser has ended. Sign in again.',
  },
  forbidden: {
    when: 'The role of the key lacks the permission for the operation, or for overriding this guardrail.',
    remedy:
      'Use a key whose role has the permission that `detail` names; `GET /v1/auth/session` shows what a key may do.',
    example: 'This needs the permission bgp:lists:write, which the role viewer does not have.',
  },
  csrf_failed: {
    when: 'A write with the cookie of a session has no `X-CSRF-Token`, or that of another session. Or a page of another site asks to open a session.',
    remedy:
      'Send `browser_session.csrf_token` of `GET /v1/auth/session` in the header `X-CSRF-Token`. With `Authorization`, no token is needed.',
    example:
      'A write with the cookie of a session needs the header X-CSRF-Token. GET /v1/auth/session returns it.',
  },
  insecure_origin: {
    when: 'A page that was opened by `http://` from another machine asks to open a session: the browser would throw its cookie away.',
    remedy:
      'Open the console by HTTPS, through a reverse proxy with `APP_PUBLIC_URL`, or by `http://localhost` on the machine itself.',
    example:
      'http://routes.example.net is not HTTPS, so the browser would not keep the cookie. Open the console by HTTPS.',
  },
  home_tenant_only: {
    when: 'The operation concerns the machine or the whole database, and the key belongs to another tenant than the home tenant.',
    remedy: 'Use a key of the tenant `default` or of a super role, or ask the operator of the service.',
    example:
      'Only keys of the tenant default and of super roles may maintain PostgreSQL. Ask the operator of the service.',
  },
  guard_loosening_forbidden: {
    when:
      'A setting `guard_*` would become looser, and the policy of the tenant allows its operators only to tighten it; or only super ' +
      'roles may loosen this setting.',
    remedy: 'Ask the operator of the service. `GET /v1/auth/session` shows the policy of the tenant.',
    example:
      '/guard_max_change_percent: from 30 to 80 is looser, and the policy of the tenant allows only tightening. Ask the operator of the service.',
  },
  role_escalation: {
    when: 'A key would create, change, rotate or revoke a stronger one.',
    remedy: 'Ask somebody who has that role.',
    example:
      'A key of role operator cannot change one of role super_admin. Ask somebody who holds that role.',
  },
  tenant_suspended: {
    when: 'The tenant was suspended: its speakers keep announcing their routes, and its jobs wait. Or it was stopped: its routes are withdrawn too.',
    remedy: 'Ask the operator of the service to make it active again.',
    example: 'The tenant acme is suspended. Ask the operator of the service.',
  },
  not_found: {
    when: 'The path does not exist, or this tenant has no resource with the id, for example because it was deleted.',
    remedy:
      'List the resources to see which exist. For a mistyped path, `detail` names the nearest path that exists.',
    example: 'No module has the id "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77". List them to see which exist.',
  },
  method_not_allowed: {
    when: 'The path exists, but does not support this method.',
    remedy: 'Use one of the methods in the header `Allow`.',
    example: 'PUT is not for this path; it takes DELETE, GET, HEAD, OPTIONS, PATCH.',
  },
  not_acceptable: {
    when: '`Accept` names only media types that the path does not answer with.',
    remedy: 'Name one of the media types in `detail`, or leave `Accept` out.',
    example: 'This path answers with application/json, text/plain, text/csv. Name one of them in Accept.',
  },
  request_timeout: {
    when: 'The head or the body of a request took longer than 60 seconds to arrive.',
    remedy: 'Send the request again, without pauses. Send large lists in parts.',
    example: 'The request did not arrive in full in time. Send it again.',
  },
  conflict: {
    when: 'The name is in use already, or the state of the resource does not allow the change.',
    remedy: 'Choose another value for the field in `errors`, or do first what `detail` says.',
    example: '/name: a module of this name exists already. Choose another name.',
  },
  quota_exceeded: {
    when: 'The tenant has reached its quota; `detail` shows the limit and the usage.',
    remedy: 'Delete some, or ask a super_admin to raise `quotas` of the tenant.',
    example:
      'modules: the tenant may have 1,000 and has 1,000; 1 more would be too many. Delete some, or ask a super_admin to raise the quota.',
  },
  last_super_admin: {
    when: 'The tenant has no other valid `super_admin` key without an expiry.',
    remedy: 'Create another one first.',
    example: 'No other super_admin key of the tenant works without an end. Create another one first.',
  },
  in_use: {
    when: 'Other resources refer to the one to be deleted; `detail` names some of them.',
    remedy: 'Change or delete those first.',
    example: 'The community is used by the module Cloud providers. Take it out there first.',
  },
  job_finished: {
    when: 'The job to be cancelled has ended already.',
    remedy: 'There is nothing to do; `GET /v1/jobs/{job_id}` shows how it ended.',
    example: 'The job succeeded at 2026-01-31T12:00:00.000Z; there is nothing left to cancel.',
  },
  revision_not_ready: {
    when: 'The revision is still being built, has failed, or there is none yet.',
    remedy: 'Wait for its job, or refresh a module to build another one.',
    example: 'Revision 42 is failed; only a ready one, or a held one with override, can be applied.',
  },
  default_route_forbidden: {
    when: 'A module or the revision holds 0.0.0.0/0 or ::/0, or prefixes that cover 90 % or more of the unicast space of a family, before exclusions as well (`guard_allow_default_route`).',
    remedy: 'Find the entry in `findings` and correct its source. Only super roles override this guardrail.',
    example:
      'The IPv4 prefixes cover 97 % of what is routed on the Internet, which is a default route by other means. Correct the entry they come from.',
  },
  coverage_exceeded: {
    when: 'A module or the revision covers more of the unicast space of a family than `guard_max_coverage_percent` allows, before exclusions as well.',
    remedy:
      'Correct the entry in `findings`, raise the setting, or override the guardrail once with `override` and a reason: release the ' +
      'held module, or apply the revision.',
    example:
      'The IPv4 prefixes cover 61 % of what is routed on the Internet, and guard_max_coverage_percent is 50. Correct the entry they come from, or raise the setting.',
  },
  prefix_too_short: {
    when: 'A prefix is shorter than `guard_min_prefix_length_ipv4` or `_ipv6` allows.',
    remedy:
      'Correct the entry in `findings`, change the setting, or apply once with `override` and a reason.',
    example:
      '2 IPv4 prefixes are shorter than /8, such as 64.0.0.0/6. Correct the entry they come from, or lower guard_min_prefix_length_ipv4.',
  },
  bogon_prefix: {
    when: 'The revision holds special-purpose addresses (RFC 6890), which `guard_bogons` does not allow.',
    remedy:
      'Remove them from the entry in `findings`, change the setting, or apply once with `override` and a reason.',
    example:
      '3 prefixes hold special-purpose addresses, such as 10.0.0.0/8 (Private-Use, RFC 1918). Remove them from the source, or set guard_bogons.',
  },
  protected_prefix: {
    when: 'The revision holds addresses of `guard_protected_prefixes`, of a speaker, a peer, a resolver or the service itself.',
    remedy: 'Exclude them with a module of purpose `exclude`, or apply once with `override` and a reason.',
    example: 'The prefix 198.51.100.0/24 holds the address of the peer edge1. Exclude it.',
  },
  max_change_exceeded: {
    when: 'More of what unchanged entries contribute appeared or vanished than `guard_max_change_percent` allows, or of a small list more than half; of all of them together, or of one.',
    remedy:
      'Check the source in `findings`. If the change is right, release the module, or apply the held revision, with `override` and a reason.',
    example:
      'Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.',
  },
  rolled_back: {
    when: 'A module has the content that a rollback took back, and is held for that content alone; or its list lacks what a rollback brought back. The revisions have what the rollback brought back.',
    remedy:
      'Correct the entry that brought it: other content is announced as usual. Restore or enable what the list lacks. To have the module as its list is, release it with `override` and a reason.',
    example:
      'Module Cloud providers: a rollback took this content back. Correct the entry that brought it, or release the module to announce it again.',
  },
  large_withdrawal: {
    when: "Deletions, disabled entries or edits by operators would withdraw more of a speaker's routes than `guard_max_withdraw_percent` allows.",
    remedy:
      'Undo the edit. If it is intended, check the difference, and release the module, or apply the revision that is held, with `override` and a reason.',
    example:
      'Module Cloud providers: Edits take away 92 % of the 812 IPv4 prefixes that a speaker runs, and guard_max_withdraw_percent is 50; 747 of them are of this module, which stays as it was. Undo the edit, or release the module with override and a reason if it is meant.',
  },
  max_prefixes_exceeded: {
    when: 'The revision has more prefixes than `guard_max_prefixes`.',
    remedy:
      'Remove entries, raise the setting if the routers can hold the routes, or apply once with `override` and a reason.',
    example:
      'The revision has 1,204,331 prefixes, and guard_max_prefixes allows 1,000,000. Disable what is not needed, or raise the setting.',
  },
  tenant_policy: {
    when: 'The request, revision or apply goes beyond what the policy allows the tenant: prefixes, communities, AS numbers, peers, source addresses or next hops.',
    remedy:
      'Stay within the policy, which `GET /v1/auth/session` shows, or ask the operator of the service to change it (`PATCH /v1/tenants/{id}`).',
    example:
      '/community: the policy of the tenant does not allow 65000:666. Ask the operator of the service.',
  },
  deploy_frozen: {
    when: 'The setting `deploy_freeze` stops every apply.',
    remedy: 'Set it to false when the freeze is over, and apply again.',
    example: 'The setting deploy_freeze is on, so nothing is applied. Set it to false, and apply again.',
  },
  maintenance_running: {
    when: 'Another job vacuums, analyzes or reindexes the tables of the service, or waits to.',
    remedy: 'Wait for the job that `detail` names, or cancel it.',
    example:
      'The job 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77 looks after PostgreSQL, and one at a time is enough. Wait for its end, or have its tenant cancel it.',
  },
  idempotency_in_progress: {
    when: 'The first request with this `Idempotency-Key` has no answer yet.',
    remedy: 'Repeat the request after `Retry-After`.',
    example: 'The first request with this Idempotency-Key has no answer yet. Ask again in a moment.',
  },
  precondition_failed: {
    when: 'The resource is no longer in the state that `If-Match` names: somebody else changed it.',
    remedy: 'Read it again, and repeat the change with the new `ETag`.',
    example: 'The module has changed since it was read. Read it again and send its ETag.',
  },
  payload_too_large: {
    when: 'The body is larger than the operation allows.',
    remedy: 'Send less at once, or use the CSV import for many entries.',
    example:
      'The body is larger than this path takes. Send less at once; lists of entries take up to 16 MiB, files of entries 64 MiB.',
  },
  runtime_log_too_large: {
    when: 'The log file to be cleaned is larger than 512 MiB.',
    remedy: 'Let `POST /v1/runtime-logs/auto-run` clean it, or do so on the machine.',
    example:
      'app-all.log has 734003200 bytes, and 536870912 is the most that is cleaned at once. Let POST /v1/runtime-logs/auto-run clean it.',
  },
  unsupported_media_type: {
    when: 'The operation does not support this `Content-Type`, or the body is compressed.',
    remedy: 'Send the type that `detail` names, without `Content-Encoding`.',
    example: 'Send the body as `Content-Type: application/json`.',
  },
  expectation_failed: {
    when: 'The header `Expect` has a value other than `100-continue`.',
    remedy: 'Leave the header out.',
    example: 'Of all expectations this service meets 100-continue only. Leave the header Expect out.',
  },
  validation_failed: {
    when: 'A value has the wrong type or range, a field is unknown, or it refers to something that does not exist.',
    remedy:
      '`errors` locates each error by JSON Pointer (`/items/3/cidr`), `?parameter` or `line 17`, and says what is allowed.',
    example: '/asn must be an integer from 1 to 4294967294.',
  },
  idempotency_key_reused: {
    when: 'The `Idempotency-Key` was used before with another method, path, `If-Match` or body.',
    remedy: 'Use a new key for a new request.',
    example:
      'This Idempotency-Key came before with another method, path, If-Match or body. Use a new key for a new request.',
  },
  peer_refused_address: {
    when: 'The peer of a tenant other than the home tenant would be at a loopback, link-local, metadata or multicast address, or at one of the service itself.',
    remedy:
      'Use the address of the router. The operator of the service can allow networks with `APP_PEER_ALLOW`.',
    example:
      '/address: 127.0.0.1 is a loopback address, which only peers of the home tenant may have. Use the address of the router.',
  },
  source_bad_url: {
    when: 'The URL of a source is not http or https, holds a password, or a header is one that the service sets itself.',
    remedy: 'Correct the URL or the header that `detail` names.',
    example: 'The URL of a list begins with http:// or https://.',
  },
  source_refused_address: {
    when: 'The URL of a source or webhook leads to special-purpose addresses, such as private ones, or the URL of a source has a name without a public address.',
    remedy:
      'Correct the name, or use a public address. To allow a special-purpose network, add it to `APP_FETCH_ALLOW`.',
    example:
      '10.0.0.1 is not public (Private-Use). Use a public address, or have its network added to APP_FETCH_ALLOW.',
  },
  source_unparseable: {
    when: 'The content of the URL could not be read as a list of this format.',
    remedy: 'Check the content of the URL; set `format`, `json_path` or `csv_column`.',
    example: 'The content is HTML, not a list. Check the URL.',
  },
  source_empty: {
    when: 'The content of the URL was read and holds no prefix.',
    remedy: 'Check the content of the URL, and whether `json_path` or `csv_column` selects the prefixes.',
    example: 'The list was read and holds no prefix. Check json_path.',
  },
  source_unreachable: {
    when: 'The host of the source cannot be resolved now, refuses connections, or its certificate is not valid.',
    remedy: 'Check the URL, and try again when the source is back.',
    example: 'example.net: the connection failed, it was refused. Check the URL.',
  },
  source_timeout: {
    when: 'The source did not send its whole list in time.',
    remedy: 'Try again; if it stays slow, use another URL for the list.',
    example: 'example.net did not send its list within 60 s.',
  },
  source_redirect: {
    when: 'The source redirects too often, or to a URL that is not allowed.',
    remedy: 'Use the URL at the end of the redirects.',
    example: 'redirects more than 5 times. Use the URL at which the list really is.',
  },
  source_http_status: {
    when: 'The source answered with a status other than 200; `detail` shows which.',
    remedy: 'Check the URL, and whether the source needs a header such as a token.',
    example: 'answered HTTP 404. Check the URL.',
  },
  source_refused_query: {
    when: 'The source of AS numbers (`APP_ASN_SOURCE`) answered that it does not take the question; `detail` has its reason.',
    remedy: 'Check the AS number or the prefix, and whether the source limits how often it is asked.',
    example: 'whois.example.net:43 refuses !gAS64500: no access.',
  },
  source_too_large: {
    when: 'The list is larger than 64 MiB, or expands too much when it is unpacked.',
    remedy: 'Use a smaller list, or several.',
    example: 'The list is larger than 64 MiB. Use a smaller one, or several.',
  },
  rate_limited: {
    when: 'The key sent too many requests in a minute, the tenant too many at once, or the address too many wrong keys.',
    remedy:
      'Wait for `Retry-After`. The header `RateLimit` shows the remaining requests; one request can send many entries.',
    example: 'The key may send 6000 reads a minute. Wait for Retry-After.',
  },
  headers_too_large: {
    when: 'The path and the headers of a request have more than 16 KiB together.',
    remedy: 'Send fewer or shorter headers. Check for cookies and tokens that a proxy adds.',
    example: 'The path and the headers are larger than 16 KiB. Send fewer or shorter ones.',
  },
  internal_error: {
    when: 'The service failed unexpectedly. Nothing was changed.',
    remedy:
      'Try again; if it fails again, report the `request_id` to the operator of the service. The log has it too.',
    example:
      'The service failed at this request. Try again; if it fails again, report the request_id to its operator.',
  },
  apply_failed: {
    when: 'A job: at least one speaker did not take the revision; the others did.',
    remedy:
      '`result.speakers` of the job lists these with the reasons. `{"retry_of": "<job id>"}` applies to them only.',
    example: '1 of 2 speakers did not take the revision. fra1: the daemon does not answer.',
  },
  canary_failed: {
    when: 'A job: a speaker of `deploy_canary_speaker_ids` did not take the revision, or did not keep its sessions during the soak. No other speaker was changed.',
    remedy:
      '`detail` gives the reason. The canaries run what they ran before. Correct the cause, then apply again, or send `{"retry_of": "<job id>"}`.',
    example: 'Not every canary took the revision. fra1: the session with edge1 went down.',
  },
  refresh_failed: {
    when: 'Every source, AS number or domain of a refreshed module failed. Its last good prefixes stay, and no revision was created.',
    remedy: 'See `entries` in the result of the job, or `last_error` of the entries, for the reasons.',
    example:
      'Cloud providers: 1 of 1 sources failed. answered HTTP 404. No revision was made; the last good prefixes stay.',
  },
  reload_failed: {
    when: 'A job: at least one routing daemon did not read its configuration again. It still runs the previous one.',
    remedy:
      "`result.daemons` of the job lists these with the daemon's own messages. Correct its configuration, or start it, and reload again.",
    example: 'bird on router1: the configuration has a syntax error in line 12.',
  },
  database_unavailable: {
    when: 'The database does not answer or has no space left. Nothing was changed; speakers keep announcing.',
    remedy:
      'Repeat the request after `Retry-After`. If the error persists, check `GET /v1/ready` and the database.',
    example: 'The database does not answer. Nothing was changed; try again.',
  },
  feed_unavailable: {
    when: 'The feed is disabled, or could never be made: no revision is applied, or it has more prefixes than `max_prefixes`.',
    remedy: '`detail` says which. Apply a revision, or see `GET /v1/feeds/{id}/preview`.',
    example: 'The feed is disabled. Enable it (PATCH {"enabled": true}).',
  },
  busy: {
    when: 'Another request, import or job locked what the request needs for too long, or too many earlier requests of the same tenant were waiting.',
    remedy: 'Try again after `Retry-After`. Nothing was changed. Send fewer changes of one resource at once.',
    example:
      'Something else is changing the same thing right now, such as an import of the same module, the plan or dry run of a change, or a revision that is being built. Nothing was changed; try again.',
  },
  runtime_logs_unavailable: {
    when: 'The process is not `APP_SERVICE=app-all` with `APP_RUNTIME_LOGS_DIR`, its directory is away, or it may not open the file.',
    remedy:
      '`detail` says which. Set both variables, mount the volume, or give the user of the service access to the file.',
    example:
      'This process serves no log files. They are served with APP_SERVICE=app-all and APP_RUNTIME_LOGS_DIR set to a directory.',
  },
  shutting_down: {
    when: 'The process is stopping.',
    remedy: 'Repeat the request after `Retry-After`, on a new connection.',
    example: 'The service is stopping. Try again in a moment.',
  },
};
