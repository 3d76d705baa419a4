/** Made by `npm run docs` from the description of the API; do not edit. */
export interface paths {
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read metrics in the Prometheus format
         * @description Without a key: what concerns the process and sums over all tenants; as long as there is one tenant and `APP_METRICS_LISTEN` is not set, what names its speakers, peers and modules as well. To a key that may read tenants (`tenants:read`): all.
         *
         *     Needs no key.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List API keys
         * @description Needs the permission `bgp:keys:read`: operator, super_admin.
         */
        get: operations["listApiKeys"];
        put?: never;
        /**
         * Create an API key
         * @description The answer holds the secret, which is shown only once. No key creates a stronger one.
         *
         *     Needs the permission `bgp:keys:write`: operator, super_admin.
         */
        post: operations["createApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an API key
         * @description Needs the permission `bgp:keys:read`: operator, super_admin.
         */
        get: operations["getApiKey"];
        put?: never;
        post?: never;
        /**
         * Revoke an API key
         * @description It stops working within a second and stays listed with its `revoked_at`.
         *
         *     Needs the permission `bgp:keys:write`: operator, super_admin.
         */
        delete: operations["revokeApiKey"];
        options?: never;
        head?: never;
        /**
         * Rename an API key or set when it expires
         * @description Needs the permission `bgp:keys:write`: operator, super_admin.
         */
        patch: operations["changeApiKey"];
        trace?: never;
    };
    "/v1/api-keys/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the secret of an API key
         * @description The answer holds the new secret, which is shown only once. Without `grace_seconds` the old one stops working within a second.
         *
         *     Needs the permission `bgp:keys:write`: operator, super_admin.
         */
        post: operations["rotateApiKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a revision to speakers
         * @description By default, this applies the latest ready revision to all enabled speakers. `result.speakers` of the job shows the outcome for each speaker. A revision that breaks a current guardrail is refused with the code of the guardrail; `override` with all such codes and a `reason` overrides them. A held revision that is applied to all speakers in this way becomes `ready`, and the latest if no later one is ready; with `speaker_ids` it stays held. Only a super role can override `default_route_forbidden` and `tenant_policy`. With `deploy_canary_speaker_ids` and `deploy_wave_size` the apply goes to speakers in phases; `retry_of` applies to the speakers that a job did not reach.
         *
         *     Needs the permission `bgp:deploy:write`: operator, super_admin.
         */
        post: operations["apply"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit log
         * @description Newest first. The audit log records every change with the changed members, before and after. It is written in the transaction of the change and never altered. What touches entries names them: one as its resource, many in `created_entries`, `changed_entries`, `updated_entries`, `deleted_entries` and `restored_entries` of `changes.after`, at most 100 of each; `more_entries` counts those left out.
         *
         *     Needs the permission `bgp:monitoring:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listAuditRecords"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show tenant, role and permissions of the key in use, what the tenant may do, and what waits for a revision
         * @description With the cookie of a browser, `browser_session` has the CSRF token, and the other tenants whose sessions this browser has. Where it has several and does not say which, the answer is of the first that is open.
         *
         *     Needs the permission `bgp:session:read`: viewer, operator, node, firewall, super_viewer, super_admin.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Open a session for a browser
         * @description The answer sets a cookie (HttpOnly, SameSite=Strict, Secure except on loopback) that stands for the key from then on, so that no page keeps the key. Writes with the cookie send `browser_session.csrf_token` as `X-CSRF-Token`. The session ends with the key, by `DELETE`, or when nobody has used it for 12 hours. A browser has one session of each tenant; with several, `X-Session-Tenant` says which is meant.
         *
         *     Needs the permission `bgp:session:browse`: viewer, operator, super_viewer, super_admin.
         */
        post: operations["openSession"];
        /**
         * End the session of the browser
         * @description Its cookie stops working within a second, and the answer removes it. The key goes on working.
         *
         *     Needs the permission `bgp:session:browse`: viewer, operator, super_viewer, super_admin.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/auth/sign-in-links": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a link that signs a browser in once
         * @description Whoever opens it signs in as the key that made it, without seeing the key. It works once, within 10 minutes. What it opens lasts as long as the secret that made it, while a rotated key has two the former. Loading the page does not use it up: its form does.
         *
         *     Needs the permission `bgp:session:browse`: viewer, operator, super_viewer, super_admin.
         */
        post: operations["createSignInLink"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bundles/signing-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the public keys that sign bundles
         * @description Every past, current and future signing key of the tenant, oldest first, each endorsed by the previous one.
         *
         *     Needs the permission `bgp:session:read`: viewer, operator, node, firewall, super_viewer, super_admin.
         */
        get: operations["listSigningKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/bundles/signing-key/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rotate the key that signs bundles
         * @description The new key is announced to nodes at once, and signs after a day by default. Bundles that the old key signed stay valid until they expire.
         *
         *     Needs the permission `bgp:settings:write`: operator, super_admin.
         */
        post: operations["rotateSigningKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cdn-sources/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a source as a refresh would, and store nothing
         * @description The limits and refused addresses are those of a refresh. For a source that fails, the answer has the code that an entry would show in `last_error`.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["previewCdnSource"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Carry out several writes, all or nothing
         * @description The writes of a plan in one transaction, one after the other, as the key may: either all of them are done, or nothing is. The first that is refused is reported as a fault of `/changes/<index>`, with the problem that it has by itself; an `if_match` that does not hold any more is one of these. What they change leads to one revision. Cleaning log files cannot be among them.
         *
         *     Needs the permission `bgp:revisions:write`: operator, super_admin.
         */
        post: operations["carryOutChanges"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/communities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List communities
         * @description Needs the permission `bgp:communities:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listCommunities"];
        put?: never;
        /**
         * Create a community
         * @description Needs the permission `bgp:communities:write`: operator, super_admin.
         */
        post: operations["createCommunity"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/communities/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a community
         * @description Needs the permission `bgp:communities:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getCommunity"];
        put?: never;
        post?: never;
        /**
         * Delete a community that nothing uses
         * @description Needs the permission `bgp:communities:write`: operator, super_admin.
         */
        delete: operations["deleteCommunity"];
        options?: never;
        head?: never;
        /**
         * Change a community
         * @description A new value takes effect with the next revision, a new next hop at once: by a job `peer_reconcile`, speakers apply what they run once more.
         *
         *     Needs the permission `bgp:communities:write`: operator, super_admin.
         */
        patch: operations["changeCommunity"];
        trace?: never;
    };
    "/v1/doh-profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List DoH profiles
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listDohProfiles"];
        put?: never;
        /**
         * Create a DoH profile
         * @description A resolver that modules of type DOMAINS can query over HTTPS (RFC 8484).
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["createDohProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/doh-profiles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a DoH profile
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getDohProfile"];
        put?: never;
        post?: never;
        /**
         * Delete a DoH profile that no module uses
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteDohProfile"];
        options?: never;
        head?: never;
        /**
         * Change a DoH profile
         * @description The modules that use it are collected again automatically, unless the setting `auto_revision` is off.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeDohProfile"];
        trace?: never;
    };
    "/v1/doh-profiles/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Query a resolver for a name
         * @description Queries as a refresh would, even if the profile is disabled, and stores nothing. An answer without addresses means that the name has none; if the query failed, `error` gives the reason.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["testDohProfile"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream events
         * @description Server-sent events, from now on or from the one after `Last-Event-ID`. Each has an `id`, an `event` and one line of JSON as `data`: `job` (JobEvent), `revision` (RevisionEvent), `session` (SessionEvent), `apply` (ApplyEvent), `module` (ModuleEvent), `source` (SourceEvent), `tenant` (TenantEvent), `audit` (AuditEvent). All readers receive the same events in the same order, each once. Events are kept for a day. If the event of `Last-Event-ID` is no longer kept, the stream sends one event `reset` (ResetEvent) and continues from now: the client must read the current state again. A comment is sent every 15 seconds. The stream ends when the key is revoked, its tenant is suspended, or the service stops. A client that reads nothing for 15 seconds is disconnected. A key may have 8 streams, a tenant 64.
         *
         *     Needs the permission `bgp:events:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["followEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feeds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List feeds
         * @description Needs the permission `bgp:feeds:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listFeeds"];
        put?: never;
        /**
         * Create a feed
         * @description The answer holds the token, which is shown only once. The content is fetched with `GET /feeds/{name}?token=…`, or with the token as the password of Basic authentication: it follows the applied revision, has an ETag, and comes compressed where the client accepts that.
         *
         *     Needs the permission `bgp:feeds:write`: operator, super_admin.
         */
        post: operations["createFeed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feeds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a feed
         * @description Needs the permission `bgp:feeds:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getFeed"];
        put?: never;
        post?: never;
        /**
         * Delete a feed
         * @description Needs the permission `bgp:feeds:write`: operator, super_admin.
         */
        delete: operations["deleteFeed"];
        options?: never;
        head?: never;
        /**
         * Change a feed
         * @description If its content cannot be made as it is set now, it serves the last one.
         *
         *     Needs the permission `bgp:feeds:write`: operator, super_admin.
         */
        patch: operations["changeFeed"];
        trace?: never;
    };
    "/v1/feeds/{id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a feed would serve now
         * @description As it is set, with the applied revision: how many prefixes, what fitting would add, or why it cannot be made.
         *
         *     Needs the permission `bgp:feeds:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["previewFeed"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/feeds/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a feed another token
         * @description The answer holds the new token, which is shown only once. The old one stops working within a second.
         *
         *     Needs the permission `bgp:feeds:write`: operator, super_admin.
         */
        post: operations["rotateFeed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firewall/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List firewall clients
         * @description Needs the permission `bgp:firewall:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listFirewallClients"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firewall/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a firewall client
         * @description Needs the permission `bgp:firewall:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getFirewallClient"];
        put?: never;
        post?: never;
        /**
         * Delete a firewall client that no rule names
         * @description Its key stops working within a second. The host keeps what it applied last; `prefixcast firewall remove` takes that out there.
         *
         *     Needs the permission `bgp:firewall:write`: operator, super_admin.
         */
        delete: operations["deleteFirewallClient"];
        options?: never;
        head?: never;
        /**
         * Change a firewall client
         * @description The client applies another policy within seconds.
         *
         *     Needs the permission `bgp:firewall:write`: operator, super_admin.
         */
        patch: operations["changeFirewallClient"];
        trace?: never;
    };
    "/v1/firewall/clients/{id}/apply-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what a firewall client applies
         * @description A client sends it at every change and every half minute, and confirms what it has applied by it.
         *
         *     Needs the permission `bgp:firewall:report`: firewall.
         */
        post: operations["reportFirewallStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firewall/clients/{id}/ruleset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a firewall client is to apply
         * @description With `If-None-Match` and `wait` the answer comes as soon as the ruleset differs, within a second of a change, or is 304 at the end of the wait. The key of a client reads its own ruleset only. docs/firewall.md shows how to verify the signature.
         *
         *     Needs the permission `bgp:firewall:pull`: viewer, operator, firewall, super_viewer, super_admin.
         */
        get: operations["getFirewallRuleset"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firewall/clients/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enroll a firewall client with a token
         * @description The answer holds the key that the client uses from now on, which is shown only once and opens only the routes of this client. Previous keys of the client stop working within a second.
         *
         *     Needs an enrollment token in place of an API key.
         */
        post: operations["enrollFirewallClient"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firewall/enrollment-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a token that lets a firewall client enroll
         * @description The token is shown only once, works once, and expires after an hour by default.
         *
         *     Needs the permission `bgp:keys:write`: operator, super_admin.
         */
        post: operations["createFirewallEnrollmentToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firewall/install-context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what setting up a firewall client takes
         * @description Needs the permission `bgp:firewall:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getFirewallInstallContext"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firewall/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List firewall rules
         * @description With `client_id` those that apply to this client, which includes rules for all clients.
         *
         *     Needs the permission `bgp:firewall:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listFirewallRules"];
        put?: never;
        /**
         * Create a firewall rule
         * @description Clients apply it within seconds. It lists what the latest revision holds that is ready and not held.
         *
         *     Needs the permission `bgp:firewall:write`: operator, super_admin.
         */
        post: operations["createFirewallRule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/firewall/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a firewall rule
         * @description Needs the permission `bgp:firewall:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getFirewallRule"];
        put?: never;
        post?: never;
        /**
         * Delete a firewall rule
         * @description Needs the permission `bgp:firewall:write`: operator, super_admin.
         */
        delete: operations["deleteFirewallRule"];
        options?: never;
        head?: never;
        /**
         * Change a firewall rule
         * @description Needs the permission `bgp:firewall:write`: operator, super_admin.
         */
        patch: operations["changeFirewallRule"];
        trace?: never;
    };
    "/v1/geofeed-entries/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a geofeed as a refresh would, and store nothing
         * @description The limits and refused addresses are those of a refresh. For a source that fails, the answer has the code that an entry would show in `last_error`.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["previewGeofeed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the process runs
         * @description Checks nothing else, so that a failing database does not get the process killed.
         *
         *     Needs no key.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what became of a prefix
         * @description The ready revisions that changed what is announced around or inside the prefix, or which entries contribute it, the newest first; each with its routes and contributors, and since when speakers have announced that. Aggregation may have moved the prefix into another route, which is shown as a change. `oldest` says how far back revisions are kept.
         *
         *     Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["readHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs
         * @description Needs the permission `bgp:jobs:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listJobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a job
         * @description With `wait`, answers as soon as the job has ended, or with its current state at the end of the wait.
         *
         *     Needs the permission `bgp:jobs:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getJob"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job
         * @description A queued job is cancelled at once; a running one is asked to stop and ends as `cancelled`. An apply stops where speakers have not begun: those that have go on, and `result` says what became of each. When every speaker has begun, the answer is 409 `conflict`.
         *
         *     Needs the permission `bgp:jobs:write`: operator, super_admin.
         */
        post: operations["cancelJob"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look an address, a prefix or a domain name up in the lists
         * @description Lists every match in the entries and in the last snapshot of each module, including disabled ones, and under `announced` the routes that enabled speakers announce now. Of a prefix, that is what contains all of it, and what lies inside it. If not every speaker announces it, `not_announced` gives the reasons. With `at` it answers from a revision: matches in the snapshots that it was built from, as far as their modules and entries still exist, and its routes. No name is resolved.
         *
         *     Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["lookup"];
        put?: never;
        /**
         * Look many addresses, prefixes and domain names up
         * @description Answers each query as a single lookup would, in their order. One that is nothing to look up fails the request.
         *
         *     Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        post: operations["lookupMany"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/lookup/holders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ask which ASes hold addresses
         * @description Such as those that a cover would add (`added_prefixes`). It asks what resolves AS numbers (`APP_ASN_SOURCE`): RIPEstat says who announces them, an IRR server who has registered them, a table what it has. An answer is kept for an hour. For a source that fails, the answer has the code that an entry would show in `last_error`.
         *
         *     Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        post: operations["findHolders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/maintenance/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List maintenance policies
         * @description Needs the permission `bgp:maintenance:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listMaintenancePolicies"];
        put?: never;
        /**
         * Create a maintenance policy
         * @description A policy with a `schedule` runs by itself at these times, in UTC, once however many processes there are; a time that was missed is made up for once. Without a schedule it runs when asked. A tenant may have 100. Kinds that concern the machine or the whole database are for keys of the home tenant and of super roles.
         *
         *     Needs the permission `bgp:maintenance:write`: operator, super_admin.
         */
        post: operations["createMaintenancePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/maintenance/policies/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a maintenance policy
         * @description Needs the permission `bgp:maintenance:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getMaintenancePolicy"];
        put?: never;
        post?: never;
        /**
         * Delete a maintenance policy
         * @description Its runs stay as jobs; one that waits fails, since there is nothing to do any more.
         *
         *     Needs the permission `bgp:maintenance:write`: operator, super_admin.
         */
        delete: operations["deleteMaintenancePolicy"];
        options?: never;
        head?: never;
        /**
         * Change a maintenance policy
         * @description Members of `parameters` that are not named stay unchanged. A run that has begun is not affected.
         *
         *     Needs the permission `bgp:maintenance:write`: operator, super_admin.
         */
        patch: operations["changeMaintenancePolicy"];
        trace?: never;
    };
    "/v1/maintenance/policies/{id}/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Preview a run of a maintenance policy
         * @description What a run would remove now, and nothing is removed.
         *
         *     Needs the permission `bgp:maintenance:write`: operator, super_admin.
         */
        post: operations["dryRunMaintenancePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/maintenance/policies/{id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a maintenance policy now
         * @description Also one that is disabled. A run that waits already is answered in place of another one. The result of the job is the `MaintenanceEffect` of the run; its records in the audit log carry `policy_id`.
         *
         *     Needs the permission `bgp:maintenance:write`: operator, super_admin.
         */
        post: operations["runMaintenancePolicy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/maintenance/policies/{id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the runs of a maintenance policy
         * @description Its jobs, newest first.
         *
         *     Needs the permission `bgp:maintenance:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listMaintenanceRuns"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/modules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List modules
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listModules"];
        put?: never;
        /**
         * Create a module
         * @description A module holds entries of one type; `type` cannot be changed later.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["createModule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/modules/{module_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a module
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getModule"];
        put?: never;
        post?: never;
        /**
         * Delete a module with its entries
         * @description Its routes are withdrawn automatically, unless the settings `auto_revision` or `auto_apply` are off. `POST /v1/modules/{module_id}/restore` takes it back.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteModule"];
        options?: never;
        head?: never;
        /**
         * Change a module
         * @description Routes follow automatically, unless the settings `auto_revision` or `auto_apply` are off.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeModule"];
        trace?: never;
    };
    "/v1/modules/{module_id}/as-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the AS numbers of a module
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listAsEntries"];
        put?: never;
        /**
         * Create one AS entry, or up to 10,000 at once
         * @description Takes one object, or `{"items": […]}`: then all are created or none. Numbers for private use and documentation are taken, reserved ones are not.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["createAsEntries"];
        /**
         * Delete many of the AS numbers of a module at once
         * @description Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. A list has no ETag, so `If-Match` is refused. `POST /v1/modules/{module_id}/entries/restore` takes it back.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteAsEntries"];
        options?: never;
        head?: never;
        /**
         * Change many of the AS numbers of a module at once
         * @description Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. A list has no ETag, so `If-Match` is refused.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeAsEntries"];
        trace?: never;
    };
    "/v1/modules/{module_id}/as-entries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an AS entry
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getAsEntry"];
        put?: never;
        post?: never;
        /**
         * Delete an AS entry
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteAsEntry"];
        options?: never;
        head?: never;
        /**
         * Change an AS entry
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeAsEntry"];
        trace?: never;
    };
    "/v1/modules/{module_id}/cdn-sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the CDN sources of a module
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listCdnSources"];
        put?: never;
        /**
         * Create one CDN source, or up to 10,000 at once
         * @description Takes one object, or `{"items": […]}`: then all are created or none.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["createCdnSources"];
        /**
         * Delete many of the CDN sources of a module at once
         * @description Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. A list has no ETag, so `If-Match` is refused. `POST /v1/modules/{module_id}/entries/restore` takes it back.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteCdnSources"];
        options?: never;
        head?: never;
        /**
         * Change many of the CDN sources of a module at once
         * @description Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. A list has no ETag, so `If-Match` is refused.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeCdnSources"];
        trace?: never;
    };
    "/v1/modules/{module_id}/cdn-sources/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a CDN source
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getCdnSource"];
        put?: never;
        post?: never;
        /**
         * Delete a CDN source
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteCdnSource"];
        options?: never;
        head?: never;
        /**
         * Change a CDN source
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeCdnSource"];
        trace?: never;
    };
    "/v1/modules/{module_id}/domain-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the domains of a module
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listDomainEntries"];
        put?: never;
        /**
         * Create one domain entry, or up to 10,000 at once
         * @description Takes one object, or `{"items": […]}`: then all are created or none. Only the name itself is resolved: names below it are entries of their own.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["createDomainEntries"];
        /**
         * Delete many of the domains of a module at once
         * @description Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. A list has no ETag, so `If-Match` is refused. `POST /v1/modules/{module_id}/entries/restore` takes it back.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteDomainEntries"];
        options?: never;
        head?: never;
        /**
         * Change many of the domains of a module at once
         * @description Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. A list has no ETag, so `If-Match` is refused.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeDomainEntries"];
        trace?: never;
    };
    "/v1/modules/{module_id}/domain-entries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a domain entry
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getDomainEntry"];
        put?: never;
        post?: never;
        /**
         * Delete a domain entry
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteDomainEntry"];
        options?: never;
        head?: never;
        /**
         * Change a domain entry
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeDomainEntry"];
        trace?: never;
    };
    "/v1/modules/{module_id}/entries.csv": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export the entries of a module as CSV
         * @description In the order of their keys, with a header; an import of it changes nothing. Columns by type of module: `name,url,format,json_path,csv_column,enabled,community,expires_at` (CDN_SOURCES), `asn,note,enabled,community,expires_at` (AS_PREFIXES), `domain,note,enabled,community,expires_at` (DOMAINS), `cidr,note,enabled,community,expires_at` (IP_RANGES), `name,url,countries,regions,enabled,community,expires_at` (GEOFEED). `community` is a value such as `65000:100`. Text that a spreadsheet would take for a formula stands behind an apostrophe. Headers of requests are not included.
         *
         *     Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["exportEntries"];
        put?: never;
        /**
         * Import entries of a module from CSV
         * @description All or nothing: each error is reported with its line, and nothing is written unless every line is valid. The file is UTF-8 with a header whose columns stand in any order. Columns by type of module: `name,url,format,json_path,csv_column,enabled,community,expires_at` (CDN_SOURCES), `asn,note,enabled,community,expires_at` (AS_PREFIXES), `domain,note,enabled,community,expires_at` (DOMAINS), `cidr,note,enabled,community,expires_at` (IP_RANGES), `name,url,countries,regions,enabled,community,expires_at` (GEOFEED). `community` is a value such as `65000:100`. Text that a spreadsheet would take for a formula stands behind an apostrophe. A column that is missing leaves entries that exist as they are; an empty cell is the default: no note, enabled, no community of its own, format `auto`. An entry is identified by its first column. Those that stay keep their ids, their last good prefixes, and the headers of their requests.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["importEntries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/modules/{module_id}/entries/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore entries that were removed from a module
         * @description All of one removal, with their ids. Entries that have expired stay away, and one that somebody has added again stays as it is. What was allowed then is checked as it is now: the policy of the tenant, its quotas, and `guard_bogons`. A revision follows as after any edit, with the same guardrails.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["restoreEntries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/modules/{module_id}/geofeed-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the geofeeds of a module
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listGeofeedEntries"];
        put?: never;
        /**
         * Create one geofeed entry, or up to 10,000 at once
         * @description Takes one object, or `{"items": […]}`: then all are created or none. A feed is CSV as RFC 8805 has it. Of an address the longest prefix in the feed says where it is.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["createGeofeedEntries"];
        /**
         * Delete many of the geofeeds of a module at once
         * @description Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. A list has no ETag, so `If-Match` is refused. `POST /v1/modules/{module_id}/entries/restore` takes it back.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteGeofeedEntries"];
        options?: never;
        head?: never;
        /**
         * Change many of the geofeeds of a module at once
         * @description Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. A list has no ETag, so `If-Match` is refused.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeGeofeedEntries"];
        trace?: never;
    };
    "/v1/modules/{module_id}/geofeed-entries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a geofeed entry
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getGeofeedEntry"];
        put?: never;
        post?: never;
        /**
         * Delete a geofeed entry
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteGeofeedEntry"];
        options?: never;
        head?: never;
        /**
         * Change a geofeed entry
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeGeofeedEntry"];
        trace?: never;
    };
    "/v1/modules/{module_id}/held/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview the release of a held module
         * @description Prefixes that a release would announce, withdraw and change, relative to the latest ready revision. It is built as a release would be, from the current modules, and not stored. The summary counts all of them, the items are a page. `findings` has every guardrail that the release has to override. The module may be disabled or deleted, if it stays in revisions for `large_withdrawal` or `rolled_back`.
         *
         *     Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["diffHeldModule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/modules/{module_id}/ip-range-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the IP ranges of a module
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listIpRangeEntries"];
        put?: never;
        /**
         * Create one IP range, or up to 10,000 at once
         * @description Takes one object, or `{"items": […]}`: then all are created or none.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["createIpRangeEntries"];
        /**
         * Delete many of the IP ranges of a module at once
         * @description Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. A list has no ETag, so `If-Match` is refused. `POST /v1/modules/{module_id}/entries/restore` takes it back.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteIpRangeEntries"];
        options?: never;
        head?: never;
        /**
         * Change many of the IP ranges of a module at once
         * @description Means the entries of `ids`, or those that `filter` finds; up to 10,000. All of them or, when one is at fault, none. A list has no ETag, so `If-Match` is refused.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeIpRangeEntries"];
        trace?: never;
    };
    "/v1/modules/{module_id}/ip-range-entries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an IP range
         * @description Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getIpRangeEntry"];
        put?: never;
        post?: never;
        /**
         * Delete an IP range
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        delete: operations["deleteIpRangeEntry"];
        options?: never;
        head?: never;
        /**
         * Change an IP range
         * @description Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        patch: operations["changeIpRangeEntry"];
        trace?: never;
    };
    "/v1/modules/{module_id}/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Collect the module and build a revision of all enabled modules
         * @description If a refresh of the module is queued already, the answer names that job.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["refreshModule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/modules/{module_id}/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Release a held module
         * @description Accepts exactly what is held, and builds a revision with it. `override` names every guardrail that it breaks; only super roles can override `default_route_forbidden`. The module may break them as long as it has this content. If something else was collected or edited meanwhile, the answer is 409. A deleted module that stays in revisions is released by its id.
         *
         *     Needs the permission `bgp:deploy:write`: operator, super_admin.
         */
        post: operations["releaseModule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/modules/{module_id}/removed-entries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what was removed from a module
         * @description A removal is what one request took out of the module, whether by ids, by a filter, by a file, or with other changes that were carried out together. The last one comes first. Entries that left at their end are not listed.
         *
         *     Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listRemovedEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/modules/{module_id}/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Restore a deleted module with its entries
         * @description With its id, its settings, its entries and their ids, and what was collected and held of it, so that its routes return at once. Entries that have expired stay away. What was allowed then is checked as it is now: the policy of the tenant, its quotas, and `guard_bogons`. A revision follows as after any edit, with the same guardrails.
         *
         *     Needs the permission `bgp:lists:write`: operator, super_admin.
         */
        post: operations["restoreModule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/enroll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Enroll a node with a token
         * @description The answer holds the key that the node uses from now on, which is shown only once. Previous keys of the speaker's nodes stop working within a second.
         *
         *     Needs an enrollment token in place of an API key.
         */
        post: operations["enrollNode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read this description (OpenAPI 3.1)
         * @description Needs no key.
         */
        get: operations["getDescription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/peers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List peers with their sessions
         * @description Needs the permission `bgp:peers:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listPeers"];
        put?: never;
        /**
         * Create a peer
         * @description Queues a `peer_reconcile` job that opens its sessions.
         *
         *     Needs the permission `bgp:peers:write`: operator, super_admin.
         */
        post: operations["createPeer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/peers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a peer with its sessions
         * @description Needs the permission `bgp:peers:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getPeer"];
        put?: never;
        post?: never;
        /**
         * Delete a peer
         * @description Queues a `peer_reconcile` job that ends its sessions.
         *
         *     Needs the permission `bgp:peers:write`: operator, super_admin.
         */
        delete: operations["deletePeer"];
        options?: never;
        head?: never;
        /**
         * Change a peer
         * @description Queues a `peer_reconcile` job.
         *
         *     Needs the permission `bgp:peers:write`: operator, super_admin.
         */
        patch: operations["changePeer"];
        trace?: never;
    };
    "/v1/postgres/maintenance": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Vacuum, analyze or reindex tables of the service
         * @description Queues a job `postgres_maintenance`, which keeps no request waiting and can be cancelled; what a cancelled `reindex` leaves behind is removed. One at a time, whoever asks: 409 `maintenance_running`. Policies of the kinds `postgres_*` do the same by a schedule. For keys of the home tenant and of super roles.
         *
         *     Needs the permission `bgp:postgres:write`: operator, super_admin.
         */
        post: operations["maintainPostgres"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/postgres/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read how PostgreSQL is
         * @description The server, its connections, WAL, checkpoints, transactions, locks that wait and replication, and every table and index of the service. What the user of `DATABASE_URL` may not see is null, and `unavailable` says why. Metrics `prefixcast_postgres_*` have the same numbers. For keys of the home tenant and of super roles.
         *
         *     Needs the permission `bgp:postgres:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getPostgresMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that requests can be served
         * @description Queries the database, with a deadline of its own. After a write that found the disk full, also checks whether there is space again.
         *
         *     Needs no key.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/removed-modules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List deleted modules that can be restored
         * @description Those deleted last first. The setting `removed_retention_days` says how long they are kept.
         *
         *     Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listRemovedModules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List revisions
         * @description Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listRevisions"];
        put?: never;
        /**
         * Build a revision of the current modules and entries
         * @description Edits lead to a revision automatically unless `auto_revision` is off; this builds one on request. New and edited entries that have not been collected yet are collected first; nothing else is. With `auto_apply` its apply is queued. If the newest revision holds all of it already, none is created: `result.revision_created` of the job is false, and `result.revision_id` is the newest revision.
         *
         *     Needs the permission `bgp:revisions:write`: operator, super_admin.
         */
        post: operations["buildRevision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions/{revision_a}/diff/{revision_b}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare two revisions
         * @description The changes from revision a to revision b: prefixes announced, withdrawn, and those whose communities changed, IPv4 before IPv6, by address. The summary counts all of them, by family, community and module; the filters choose `items`, of which this is a page, and `matching` counts those. Filters of several kinds must all be met.
         *
         *     Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["diffRevisions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions/{revision_a}/diff/{revision_b}/map": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Draw the difference of two revisions
         * @description How much of each of 65,536 equal parts of `within` only revision b announces, and how much only revision a does, whatever the communities. Kept as the map of a revision is.
         *
         *     Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["mapDifference"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions/{revision_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a revision
         * @description Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Pin or unpin a revision
         * @description A pinned revision is never pruned. Nothing else about a revision can change.
         *
         *     Needs the permission `bgp:revisions:write`: operator, super_admin.
         */
        patch: operations["changeRevision"];
        trace?: never;
    };
    "/v1/revisions/{revision_id}/map": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Draw the addresses of a revision
         * @description How much of each of 65,536 equal parts of `within` the revision announces, by any community: a picture, refined by drawing one of its parts. Addressed by id or number the answer never changes, and may be kept for a year.
         *
         *     Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["mapRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions/{revision_id}/prefixes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the prefixes of a revision with their communities
         * @description IPv4 before IPv6, by address. JSON comes in pages; with `Accept: text/plain` (one prefix per line) or `text/csv` the answer has all prefixes, and `cursor` and `limit` are ignored. Addressed by id or number the answer never changes, and may be kept for a year. With `since_revision` it has only what differs: `change` of items, `+` and `-` in front of lines of text, a column `change` in CSV.
         *
         *     Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listRevisionPrefixes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions/{revision_id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a revision
         * @description Shows the effect on each speaker and peer if the revision were applied now: routes by community, the difference from what runs, the guardrails that it breaks, the routes of each peer, and the configuration. An apply runs the same code.
         *
         *     Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["previewRevision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions/{revision_id}/rollback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Roll back to a revision
         * @description Creates a new revision with the content of this one, at once at any size, and with `auto_apply` queues its apply. The next refresh or edit builds from the modules again: disable the module that caused the problem before that. If the content breaks a current guardrail, the new revision is held.
         *
         *     Needs the permission `bgp:deploy:write`: operator, super_admin.
         */
        post: operations["rollbackRevision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Plan changes before they are made
         * @description Carries the writes out one after the other, as the key may, and takes all of it back: answers what each would be answered, and what the revision that follows would announce and withdraw. The first write that would be refused is reported as a fault of `/changes/<index>`. Nothing is kept: no audit record, no job, no event. `dry_run=true` of a write is the plan of that one.
         *
         *     Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        post: operations["planRevision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions/prune": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove old revisions
         * @description Removes revisions older than the setting `revision_retention_minutes`, but never the latest ready one, a pinned one, or one that a speaker runs or is about to run. Contents that no other revision uses are removed too. The result of the job counts both.
         *
         *     Needs the permission `bgp:revisions:write`: operator, super_admin.
         */
        post: operations["pruneRevisions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/revisions/prune/estimate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview a prune
         * @description Counts what a prune would remove by the setting `revision_retention_minutes`. Removes nothing.
         *
         *     Needs the permission `bgp:revisions:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["estimateRevisionPrune"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/router-lists/catalog": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read all modules, domains, AS numbers, ranges and communities at once
         * @description One answer without pages, including disabled ones; each list is in the order of creation. It is written while it is read: a catalog of more than 5,000 rows is not of one moment.
         *
         *     Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getCatalog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/router/reload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reload the configuration of the local routing daemons
         * @description The daemon checks the configuration first; one that it refuses is not loaded, and the job fails with its message. `result.daemons` of the job shows the outcome for each daemon. For GoBGP and FRR, the service reads back the configuration of its speakers and corrects it instead; `builtin` has no configuration to read. This is for keys of the home tenant and of super roles: others get 403 `forbidden`.
         *
         *     Needs the permission `bgp:deploy:write`: operator, super_admin.
         */
        post: operations["reloadRouter"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/router/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the status of the local routing daemons
         * @description The daemons that run speakers of mode `local`, including `builtin`, as the processes that drive them reported within the last seconds. `error` has the daemon's own message.
         *
         *     Needs the permission `bgp:speakers:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getRouterStatus"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime-logs/auto-estimate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Preview the automatic cleanup
         * @description The files that the settings `runtime_logs_max_file_bytes` and `runtime_logs_max_total_bytes` call too large, and what their cleanup would free. For keys of the home tenant and of super roles.
         *
         *     Needs the permission `bgp:logs:write`: operator, super_admin.
         */
        get: operations["estimateRuntimeLogCleanup"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime-logs/auto-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run the automatic cleanup now
         * @description Cleans what `GET /v1/runtime-logs/auto-estimate` shows, whatever the setting `runtime_logs_auto_enabled` says; with `dry_run=true` it only evaluates. The record in the audit log has the actor `auto:scheduler`; `requested_by` names the key. For keys of the home tenant and of super roles.
         *
         *     Needs the permission `bgp:logs:write`: operator, super_admin.
         */
        post: operations["runRuntimeLogCleanup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime-logs/cleanup-audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read which log files were cleaned
         * @description The records `runtime_logs.*` of the audit log, newest first. Answers also where log files are not served.
         *
         *     Needs the permission `bgp:logs:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listRuntimeLogCleanups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime-logs/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List log files
         * @description Every `*.log` of `APP_RUNTIME_LOGS_DIR`, by name: the log of the service (`app-all.log`), and what routing daemons write beside it. Links, FIFOs and directories are left out.
         *
         *     Needs the permission `bgp:logs:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listRuntimeLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runtime-logs/files/{filename}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the end of a log file
         * @description The last `lines` among the last `bytes` of the file that pass all filters; what stands before is not read. `level` and `since` look at the members `level` and `time` of JSON lines, and leave out other lines. `Accept: text/plain` gives the lines as text. With `follow=true` the answer is a stream of server-sent events: `line` (`{"line": "…"}`) for each line of the tail and then each new one, `truncated` when the file was emptied, `rotated` when another file took its name. A key may have 8 streams, a tenant 64. Tenants other than the home tenant see the lines that carry their own `tenant_id`, and nothing else.
         *
         *     Needs the permission `bgp:logs:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["tailRuntimeLog"];
        put?: never;
        post?: never;
        /**
         * Empty or remove a log file
         * @description At once, and with a record in the audit log: `runtime_logs.truncate` or `runtime_logs.delete`, with the size before. Files of up to 512 MiB; larger ones are for the automatic cleanup. A daemon that keeps a removed file open goes on writing into it until it reopens its log, as the service does at once; `truncate` suits every writer that appends. For keys of the home tenant and of super roles.
         *
         *     Needs the permission `bgp:logs:write`: operator, super_admin.
         */
        delete: operations["cleanRuntimeLog"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the tenant's settings, and list all known settings
         * @description Needs the permission `bgp:settings:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getSettings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change settings
         * @description null resets a known setting to its default. A change that affects routes leads to a revision automatically; others take effect with the next refresh or apply, and `bgp_source_ipv4`, `bgp_source_ipv6` and `guard_no_export` at once, by a job `peer_reconcile`. When `deploy_freeze` ends, the applies that it stopped follow, those of revisions only if `auto_apply` is on: `stopped_applies` names them. Beside the known keys a tenant can store up to 1,000 of its own, each with any JSON of up to 16 KiB; null removes one. `hints` names own keys that look like a mistyped known one. Loosening a guardrail may need a super role, or a policy of the tenant that allows it.
         *
         *     Needs the permission `bgp:settings:write`: operator, super_admin.
         */
        patch: operations["changeSettings"];
        trace?: never;
    };
    "/v1/source-presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List well-known sources with what a CDN source needs to read them
         * @description One answer without pages. Copy `url`, `format`, `json_path` and `csv_column` into a CDN source; a variant has its own `url`, `format` and `json_path`. `q` also searches variants.
         *
         *     Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listSourcePresets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the sources of all modules by age
         * @description Every list, AS number and domain that a module reads: when it was last read, why the last attempt failed, and what is retained of the last good one. What was never read comes first, then the longest not read. A source that is read between two pages may come twice; none is left out.
         *
         *     Needs the permission `bgp:lists:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listSources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/speakers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List speakers
         * @description With `live=true` each speaker has its live status and BGP sessions.
         *
         *     Needs the permission `bgp:speakers:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["listSpeakers"];
        put?: never;
        /**
         * Create a speaker
         * @description If a revision was applied before, the speaker automatically receives the one that was applied last; a speaker of mode `agent` receives it when its node has enrolled. Guardrails and `deploy_freeze` apply.
         *
         *     Needs the permission `bgp:speakers:write`: operator, super_admin.
         */
        post: operations["createSpeaker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/speakers/{id}/apply": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Apply a revision to one speaker
         * @description The revision is the latest ready one unless the body names another.
         *
         *     Needs the permission `bgp:deploy:write`: operator, super_admin.
         */
        post: operations["applyToSpeaker"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/speakers/{speaker_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a speaker
         * @description Needs the permission `bgp:speakers:read`: viewer, operator, super_viewer, super_admin.
         */
        get: operations["getSpeaker"];
        put?: never;
        post?: never;
        /**
         * Delete a speaker
         * @description Its sessions end and its routes are withdrawn. A speaker of mode `agent` must be disabled first, and its node must have reported that its sessions have ended: a node without an owner withdraws nothing. To delete the speaker without that, use `abandon_node=true`. The last canary of `deploy_canary_speaker_ids` stays until that setting names another, or none.
         *
         *     Needs the permission `bgp:speakers:write`: operator, super_admin.
         */
        delete: operations["deleteSpeaker"];
        options?: never;
        head?: never;
        /**
         * Change a speaker
         * @description Sessions whose address, AS number or router id changes are reset. A speaker that is enabled again automatically receives the revision that was applied last.
         *
         *     Needs the permission `bgp:speakers:write`: operator, super_admin.
         */
        patch: operations["changeSpeaker"];
        trace?: never;
    };
    "/v1/speakers/{speaker_id}/apply-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report what a node runs
         * @description A node sends it at every change and every few seconds: the outcome of the last bundle, the daemon, and its sessions. A node that is silent for 30 seconds is shown as not reachable.
         *
         *     Needs the permission `bgp:node:report`: node.
         */
        post: operations["reportApplyStatus"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/speakers/{speaker_id}/bundle/{revision_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Pull a bundle
         * @description For the node of the speaker: a signed tar archive, described in docs/reference/bundle-format.md. The URL comes from `revisions/latest`. With `from`, the revision that the node runs, the answer holds only the changes since, if these are smaller.
         *
         *     Needs the permission `bgp:node:pull`: node.
         */
        get: operations["pullBundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/speakers/{speaker_id}/enrollment-tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a token that lets a node enroll
         * @description For a speaker of mode `agent`. The token is shown only once, works once, and expires after an hour by default.
         *
         *     Needs the permission `bgp:keys:write`: operator, super_admin.
         */
        post: operations["createEnrollmentToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/speakers/{speaker_id}/revisions/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read what a speaker is to run
         * @description For the node of the speaker. With `If-None-Match` and `wait` the answer comes as soon as the bundle differs from the one that the node has, within a second of an apply, or is 304 at the end of the wait. It is 409 `revision_not_ready` if nothing has been applied to the speaker yet.
         *
         *     Needs the permission `bgp:node:pull`: node.
         */
        get: operations["getLatestBundle"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tenants
         * @description Needs the permission `tenants:read`: super_viewer, super_admin.
         */
        get: operations["listTenants"];
        put?: never;
        /**
         * Create a tenant
         * @description The answer holds the secret of its first operator key, which is shown only once. The tenant has no speaker yet, and may only do and announce what `policy` allows: what is not named there is not allowed.
         *
         *     Needs the permission `tenants:write`: super_admin.
         */
        post: operations["createTenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tenants/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a tenant with its quotas and usage
         * @description Needs the permission `tenants:read`: super_viewer, super_admin.
         */
        get: operations["getTenant"];
        put?: never;
        post?: never;
        /**
         * Delete a suspended or stopped tenant with all that belongs to it
         * @description Its speakers withdraw their routes. Its nodes must have reported that their sessions have ended, which they do once the tenant is stopped; to delete the tenant without that, use `abandon_nodes=true`. This cannot be undone.
         *
         *     Needs the permission `tenants:write`: super_admin.
         */
        delete: operations["deleteTenant"];
        options?: never;
        head?: never;
        /**
         * Rename, suspend, stop or reactivate a tenant, or change its quotas and its policy
         * @description Keys of a suspended tenant are refused within a second and its jobs wait. Its speakers keep announcing their routes; those of a stopped tenant end all sessions. Routes that a tightened policy no longer allows are withdrawn at once, and sessions whose AS number, router or source address it no longer allows end at once.
         *
         *     Needs the permission `tenants:write`: super_admin.
         */
        patch: operations["changeTenant"];
        trace?: never;
    };
    "/v1/tenants/{id}/stop": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End all sessions of a tenant at once
         * @description Its routes are withdrawn within two seconds, and nothing is deleted. Its keys are refused as for a suspended tenant, except those of its nodes, which receive a bundle without peers. PATCH `{"status": "active"}` starts it again: it announces what it announced before.
         *
         *     Needs the permission `tenants:write`: super_admin.
         */
        post: operations["stopTenant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read name and version of the service
         * @description Needs no key.
         */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List webhooks
         * @description Needs the permission `bgp:webhooks:read`: operator, super_admin.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description The receiver is sent what happens from now on: each event at least once, and in order. The answer holds the secret, which is shown only once. It signs each request: `prefixcast-signature` is `sha256=` and the HMAC-SHA256 of `prefixcast-time`, a dot and the body.
         *
         *     Needs the permission `bgp:webhooks:write`: operator, super_admin.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a webhook
         * @description Needs the permission `bgp:webhooks:read`: operator, super_admin.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description With its deliveries; what is on its way may still arrive.
         *
         *     Needs the permission `bgp:webhooks:write`: operator, super_admin.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change a webhook
         * @description What waits is sent as the webhook is then, at once. A webhook that is disabled forgets what waits; one that is enabled is sent what happens from then on.
         *
         *     Needs the permission `bgp:webhooks:write`: operator, super_admin.
         */
        patch: operations["changeWebhook"];
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a webhook
         * @description The last thousand, the newest first, and those that wait.
         *
         *     Needs the permission `bgp:webhooks:read`: operator, super_admin.
         */
        get: operations["listWebhookDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read a delivery
         * @description Needs the permission `bgp:webhooks:read`: operator, super_admin.
         */
        get: operations["getWebhookDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/deliveries/{delivery_id}/resend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a delivery again
         * @description With the same id, before all that waits.
         *
         *     Needs the permission `bgp:webhooks:write`: operator, super_admin.
         */
        post: operations["resendWebhookDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give a webhook another secret
         * @description The answer holds the new secret, which is shown only once. It signs from the next attempt on; a receiver that takes both for a moment misses nothing.
         *
         *     Needs the permission `bgp:webhooks:write`: operator, super_admin.
         */
        post: operations["rotateWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test to a webhook
         * @description Sends an event `test` at once, past all that waits and even if the webhook is disabled. `state`, `status` and `error` of the answer say what became of it.
         *
         *     Needs the permission `bgp:webhooks:write`: operator, super_admin.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read name and version of the service
         * @description Needs no key.
         */
        get: operations["getRootVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @example {
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "Cloud providers",
         *       "brings_back": 0,
         *       "keeps": 0
         *     }
         */
        AlsoHeld: {
            /** @description Routes that this release withdraws, and that the release of the module named here announces again, whole or in part. Release that one first, and they stay */
            brings_back: number;
            /** @description Routes with addresses that this release brings, and that are announced already, since the module named here is held. Its release withdraws nothing of them after this one */
            keeps: number;
            module_id: components["schemas"]["Id"];
            /** @description What the module is called, or was before it was deleted */
            name: string;
        };
        /**
         * @description An OpenAPI document
         * @example {
         *       "openapi": "3.1.0",
         *       "info": {
         *         "title": "Prefixcast",
         *         "version": "0.1.0"
         *       },
         *       "servers": [
         *         {
         *           "url": "https://routes.example.net"
         *         }
         *       ],
         *       "paths": {},
         *       "components": {}
         *     }
         */
        ApiDescription: {
            components: {
                [key: string]: unknown;
            };
            info: {
                /** @example Prefixcast */
                title: string;
                version: string;
            };
            /** @example 3.1.0 */
            openapi: string;
            paths: {
                [key: string]: unknown;
            };
            servers: {
                /** @example https://routes.example.net */
                url: string;
            }[];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "looking glass",
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "role": "viewer",
         *       "prefix": "pc_o_4hKq",
         *       "last_used_at": "2026-01-31T12:00:00.000Z",
         *       "previous_valid_until": "2026-01-31T12:00:00.000Z",
         *       "revoked_at": "2026-01-31T12:00:00.000Z",
         *       "created_by": "key:looking glass",
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "firewall_client_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        ApiKey: {
            created_at: components["schemas"]["Timestamp"];
            /** @description Who made it, such as `key:ops` or `cli` */
            created_by: string | null;
            /** @description The key stops working then; null: never */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Whose key it is, for a key that a firewall client enrolled with; null: of no firewall client */
            firewall_client_id: components["schemas"]["Id"] | null;
            id: components["schemas"]["Id"];
            /** @description To the minute; null: never */
            last_used_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: name
             * @description For people; shown as `key:<name>` where the key did something
             */
            name: string;
            /** @description The public beginning of the secret, to recognise it */
            prefix: string;
            /** @description Until when the secret before the last rotation also works; null: the key was never rotated */
            previous_valid_until: components["schemas"]["Timestamp"] | null;
            /** @description When it was taken back; null: it was not */
            revoked_at: components["schemas"]["Timestamp"] | null;
            role: components["schemas"]["RoleName"];
            /** @description Whose node it is of, for a key that a node enrolled with; null: of no node */
            speaker_id: components["schemas"]["Id"] | null;
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "name": "looking glass",
         *       "role": "viewer",
         *       "expires_at": "2030-01-01T00:00:00Z"
         *     }
         */
        ApiKeyCreate: {
            /** @description The key stops working then; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: name
             * @description For people; shown as `key:<name>` where the key did something
             */
            name: string;
            role: components["schemas"]["RoleName"];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "Cloud providers",
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "role": "viewer",
         *       "prefix": "198.51.100.0/24",
         *       "last_used_at": "2026-01-31T12:00:00.000Z",
         *       "previous_valid_until": "2026-01-31T12:00:00.000Z",
         *       "revoked_at": "2026-01-31T12:00:00.000Z",
         *       "created_by": "key:looking glass",
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "firewall_client_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "secret": "pc_o_4hKq7Zt0VwXyB2nD9sLmR5uJcE8gTfA1iPoYk3x6HvQz_0aB3dE"
         *     }
         */
        ApiKeyCreated: {
            created_at: components["schemas"]["Timestamp"];
            /** @description Who made it, such as `key:ops` or `cli` */
            created_by: string | null;
            /** @description The key stops working then; null: never */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Whose key it is, for a key that a firewall client enrolled with; null: of no firewall client */
            firewall_client_id: components["schemas"]["Id"] | null;
            id: components["schemas"]["Id"];
            /** @description To the minute; null: never */
            last_used_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: name
             * @description For people; shown as `key:<name>` where the key did something
             */
            name: string;
            /** @description The public beginning of the secret, to recognise it */
            prefix: string;
            /** @description Until when the secret before the last rotation also works; null: the key was never rotated */
            previous_valid_until: components["schemas"]["Timestamp"] | null;
            /** @description When it was taken back; null: it was not */
            revoked_at: components["schemas"]["Timestamp"] | null;
            role: components["schemas"]["RoleName"];
            /** @description The key itself, shown only in this answer */
            secret: string;
            /** @description Whose node it is of, for a key that a node enrolled with; null: of no node */
            speaker_id: components["schemas"]["Id"] | null;
            updated_at: components["schemas"]["Timestamp"];
        };
        ApiKeyCreatedDryRun: {
            body: components["schemas"]["ApiKeyCreated"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        ApiKeyDryRun: {
            body: components["schemas"]["ApiKey"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        ApiKeyPage: {
            has_more: boolean;
            items: components["schemas"]["ApiKey"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "expires_at": null
         *     }
         */
        ApiKeyPatch: {
            /** @description The key stops working then; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /**
             * Format: name
             * @description For people; shown as `key:<name>` where the key did something
             */
            name?: string;
        };
        /**
         * @example {
         *       "grace_seconds": 3600
         *     }
         */
        ApiKeyRotate: {
            /**
             * @description How long the old secret works beside the new one; 0: it stops at once
             * @default 0
             */
            grace_seconds: number;
        };
        /**
         * @example {
         *       "from": "2026-01-31T12:00:00.000Z",
         *       "until": "2026-01-31T12:00:00.000Z"
         *     }
         */
        AppliedPeriod: {
            from: components["schemas"]["Timestamp"];
            /** @description When the last of them had another revision; null: one has it still */
            until: components["schemas"]["Timestamp"] | null;
        };
        /**
         * @example {
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "state": "planned",
         *       "wave": 0,
         *       "announced": 1424,
         *       "withdrawn": 1,
         *       "changed": 0,
         *       "code": "speaker_unreachable",
         *       "error": null,
         *       "partial": true
         *     }
         */
        ApplyEvent: {
            announced: number | null;
            at: components["schemas"]["Timestamp"];
            changed: number | null;
            code: string | null;
            error: string | null;
            id: components["schemas"]["Id"];
            job_id: components["schemas"]["Id"] | null;
            /** @description The speaker runs the revision, but not every peer has it: `error` names these */
            partial: boolean;
            /** @description Null: whatever the speaker runs */
            revision_id: components["schemas"]["Id"] | null;
            speaker_id: components["schemas"]["Id"];
            /** @enum {string} */
            state: "planned" | "queued" | "running" | "succeeded" | "failed" | "superseded" | "skipped" | "undoing" | "undone";
            /** @description 0: a canary; from 1 on: the waves of the others */
            wave: number;
            withdrawn: number | null;
        };
        /**
         * @example {
         *       "type": "apply",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "state": "queued",
         *       "progress": {
         *         "phase": "collect",
         *         "done": 0,
         *         "total": 0,
         *         "waiting_for": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "to_begin": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ]
         *       },
         *       "attempt": 0,
         *       "queued_at": "2026-01-31T12:00:00.000Z",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:04.000Z",
         *       "error": null,
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       },
         *       "requested_by": "key:looking glass",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "result": {
         *         "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "speakers": [
         *           {
         *             "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "wave": 0,
         *             "status": "applied",
         *             "announced": 1424,
         *             "withdrawn": 0,
         *             "changed": 0,
         *             "code": "speaker_unreachable",
         *             "error": null,
         *             "peers": [
         *               {
         *                 "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "name": "edge1",
         *                 "address": "192.0.2.2",
         *                 "status": "applied",
         *                 "was_up": true,
         *                 "was_behind": true,
         *                 "announced": 1424,
         *                 "expected": 1424,
         *                 "fitted": {
         *                   "ipv4": {
         *                     "added_addresses": "3072",
         *                     "added_percent": 1,
         *                     "optimal": true
         *                   },
         *                   "ipv6": {
         *                     "added_addresses": "3072",
         *                     "added_percent": 1,
         *                     "optimal": true
         *                   }
         *                 },
         *                 "error": null,
         *                 "notification": {
         *                   "direction": "received",
         *                   "code": 6,
         *                   "subcode": 4,
         *                   "name": "Cease",
         *                   "text": "Administrative Reset"
         *                 }
         *               }
         *             ]
         *           }
         *         ],
         *         "canaries_left_out": [
         *           {
         *             "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "reason": "fra2 is disabled."
         *           }
         *         ]
         *       }
         *     }
         */
        ApplyJob: {
            /** @description How often it was begun */
            attempt: number;
            created_at: components["schemas"]["Timestamp"];
            /** @description Null: it has not failed */
            error: components["schemas"]["JobError"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            /** @description The job that it was queued by */
            parent_id: components["schemas"]["Id"] | null;
            progress: components["schemas"]["JobProgress"] | null;
            queued_at: components["schemas"]["Timestamp"];
            requested_by: string | null;
            resource: components["schemas"]["JobResource"] | null;
            /** @description Null: it has not ended, or has nothing to show */
            result: components["schemas"]["ApplyResult"] | null;
            started_at: components["schemas"]["Timestamp"] | null;
            state: components["schemas"]["JobState"];
            /** @constant */
            type: "apply";
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "revision_id": "latest"
         *     }
         */
        ApplyRequest: {
            /** @description All guardrails that the revision breaks, to override them for this apply */
            override?: ("default_route_forbidden" | "coverage_exceeded" | "prefix_too_short" | "bogon_prefix" | "protected_prefix" | "max_change_exceeded" | "rolled_back" | "large_withdrawal" | "max_prefixes_exceeded" | "tenant_policy")[];
            /** @description Why; required with `override` */
            reason?: string;
            /**
             * Format: uuid
             * @description A job `apply` that has ended: applies the same revision again, only to the speakers that failed, were skipped or out of reach, or have a peer that refused it
             */
            retry_of?: string;
            revision_id?: string | number;
            /** @description Default: all enabled speakers */
            speaker_ids?: components["schemas"]["Id"][];
        };
        /**
         * @example {
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "speakers": [
         *         {
         *           "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "wave": 0,
         *           "status": "applied",
         *           "announced": 1424,
         *           "withdrawn": 0,
         *           "changed": 0,
         *           "code": "speaker_unreachable",
         *           "error": null,
         *           "peers": [
         *             {
         *               "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "name": "edge1",
         *               "address": "192.0.2.2",
         *               "status": "applied",
         *               "was_up": true,
         *               "was_behind": true,
         *               "announced": 1424,
         *               "expected": 1424,
         *               "fitted": {
         *                 "ipv4": {
         *                   "added_addresses": "3072",
         *                   "added_percent": 1,
         *                   "optimal": true
         *                 },
         *                 "ipv6": {
         *                   "added_addresses": "3072",
         *                   "added_percent": 1,
         *                   "optimal": true
         *                 }
         *               },
         *               "error": null,
         *               "notification": {
         *                 "direction": "received",
         *                 "code": 6,
         *                 "subcode": 4,
         *                 "name": "Cease",
         *                 "text": "Administrative Reset"
         *               }
         *             }
         *           ]
         *         }
         *       ],
         *       "canaries_left_out": [
         *         {
         *           "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "reason": "fra2 is disabled."
         *         }
         *       ]
         *     }
         */
        ApplyResult: {
            /** @description Speakers of the setting `deploy_canary_speaker_ids` that could be no canaries */
            canaries_left_out: components["schemas"]["CanaryLeftOut"][];
            /** @description Null: each speaker was brought to what it runs */
            revision_id: components["schemas"]["Id"] | null;
            /** @description Canaries first */
            speakers: components["schemas"]["SpeakerApplyResult"][];
        };
        /**
         * @example {
         *       "sequence": null,
         *       "revision_id": null,
         *       "status": "unchanged",
         *       "announced": 0,
         *       "withdrawn": 0,
         *       "changed": 0,
         *       "error": null,
         *       "daemon": {
         *         "reachable": true,
         *         "version": "1.0.0",
         *         "router_id": "192.0.2.1",
         *         "uptime_seconds": 60,
         *         "last_reconfigured_at": null,
         *         "error": null,
         *         "sessions": []
         *       },
         *       "agent": {
         *         "version": "1.0.0",
         *         "hostname": "edge-1.example.net",
         *         "run_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       }
         *     }
         */
        ApplyStatus: {
            agent: {
                /** @description Host name of the machine */
                hostname: string;
                /**
                 * Format: uuid
                 * @description UUIDv7 generated at the start of the process: of two agents with one identity, the one that started later counts
                 */
                run_id: string;
                /** @description Of the agent */
                version: string;
            };
            announced: number;
            changed: number;
            daemon: components["schemas"]["DaemonReport"];
            error: string | null;
            /** @description Outcome for its peers, if not all have the routes of the bundle or some are sent a cover of them; those come first */
            peers?: components["schemas"]["PeerApplyResult"][];
            /** @description Of that bundle */
            revision_id: components["schemas"]["Id"] | null;
            /** @description Sequence of the last tried bundle, or the highest verified one if that bundle is refused as older; null: none yet */
            sequence: number | null;
            /**
             * @description `unchanged`: the daemon ran it already; `failed`: it runs what it ran before
             * @enum {string}
             */
            status: "applied" | "failed" | "unchanged";
            withdrawn: number;
        };
        /**
         * @example {
         *       "accepted": true,
         *       "session_members": [
         *         "next_attempt_at"
         *       ]
         *     }
         */
        ApplyStatusTaken: {
            /** @description false: an agent with the same identity that started later reports too; this report was ignored */
            accepted: boolean;
            /** @description Members of sessions that reports may have; a service that does not name one here may refuse it */
            session_members: "next_attempt_at"[];
        };
        /**
         * @example {
         *       "filter": {
         *         "q": "old"
         *       },
         *       "patch": {
         *         "enabled": false
         *       }
         *     }
         */
        AsEntriesChange: {
            /** @description The filters of the list; they must mean no more than 10,000 entries */
            filter?: {
                /**
                 * @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it
                 * @example 8.8.8.8
                 */
                contains?: string;
                enabled?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            /** @description The entries that are meant; every one must exist in this module. Give `ids` or `filter` */
            ids?: components["schemas"]["Id"][];
            /** @description What changes of each of them; what is left out stays */
            patch: {
                /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
                community_id?: components["schemas"]["Id"] | null;
                /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
                community_ids?: components["schemas"]["Id"][];
                /** @description Whether it counts; true where nothing is said */
                enabled?: boolean;
                /** @description When the entry is deleted by itself, by the clock of the database; null: never */
                expires_at?: components["schemas"]["Timestamp"] | null;
                /** @description For people; means nothing to the service */
                note?: string | null;
            };
        };
        /**
         * @example {
         *       "filter": {
         *         "enabled": false
         *       }
         *     }
         */
        AsEntriesChoice: {
            /** @description The filters of the list; they must mean no more than 10,000 entries */
            filter?: {
                /**
                 * @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it
                 * @example 8.8.8.8
                 */
                contains?: string;
                enabled?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            /** @description The entries that are meant; every one must exist in this module. Give `ids` or `filter` */
            ids?: components["schemas"]["Id"][];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "asn": 64500,
         *       "note": "Asked for by the network team",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "last_refreshed_at": "2026-01-31T12:00:00.000Z",
         *       "status": "pending",
         *       "last_error": null,
         *       "held": true,
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       }
         *     }
         */
        AsEntry: {
            asn: number;
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids: components["schemas"]["Id"][];
            created_at: components["schemas"]["Timestamp"];
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at: components["schemas"]["Timestamp"] | null;
            held: components["schemas"]["EntryHeld"];
            id: components["schemas"]["Id"];
            /** @description Why the last attempt failed, and what to do; null when it did not */
            last_error: string | null;
            /** @description When it was last read with success; null: never */
            last_refreshed_at: components["schemas"]["Timestamp"] | null;
            module_id: components["schemas"]["Id"];
            /** @description For people; means nothing to the service */
            note: string | null;
            prefix_count: components["schemas"]["PrefixCount"];
            status: components["schemas"]["EntryStatus"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "asn": 64500,
         *       "note": "Asked for by the network team",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        AsEntryCreate: {
            /** @description A number, or text such as `AS3333`: 1 to 4294967294 without the reserved ones */
            asn: number | string;
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids?: components["schemas"]["Id"][];
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description For people; means nothing to the service */
            note?: string | null;
        };
        AsEntryCreateBulk: {
            items: components["schemas"]["AsEntryCreate"][];
        };
        AsEntryCreateOrAsEntryCreateBulk: components["schemas"]["AsEntryCreate"] | components["schemas"]["AsEntryCreateBulk"];
        AsEntryDryRun: {
            body: components["schemas"]["AsEntry"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        AsEntryList: {
            items: components["schemas"]["AsEntry"][];
        };
        AsEntryListDryRun: {
            body: components["schemas"]["AsEntryList"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        AsEntryOrAsEntryList: components["schemas"]["AsEntry"] | components["schemas"]["AsEntryList"];
        AsEntryOrAsEntryListDryRun: {
            body: components["schemas"]["AsEntryOrAsEntryList"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        AsEntryPage: {
            has_more: boolean;
            items: components["schemas"]["AsEntry"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "note": null,
         *       "enabled": false
         *     }
         */
        AsEntryPatch: {
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids?: components["schemas"]["Id"][];
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description For people; means nothing to the service */
            note?: string | null;
        };
        /** @description AS number, of two or four octets (RFC 6793) */
        Asn: number;
        /**
         * @example {
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "actor": "key:looking glass",
         *       "action": "module.create",
         *       "severity": "info",
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "name": "Cloud providers"
         *       }
         *     }
         */
        AuditEvent: {
            /** @description `<noun>.<verb>`, such as `module.create` */
            action: string;
            /** @description `key:<name>`, `auto:scheduler`, `node:<speaker>`, `firewall:<client>` or `cli` */
            actor: string;
            at: components["schemas"]["Timestamp"];
            id: components["schemas"]["Id"];
            resource: {
                /** @description null where there is only one, or many at once */
                id: string | null;
                /** @description As it was called then; null: it has no name, or they are many, and `changes.after` names the first ones */
                name: string | null;
                /** @description The noun of the action */
                type: string;
            };
            /**
             * @description `info`: created or changed; `notice`: deleted or cleaned, settings, deployment, a new key; `warning`: a key taken back, revisions pruned, something failed, a module held; `critical`: a guardrail overridden, a module released, a tenant stopped
             * @enum {string}
             */
            severity: "info" | "notice" | "warning" | "critical";
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "actor": "key:looking glass",
         *       "action": "module.create",
         *       "severity": "info",
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "name": "Cloud providers"
         *       },
         *       "changes": {
         *         "before": {},
         *         "after": {}
         *       },
         *       "request_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "address": "192.0.2.2",
         *       "policy_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        AuditRecord: {
            /** @description `<noun>.<verb>`, such as `module.create` */
            action: string;
            /** @description `key:<name>`, `auto:scheduler`, `node:<speaker>`, `firewall:<client>` or `cli` */
            actor: string;
            /** @description Where the request came from */
            address: string | null;
            at: components["schemas"]["Timestamp"];
            changes: {
                /** @description Members by name; null: there was nothing. Secrets are `***` */
                after: {
                    [key: string]: unknown;
                } | null;
                /** @description Members by name; null: there was nothing. Secrets are `***` */
                before: {
                    [key: string]: unknown;
                } | null;
            };
            id: components["schemas"]["Id"];
            /** @description The maintenance policy that it was done for */
            policy_id: components["schemas"]["Id"] | null;
            /** @description `X-Request-Id` of the request; null: none asked for it */
            request_id: string | null;
            resource: {
                /** @description null where there is only one, or many at once */
                id: string | null;
                /** @description As it was called then; null: it has no name, or they are many, and `changes.after` names the first ones */
                name: string | null;
                /** @description The noun of the action */
                type: string;
            };
            /**
             * @description `info`: created or changed; `notice`: deleted or cleaned, settings, deployment, a new key; `warning`: a key taken back, revisions pruned, something failed, a module held; `critical`: a guardrail overridden, a module released, a tenant stopped
             * @enum {string}
             */
            severity: "info" | "notice" | "warning" | "critical";
        };
        AuditRecordPage: {
            has_more: boolean;
            items: components["schemas"]["AuditRecord"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "csrf_token": "4hKq7Zt0VwXyB2nD9sLmR5uJcE8gTfA1",
         *       "last_event_id": "1042",
         *       "others": [
         *         {
         *           "tenant": {
         *             "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "slug": "example-net",
         *             "name": "Cloud providers"
         *           },
         *           "role": "viewer"
         *         }
         *       ]
         *     }
         */
        BrowserSession: {
            created_at: components["schemas"]["Timestamp"];
            /** @description What every write with the cookie sends as `X-CSRF-Token` */
            csrf_token: string;
            /**
             * Format: date-time
             * @description When it ends if nobody uses it until then: after 12 hours, or with its key
             */
            expires_at: string;
            id: components["schemas"]["Id"];
            /** @description The last event before this answer: a stream that begins with it as `Last-Event-ID` misses nothing of what happens to what is read from now on */
            last_event_id: string;
            /** @description Sessions of other tenants in this browser; `X-Session-Tenant` chooses among them by the tenant's id */
            others: {
                role: components["schemas"]["RoleName"];
                tenant: {
                    id: components["schemas"]["Id"];
                    name: string;
                    slug: string;
                };
            }[];
        };
        /**
         * @description Order of the list: `-created_at` has the newest first
         * @default created_at
         * @enum {string}
         */
        ByCreation: "created_at" | "-created_at";
        /**
         * @example {
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "reason": "fra2 is disabled."
         *     }
         */
        CanaryLeftOut: {
            /** @example fra2 is disabled. */
            reason: string;
            speaker_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "modules": [
         *         {
         *           "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "Cloud providers",
         *           "type": "CDN_SOURCES",
         *           "purpose": "announce",
         *           "enabled": true,
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "families": [
         *             "ipv4"
         *           ],
         *           "last_refreshed_at": "2026-01-31T12:00:00.000Z",
         *           "prefix_count": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           }
         *         }
         *       ],
         *       "domain_entries": [
         *         {
         *           "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "enabled": true,
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community_ids": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ],
         *           "expires_at": "2026-01-31T12:00:00.000Z",
         *           "domain": "example.com"
         *         }
         *       ],
         *       "as_entries": [
         *         {
         *           "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "enabled": true,
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community_ids": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ],
         *           "expires_at": "2026-01-31T12:00:00.000Z",
         *           "asn": 64500
         *         }
         *       ],
         *       "ip_range_entries": [
         *         {
         *           "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "enabled": true,
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community_ids": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ],
         *           "expires_at": "2026-01-31T12:00:00.000Z",
         *           "cidr": "198.51.100.0/24"
         *         }
         *       ],
         *       "geofeed_entries": [
         *         {
         *           "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "enabled": true,
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community_ids": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ],
         *           "expires_at": "2026-01-31T12:00:00.000Z",
         *           "name": "Cloud providers",
         *           "countries": [
         *             "DE",
         *             "FR"
         *           ],
         *           "regions": [
         *             "DE-BY"
         *           ]
         *         }
         *       ],
         *       "communities": [
         *         {
         *           "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "title": "Cloud providers"
         *         }
         *       ]
         *     }
         */
        Catalog: {
            as_entries: components["schemas"]["CatalogAs"][];
            communities: components["schemas"]["CatalogCommunity"][];
            domain_entries: components["schemas"]["CatalogDomain"][];
            geofeed_entries: components["schemas"]["CatalogGeofeed"][];
            ip_range_entries: components["schemas"]["CatalogRange"][];
            modules: components["schemas"]["CatalogModule"][];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "asn": 64500
         *     }
         */
        CatalogAs: {
            asn: number;
            community_id: components["schemas"]["Id"] | null;
            community_ids: components["schemas"]["Id"][];
            enabled: boolean;
            expires_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            module_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community": "65000:100",
         *       "title": "Cloud providers"
         *     }
         */
        CatalogCommunity: {
            /** @description `65000:100` (RFC 1997), `65000:1:100` (RFC 8092), or a well-known name such as `blackhole`; unique in the tenant */
            community: string;
            id: components["schemas"]["Id"];
            /**
             * Format: name
             * @description For people
             */
            title: string;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "domain": "example.com"
         *     }
         */
        CatalogDomain: {
            community_id: components["schemas"]["Id"] | null;
            community_ids: components["schemas"]["Id"][];
            domain: string;
            enabled: boolean;
            expires_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            module_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "name": "Cloud providers",
         *       "countries": [
         *         "DE",
         *         "FR"
         *       ],
         *       "regions": [
         *         "DE-BY"
         *       ]
         *     }
         */
        CatalogGeofeed: {
            community_id: components["schemas"]["Id"] | null;
            community_ids: components["schemas"]["Id"][];
            countries: string[];
            enabled: boolean;
            expires_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            module_id: components["schemas"]["Id"];
            name: string;
            regions: string[];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "Cloud providers",
         *       "type": "CDN_SOURCES",
         *       "purpose": "announce",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "families": [
         *         "ipv4"
         *       ],
         *       "last_refreshed_at": "2026-01-31T12:00:00.000Z",
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       }
         *     }
         */
        CatalogModule: {
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id: components["schemas"]["Id"] | null;
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            families: components["schemas"]["Families"];
            id: components["schemas"]["Id"];
            /** @description When it was last read with success; null: never */
            last_refreshed_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /** @description What was collected last, be it held or not, and of entries that are enabled now; of more than 20,000 prefixes, of those that were enabled when it was collected, or when the latest revision was built after that. What revisions have of a held module, they say */
            prefix_count: {
                ipv4: number;
                ipv6: number;
            };
            /**
             * @description `exclude` removes its addresses from every community of the revision
             * @enum {string}
             */
            purpose: "announce" | "exclude";
            type: components["schemas"]["ModuleType"];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "cidr": "198.51.100.0/24"
         *     }
         */
        CatalogRange: {
            cidr: string;
            community_id: components["schemas"]["Id"] | null;
            community_ids: components["schemas"]["Id"][];
            enabled: boolean;
            expires_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            module_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "http_status": 200,
         *       "content_type": "application/json",
         *       "bytes": 45056,
         *       "milliseconds": 0,
         *       "format": "json",
         *       "accepted_count": 1432,
         *       "collected": {
         *         "ipv4": 1432,
         *         "ipv6": 48
         *       },
         *       "aggregated": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "prefixes": [
         *         "198.51.100.0/24",
         *         "2001:db8::/32"
         *       ],
         *       "rejected_count": 0,
         *       "rejected": [
         *         {
         *           "line": 1,
         *           "text": "Administrative Reset",
         *           "reason": "Agreed with the network team"
         *         }
         *       ],
         *       "bogon_count": 0,
         *       "bogons": [
         *         {
         *           "prefix": "198.51.100.0/24",
         *           "within": "Private-Use (RFC 1918)"
         *         }
         *       ]
         *     }
         */
        CdnPreview: {
            /** @description Lines or values that hold prefixes; a range may give many */
            accepted_count: number;
            /** @description Prefixes that cover exactly the same addresses: what a refresh announces */
            aggregated: {
                ipv4: number;
                ipv6: number;
            };
            /** @description Special-purpose prefixes that were dropped or cut, see the setting `guard_bogons` */
            bogon_count: number;
            bogons: {
                prefix: string;
                /** @description What is registered there */
                within: string;
            }[];
            /** @description Of the body, unpacked */
            bytes: number;
            /** @description Prefixes as the list has them, without special-purpose ones */
            collected: {
                ipv4: number;
                ipv6: number;
            };
            /** @description As the source says */
            content_type: string | null;
            /**
             * @description The format in which the list was read, chosen by `auto` if that is set
             * @enum {string}
             */
            format: "text" | "json" | "csv";
            http_status: number;
            /** @description For fetching and reading */
            milliseconds: number;
            /** @description The first of those collected, in the order of the list */
            prefixes: string[];
            /** @description The first lines or values that cannot be read */
            rejected: components["schemas"]["RejectedLine"][];
            rejected_count: number;
        };
        /**
         * @example {
         *       "url": "https://lists.example/ip-ranges.json",
         *       "json_path": "$.prefixes[*].ip_prefix"
         *     }
         */
        CdnPreviewRequest: {
            /** @description Column with the prefixes: name of its header, or number from 1; null: the first */
            csv_column?: string | null;
            /**
             * @description `auto`, the default, detects it by Content-Type, file name and content
             * @enum {string}
             */
            format?: "auto" | "text" | "json" | "csv";
            /** @description Sent with the request, but to no other origin after a redirect; kept encrypted and never shown again */
            headers?: {
                [key: string]: string;
            };
            /** @description JSONPath (RFC 9535) to the prefixes, such as `$.prefixes[*].ip_prefix`, or to a list of them, such as `$.data.list`; the leading `$.` may be left out; null: the places where publishers usually have them */
            json_path?: string | null;
            /** @description http or https, without user and password */
            url: string;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "Cloud providers",
         *       "url": "https://example.net/list.json",
         *       "format": "json",
         *       "json_path": "$.prefixes[*].ip_prefix",
         *       "csv_column": "prefix",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "headers": {},
         *       "last_refreshed_at": "2026-01-31T12:00:00.000Z",
         *       "status": "pending",
         *       "last_error": null,
         *       "held": true,
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "etag": "\"5f3c-61a2\"",
         *       "rejected_count": 0,
         *       "rejected": [
         *         {
         *           "line": 1,
         *           "text": "Administrative Reset",
         *           "reason": "Agreed with the network team"
         *         }
         *       ]
         *     }
         */
        CdnSource: {
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids: components["schemas"]["Id"][];
            created_at: components["schemas"]["Timestamp"];
            /** @description Column with the prefixes: name of its header, or number from 1; null: the first */
            csv_column: string | null;
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            /** @description Of the last good answer, for conditional requests */
            etag: string | null;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at: components["schemas"]["Timestamp"] | null;
            /**
             * @description `auto`, the default, detects it by Content-Type, file name and content
             * @enum {string}
             */
            format: "auto" | "text" | "json" | "csv";
            /** @description Names only; values are never shown */
            headers: {
                [key: string]: null;
            };
            held: components["schemas"]["EntryHeld"];
            id: components["schemas"]["Id"];
            /** @description JSONPath (RFC 9535) to the prefixes, such as `$.prefixes[*].ip_prefix`, or to a list of them, such as `$.data.list`; the leading `$.` may be left out; null: the places where publishers usually have them */
            json_path: string | null;
            /** @description Why the last attempt failed, and what to do; null when it did not */
            last_error: string | null;
            /** @description When it was last read with success; null: never */
            last_refreshed_at: components["schemas"]["Timestamp"] | null;
            module_id: components["schemas"]["Id"];
            /**
             * Format: name
             * @description Unique in the module, without case
             */
            name: string;
            prefix_count: components["schemas"]["PrefixCount"];
            /** @description The first of them */
            rejected: components["schemas"]["RejectedLine"][];
            /** @description Lines or values of the last good answer that cannot be read, without comments and blank lines */
            rejected_count: number;
            status: components["schemas"]["EntryStatus"];
            updated_at: components["schemas"]["Timestamp"];
            /** @description http or https, without user and password */
            url: string;
        };
        /**
         * @example {
         *       "name": "Cloud providers",
         *       "url": "https://example.net/list.json",
         *       "format": "json",
         *       "json_path": "$.prefixes[*].ip_prefix",
         *       "csv_column": "prefix",
         *       "headers": {},
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        CdnSourceCreate: {
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids?: components["schemas"]["Id"][];
            /** @description Column with the prefixes: name of its header, or number from 1; null: the first */
            csv_column?: string | null;
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /**
             * @description `auto`, the default, detects it by Content-Type, file name and content
             * @enum {string}
             */
            format?: "auto" | "text" | "json" | "csv";
            /** @description Sent with the request, but to no other origin after a redirect; kept encrypted and never shown again */
            headers?: {
                [key: string]: string;
            };
            /** @description JSONPath (RFC 9535) to the prefixes, such as `$.prefixes[*].ip_prefix`, or to a list of them, such as `$.data.list`; the leading `$.` may be left out; null: the places where publishers usually have them */
            json_path?: string | null;
            /**
             * Format: name
             * @description Unique in the module, without case
             */
            name: string;
            /** @description http or https, without user and password */
            url: string;
        };
        CdnSourceCreateBulk: {
            items: components["schemas"]["CdnSourceCreate"][];
        };
        CdnSourceCreateOrCdnSourceCreateBulk: components["schemas"]["CdnSourceCreate"] | components["schemas"]["CdnSourceCreateBulk"];
        CdnSourceDryRun: {
            body: components["schemas"]["CdnSource"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        CdnSourceList: {
            items: components["schemas"]["CdnSource"][];
        };
        CdnSourceListDryRun: {
            body: components["schemas"]["CdnSourceList"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        CdnSourceOrCdnSourceList: components["schemas"]["CdnSource"] | components["schemas"]["CdnSourceList"];
        CdnSourceOrCdnSourceListDryRun: {
            body: components["schemas"]["CdnSourceOrCdnSourceList"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        CdnSourcePage: {
            has_more: boolean;
            items: components["schemas"]["CdnSource"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "enabled": false
         *     }
         */
        CdnSourcePatch: {
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids?: components["schemas"]["Id"][];
            /** @description Column with the prefixes: name of its header, or number from 1; null: the first */
            csv_column?: string | null;
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /**
             * @description `auto`, the default, detects it by Content-Type, file name and content
             * @enum {string}
             */
            format?: "auto" | "text" | "json" | "csv";
            /** @description Sent with the request, but to no other origin after a redirect; kept encrypted and never shown again. Those not named stay, null removes one */
            headers?: {
                [key: string]: string | null;
            };
            /** @description JSONPath (RFC 9535) to the prefixes, such as `$.prefixes[*].ip_prefix`, or to a list of them, such as `$.data.list`; the leading `$.` may be left out; null: the places where publishers usually have them */
            json_path?: string | null;
            /**
             * Format: name
             * @description Unique in the module, without case
             */
            name?: string;
            /** @description http or https, without user and password */
            url?: string;
        };
        /**
         * @example {
         *       "filter": {
         *         "q": "old"
         *       },
         *       "patch": {
         *         "enabled": false
         *       }
         *     }
         */
        CdnSourcesChange: {
            /** @description The filters of the list; they must mean no more than 10,000 entries */
            filter?: {
                /**
                 * @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it
                 * @example 8.8.8.8
                 */
                contains?: string;
                enabled?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            /** @description The entries that are meant; every one must exist in this module. Give `ids` or `filter` */
            ids?: components["schemas"]["Id"][];
            /** @description What changes of each of them; what is left out stays */
            patch: {
                /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
                community_id?: components["schemas"]["Id"] | null;
                /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
                community_ids?: components["schemas"]["Id"][];
                /** @description Whether it counts; true where nothing is said */
                enabled?: boolean;
                /** @description When the entry is deleted by itself, by the clock of the database; null: never */
                expires_at?: components["schemas"]["Timestamp"] | null;
            };
        };
        /**
         * @example {
         *       "filter": {
         *         "enabled": false
         *       }
         *     }
         */
        CdnSourcesChoice: {
            /** @description The filters of the list; they must mean no more than 10,000 entries */
            filter?: {
                /**
                 * @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it
                 * @example 8.8.8.8
                 */
                contains?: string;
                enabled?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            /** @description The entries that are meant; every one must exist in this module. Give `ids` or `filter` */
            ids?: components["schemas"]["Id"][];
        };
        /**
         * @example {
         *       "answers": [
         *         {
         *           "method": "POST",
         *           "path": "/v1/communities",
         *           "status": 200,
         *           "body": {
         *             "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "community": "65000:100",
         *             "title": "Customers"
         *           }
         *         }
         *       ]
         *     }
         */
        ChangesAnswer: {
            /** @description One for each change, in their order */
            answers: {
                /**
                 * @description What the operation answers; null where it answers nothing
                 * @example {
                 *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
                 *       "community": "65000:100",
                 *       "title": "Customers"
                 *     }
                 */
                body: {
                    [key: string]: unknown;
                } | null;
                /** @enum {string} */
                method: "POST" | "PATCH" | "DELETE";
                path: string;
                status: number;
            }[];
        };
        ChangesAnswerDryRun: {
            body: components["schemas"]["ChangesAnswer"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "changes": [
         *         {
         *           "method": "POST",
         *           "path": "/v1/communities",
         *           "body": {
         *             "community": "65000:300",
         *             "title": "CDN"
         *           }
         *         }
         *       ]
         *     }
         */
        ChangesRequest: {
            /** @description Writes, one after the other: each finds what those before it have changed */
            changes: components["schemas"]["PlannedChange"][];
        };
        /**
         * @description A network, or one address, such as `192.0.2.0/24` or `2001:db8::1`
         * @example 192.0.2.0/24
         */
        Cidr: string;
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "community": "65000:100",
         *       "title": "Cloud providers",
         *       "description": "Address ranges of a cloud provider",
         *       "color": "#3366cc",
         *       "next_hop_ipv4": "192.0.2.1",
         *       "next_hop_ipv6": "2001:db8::1"
         *     }
         */
        Community: {
            /** @description For people */
            color: string | null;
            /** @description `65000:100` (RFC 1997), `65000:1:100` (RFC 8092), or a well-known name such as `blackhole`; unique in the tenant */
            community: string;
            created_at: components["schemas"]["Timestamp"];
            /** @description For people */
            description: string | null;
            id: components["schemas"]["Id"];
            /** @description Next hop of its IPv4 routes at peers without one of their own, of `blackhole` at all peers (RFC 7999); null: that of the peer, else the speaker itself */
            next_hop_ipv4: string | null;
            /** @description Next hop of its IPv6 routes at peers without one of their own, of `blackhole` at all peers (RFC 7999); null: that of the peer, else the speaker itself */
            next_hop_ipv6: string | null;
            /**
             * Format: name
             * @description For people
             */
            title: string;
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community": "65000:100",
         *       "title": "Cloud providers",
         *       "announced": 1424,
         *       "withdrawn": 0,
         *       "changed": 0
         *     }
         */
        CommunityChanges: {
            /** @description Routes that got the community */
            announced: number;
            /** @description Routes that have it before and after, and other communities than before */
            changed: number;
            community: string;
            community_id: components["schemas"]["Id"];
            title: string;
            /** @description Routes that lost it */
            withdrawn: number;
        };
        /**
         * @example {
         *       "community": "65000:100",
         *       "title": "Cloud providers",
         *       "color": "#3366cc"
         *     }
         */
        CommunityCreate: {
            /** @description For people */
            color?: string | null;
            /** @description `65000:100` (RFC 1997), `65000:1:100` (RFC 8092), or a well-known name such as `blackhole`; unique in the tenant */
            community: string;
            /** @description For people */
            description?: string | null;
            /** @description Next hop of its IPv4 routes at peers without one of their own, of `blackhole` at all peers (RFC 7999); null: that of the peer, else the speaker itself */
            next_hop_ipv4?: string | null;
            /** @description Next hop of its IPv6 routes at peers without one of their own, of `blackhole` at all peers (RFC 7999); null: that of the peer, else the speaker itself */
            next_hop_ipv6?: string | null;
            /**
             * Format: name
             * @description For people
             */
            title: string;
        };
        CommunityDryRun: {
            body: components["schemas"]["Community"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        CommunityPage: {
            has_more: boolean;
            items: components["schemas"]["Community"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "title": "Clouds",
         *       "next_hop_ipv4": "192.0.2.1"
         *     }
         */
        CommunityPatch: {
            /** @description For people */
            color?: string | null;
            /** @description `65000:100` (RFC 1997), `65000:1:100` (RFC 8092), or a well-known name such as `blackhole`; unique in the tenant */
            community?: string;
            /** @description For people */
            description?: string | null;
            /** @description Next hop of its IPv4 routes at peers without one of their own, of `blackhole` at all peers (RFC 7999); null: that of the peer, else the speaker itself */
            next_hop_ipv4?: string | null;
            /** @description Next hop of its IPv6 routes at peers without one of their own, of `blackhole` at all peers (RFC 7999); null: that of the peer, else the speaker itself */
            next_hop_ipv6?: string | null;
            /**
             * Format: name
             * @description For people
             */
            title?: string;
        };
        /**
         * @description Of a prefix: how much of it is announced, by whichever speaker
         * @example {
         *       "state": "all",
         *       "missing": "198.51.100.0/26",
         *       "address": "192.0.2.2"
         *     }
         */
        Coverage: {
            /** @description The first address of `missing`, of which a lookup says why */
            address: string | null;
            /** @description The first part of it that no route has */
            missing: string | null;
            /**
             * @description `unknown`: the routes that are listed leave no gap, and there are more
             * @enum {string}
             */
            state: "all" | "part" | "none" | "unknown";
        };
        /**
         * @description What holds the sessions: `builtin` is part of the service, the others are routing daemons
         * @enum {string}
         */
        Daemon: "builtin" | "bird" | "frr" | "gobgp" | "openbgpd";
        /**
         * @example {
         *       "reachable": true,
         *       "version": "0.1.0",
         *       "router_id": "192.0.2.1",
         *       "uptime_seconds": 0,
         *       "last_reconfigured_at": "2026-01-31T12:00:00.000Z",
         *       "error": null,
         *       "sessions": [
         *         {
         *           "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "state": "idle",
         *           "since": "2026-01-31T12:00:00.000Z",
         *           "routes_exported": 0,
         *           "routes_received": 0,
         *           "updates_sent": 0,
         *           "last_error": null,
         *           "next_attempt_at": "2026-01-31T12:00:00.000Z"
         *         }
         *       ]
         *     }
         */
        DaemonReport: {
            error: string | null;
            last_reconfigured_at: components["schemas"]["Timestamp"] | null;
            /** @description Whether the daemon answers the agent */
            reachable: boolean;
            router_id: string | null;
            sessions: components["schemas"]["SessionReport"][];
            uptime_seconds: number | null;
            /** @description Of the daemon */
            version: string | null;
        };
        /**
         * @example {
         *       "deleted": 0,
         *       "ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "batch": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        DeletedEntries: {
            batch: components["schemas"]["RemovalBatch"];
            /** @description How many entries are gone */
            deleted: number;
            /** @description Which, in ascending order */
            ids: components["schemas"]["Id"][];
        };
        DeletedEntriesDryRun: {
            body: components["schemas"]["DeletedEntries"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /** @description As `GET /v1/events` has it; of `test`, a message */
        DeliveredData: components["schemas"]["JobEvent"] | components["schemas"]["RevisionEvent"] | components["schemas"]["SessionEvent"] | components["schemas"]["ApplyEvent"] | components["schemas"]["ModuleEvent"] | components["schemas"]["SourceEvent"] | components["schemas"]["TenantEvent"] | components["schemas"]["AuditEvent"] | components["schemas"]["ResetEvent"] | components["schemas"]["TestEvent"];
        /**
         * @example {
         *       "announced": 1424,
         *       "withdrawn": 0,
         *       "changed": 0,
         *       "by_family": {
         *         "ipv4": {
         *           "announced": 1424,
         *           "withdrawn": 0,
         *           "changed": 0
         *         },
         *         "ipv6": {
         *           "announced": 1424,
         *           "withdrawn": 0,
         *           "changed": 0
         *         }
         *       },
         *       "by_community": [
         *         {
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "title": "Cloud providers",
         *           "announced": 1424,
         *           "withdrawn": 0,
         *           "changed": 0
         *         }
         *       ],
         *       "by_module": [
         *         {
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "Cloud providers",
         *           "announced": 1424,
         *           "withdrawn": 0,
         *           "changed": 0
         *         }
         *       ]
         *     }
         */
        DiffBreakdown: {
            announced: number;
            /** @description Communities that any of these routes has or had, by their values */
            by_community: components["schemas"]["CommunityChanges"][];
            by_family: {
                ipv4: components["schemas"]["DiffSummary"];
                ipv6: components["schemas"]["DiffSummary"];
            };
            /** @description Modules with addresses in any of these routes, in either revision, the most routes first. A route of several modules counts at each */
            by_module: components["schemas"]["ModuleChanges"][];
            changed: number;
            withdrawn: number;
        };
        /**
         * @example {
         *       "family": "ipv4",
         *       "within": "8.0.0.0/8",
         *       "cell_length": 24,
         *       "added": "AAAA/4CA",
         *       "removed": "AAAA/4CA"
         *     }
         */
        DiffMap: {
            /**
             * @description 65,536 bytes in base64, one for each part of `within` by address: addresses that only the second revision announces; 0: nothing of it, 255: all of it, 1 to 254: the share in between. Along a Hilbert curve of order 8 they are a picture of 256 by 256
             * @example AAAA/4CA
             */
            added: string;
            /**
             * @description The prefix length of each part
             * @example 24
             */
            cell_length: number;
            family: components["schemas"]["FamilyName"];
            /**
             * @description 65,536 bytes in base64, one for each part of `within` by address: addresses that only the first revision announces; 0: nothing of it, 255: all of it, 1 to 254: the share in between. Along a Hilbert curve of order 8 they are a picture of 256 by 256
             * @example AAAA/4CA
             */
            removed: string;
            /**
             * @description What the map shows
             * @example 8.0.0.0/8
             */
            within: string;
        };
        /**
         * @example {
         *       "announced": 1424,
         *       "withdrawn": 0,
         *       "changed": 0
         *     }
         */
        DiffSummary: {
            announced: number;
            changed: number;
            withdrawn: number;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "Cloud providers",
         *       "url": "https://example.net/list.json",
         *       "method": "GET",
         *       "bootstrap_addresses": [
         *         "192.0.2.1"
         *       ],
         *       "client_subnet": "198.51.100.0/24",
         *       "timeout_ms": 100,
         *       "enabled": true,
         *       "headers": {}
         *     }
         */
        DohProfile: {
            /** @description Addresses to connect to, in this order, so that the URL's host need not be resolved. The certificate must still be that of the host */
            bootstrap_addresses: (string)[];
            /** @description Network sent along, so that the answers are those that clients there get (RFC 7871), such as `198.51.100.0/24`; `0.0.0.0/0` asks resolvers to send none themselves */
            client_subnet: string | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description Whether modules query it; default: true */
            enabled: boolean;
            /** @description Names only; values are never shown */
            headers: {
                [key: string]: null;
            };
            id: components["schemas"]["Id"];
            /**
             * @description Default: `POST`
             * @enum {string}
             */
            method: "GET" | "POST";
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /** @description For a connection, and for a query over it; default: 5000 */
            timeout_ms: number;
            updated_at: components["schemas"]["Timestamp"];
            /** @description https, as the template of RFC 8484 (`https://dns.example/dns-query{?dns}`) or without its variable */
            url: string;
        };
        /**
         * @example {
         *       "url": "https://dns.example/dns-query{?dns}",
         *       "bootstrap_addresses": [
         *         "192.0.2.53"
         *       ]
         *     }
         */
        DohProfileCreate: {
            /** @description Addresses to connect to, in this order, so that the URL's host need not be resolved. The certificate must still be that of the host */
            bootstrap_addresses?: (string)[];
            /** @description Network sent along, so that the answers are those that clients there get (RFC 7871), such as `198.51.100.0/24`; `0.0.0.0/0` asks resolvers to send none themselves */
            client_subnet?: string | null;
            /** @description Whether modules query it; default: true */
            enabled?: boolean;
            /** @description Sent with every question, such as an Authorization; kept encrypted and never shown again */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Default: `POST`
             * @enum {string}
             */
            method?: "GET" | "POST";
            /**
             * Format: name
             * @description Unique in the tenant; where nothing is said the URL's host, with a number if need be
             */
            name?: string;
            /** @description For a connection, and for a query over it; default: 5000 */
            timeout_ms?: number;
            /** @description https, as the template of RFC 8484 (`https://dns.example/dns-query{?dns}`) or without its variable */
            url: string;
        };
        DohProfileDryRun: {
            body: components["schemas"]["DohProfile"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        DohProfilePage: {
            has_more: boolean;
            items: components["schemas"]["DohProfile"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "method": "GET",
         *       "client_subnet": "198.51.100.0/24"
         *     }
         */
        DohProfilePatch: {
            /** @description Addresses to connect to, in this order, so that the URL's host need not be resolved. The certificate must still be that of the host */
            bootstrap_addresses?: (string)[];
            /** @description Network sent along, so that the answers are those that clients there get (RFC 7871), such as `198.51.100.0/24`; `0.0.0.0/0` asks resolvers to send none themselves */
            client_subnet?: string | null;
            /** @description Whether modules query it; default: true */
            enabled?: boolean;
            /** @description Sent with every question, such as an Authorization; kept encrypted and never shown again. Those not named stay, null removes one */
            headers?: {
                [key: string]: string | null;
            };
            /**
             * @description Default: `POST`
             * @enum {string}
             */
            method?: "GET" | "POST";
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name?: string;
            /** @description For a connection, and for a query over it; default: 5000 */
            timeout_ms?: number;
            /** @description https, as the template of RFC 8484 (`https://dns.example/dns-query{?dns}`) or without its variable */
            url?: string;
        };
        /**
         * @example {
         *       "strategy": "first_success",
         *       "quorum": 1,
         *       "families": [
         *         "ipv4"
         *       ],
         *       "retain_seconds": 86400,
         *       "max_addresses": 1000,
         *       "concurrency": 32
         *     }
         */
        DohResolverPolicy: {
            /**
             * @description Queries at a time
             * @default 32
             */
            concurrency: number;
            /** @description Record types to query: A, AAAA; default: the families of the module */
            families?: components["schemas"]["FamilyName"][];
            /**
             * @description Addresses kept for one domain, the last seen ones
             * @default 1000
             */
            max_addresses: number;
            /** @description Resolvers that must agree; default: more than half of them */
            quorum?: number;
            /**
             * @description An address stays this long after it was last seen
             * @default 86400
             */
            retain_seconds: number;
            /**
             * @description Which answers of several resolvers count: those of the first that answers, in the order of `doh_profile_ids`; those of any; or those that `quorum` of them give
             * @default first_success
             * @enum {string}
             */
            strategy: "first_success" | "union" | "quorum";
        };
        /**
         * @example {
         *       "domain": "example.com",
         *       "answers": [
         *         {
         *           "family": "ipv4",
         *           "addresses": [
         *             {
         *               "address": "192.0.2.2",
         *               "ttl": 300
         *             }
         *           ],
         *           "is_missing": true,
         *           "error": null,
         *           "milliseconds": 0
         *         }
         *       ]
         *     }
         */
        DohTest: {
            /** @description One for each family */
            answers: {
                addresses: {
                    address: string;
                    /** @description Seconds */
                    ttl: number;
                }[];
                /** @description Why there is no answer, and what to do */
                error: string | null;
                family: components["schemas"]["FamilyName"];
                /** @description The answer is that there is no such name (NXDOMAIN) */
                is_missing: boolean;
                /** @description The first query to end includes the time to connect */
                milliseconds: number;
            }[];
            domain: string;
        };
        /**
         * @example {
         *       "domain": "www.example.com"
         *     }
         */
        DohTestRequest: {
            /** @description Default: `example.com` */
            domain?: string;
        };
        /**
         * @example {
         *       "address": "192.0.2.2",
         *       "ttl": 300,
         *       "first_seen_at": "2026-01-31T12:00:00.000Z",
         *       "last_seen_at": "2026-01-31T12:00:00.000Z",
         *       "dropped": "Private-Use (RFC 1918)"
         *     }
         */
        DomainAddress: {
            address: string;
            /** @description Why the address contributes nothing, such as the special-purpose space that it is in; null: it contributes */
            dropped: string | null;
            first_seen_at: components["schemas"]["Timestamp"];
            last_seen_at: components["schemas"]["Timestamp"];
            /** @description Seconds, as last answered */
            ttl: number;
        };
        /**
         * @example {
         *       "filter": {
         *         "q": "old"
         *       },
         *       "patch": {
         *         "enabled": false
         *       }
         *     }
         */
        DomainEntriesChange: {
            /** @description The filters of the list; they must mean no more than 10,000 entries */
            filter?: {
                /**
                 * @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it
                 * @example 8.8.8.8
                 */
                contains?: string;
                enabled?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            /** @description The entries that are meant; every one must exist in this module. Give `ids` or `filter` */
            ids?: components["schemas"]["Id"][];
            /** @description What changes of each of them; what is left out stays */
            patch: {
                /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
                community_id?: components["schemas"]["Id"] | null;
                /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
                community_ids?: components["schemas"]["Id"][];
                /** @description Whether it counts; true where nothing is said */
                enabled?: boolean;
                /** @description When the entry is deleted by itself, by the clock of the database; null: never */
                expires_at?: components["schemas"]["Timestamp"] | null;
                /** @description For people; means nothing to the service */
                note?: string | null;
            };
        };
        /**
         * @example {
         *       "filter": {
         *         "enabled": false
         *       }
         *     }
         */
        DomainEntriesChoice: {
            /** @description The filters of the list; they must mean no more than 10,000 entries */
            filter?: {
                /**
                 * @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it
                 * @example 8.8.8.8
                 */
                contains?: string;
                enabled?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            /** @description The entries that are meant; every one must exist in this module. Give `ids` or `filter` */
            ids?: components["schemas"]["Id"][];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "domain": "example.com",
         *       "note": "Asked for by the network team",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "last_refreshed_at": "2026-01-31T12:00:00.000Z",
         *       "status": "pending",
         *       "last_error": null,
         *       "held": true,
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "addresses": [
         *         {
         *           "address": "192.0.2.2",
         *           "ttl": 300,
         *           "first_seen_at": "2026-01-31T12:00:00.000Z",
         *           "last_seen_at": "2026-01-31T12:00:00.000Z",
         *           "dropped": "Private-Use (RFC 1918)"
         *         }
         *       ]
         *     }
         */
        DomainEntry: {
            /** @description The last answers; an address stays for `retain_seconds` after it was last seen */
            addresses: components["schemas"]["DomainAddress"][];
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids: components["schemas"]["Id"][];
            created_at: components["schemas"]["Timestamp"];
            /** @description Lower-case A-labels without the final dot */
            domain: string;
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at: components["schemas"]["Timestamp"] | null;
            held: components["schemas"]["EntryHeld"];
            id: components["schemas"]["Id"];
            /** @description Why the last attempt failed, and what to do; null when it did not */
            last_error: string | null;
            /** @description When it was last read with success; null: never */
            last_refreshed_at: components["schemas"]["Timestamp"] | null;
            module_id: components["schemas"]["Id"];
            /** @description For people; means nothing to the service */
            note: string | null;
            prefix_count: components["schemas"]["PrefixCount"];
            status: components["schemas"]["EntryStatus"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "domain": "example.com",
         *       "note": "Asked for by the network team",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        DomainEntryCreate: {
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids?: components["schemas"]["Id"][];
            /** @description Fully qualified, in any case, in Unicode or A-labels, with or without the final dot */
            domain: string;
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description For people; means nothing to the service */
            note?: string | null;
        };
        DomainEntryCreateBulk: {
            items: components["schemas"]["DomainEntryCreate"][];
        };
        DomainEntryCreateOrDomainEntryCreateBulk: components["schemas"]["DomainEntryCreate"] | components["schemas"]["DomainEntryCreateBulk"];
        DomainEntryDryRun: {
            body: components["schemas"]["DomainEntry"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        DomainEntryList: {
            items: components["schemas"]["DomainEntry"][];
        };
        DomainEntryListDryRun: {
            body: components["schemas"]["DomainEntryList"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        DomainEntryOrDomainEntryList: components["schemas"]["DomainEntry"] | components["schemas"]["DomainEntryList"];
        DomainEntryOrDomainEntryListDryRun: {
            body: components["schemas"]["DomainEntryOrDomainEntryList"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        DomainEntryPage: {
            has_more: boolean;
            items: components["schemas"]["DomainEntry"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "enabled": false
         *     }
         */
        DomainEntryPatch: {
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids?: components["schemas"]["Id"][];
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description For people; means nothing to the service */
            note?: string | null;
        };
        /**
         * @example {
         *       "revision": {
         *         "state": "building",
         *         "prefix_count": {
         *           "ipv4": 1376,
         *           "ipv6": 48
         *         },
         *         "findings": [
         *           {
         *             "code": "not_found",
         *             "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *             "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "community": "65000:100",
         *             "examples": [
         *               "198.51.100.0/24"
         *             ],
         *             "lost": [
         *               "198.51.100.0/24"
         *             ],
         *             "measured": 1,
         *             "limit": 1
         *           }
         *         ],
         *         "quarantined": [
         *           {
         *             "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "findings": [
         *               {
         *                 "code": "not_found",
         *                 "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *                 "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "community": "65000:100",
         *                 "examples": [
         *                   "198.51.100.0/24"
         *                 ],
         *                 "lost": [
         *                   "198.51.100.0/24"
         *                 ],
         *                 "measured": 1,
         *                 "limit": 1
         *               }
         *             ],
         *             "snapshot": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60"
         *           }
         *         ]
         *       },
         *       "summary": {
         *         "announced": 1424,
         *         "withdrawn": 0,
         *         "changed": 0
         *       },
         *       "by_community": [
         *         {
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "title": "Cloud providers",
         *           "announced": 1424,
         *           "withdrawn": 0,
         *           "changed": 0
         *         }
         *       ],
         *       "items": [
         *         {
         *           "prefix": "198.51.100.0/24",
         *           "change": "announced",
         *           "communities_before": [
         *             {
         *               "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "title": "Cloud providers"
         *             }
         *           ],
         *           "communities_after": [
         *             {
         *               "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "title": "Cloud providers"
         *             }
         *           ]
         *         }
         *       ],
         *       "has_more": false,
         *       "speakers": [
         *         {
         *           "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "fra1",
         *           "announced": 1424,
         *           "withdrawn": 0,
         *           "changed": 0,
         *           "peers": [
         *             {
         *               "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "name": "edge1",
         *               "before": {
         *                 "ipv4": 1376,
         *                 "ipv6": 48
         *               },
         *               "after": {
         *                 "ipv4": 1376,
         *                 "ipv6": 48
         *               },
         *               "updated": 0,
         *               "withdrawn": 0,
         *               "lost": 0,
         *               "fitted_before": {
         *                 "ipv4": {
         *                   "added_addresses": "3072",
         *                   "added_percent": 1,
         *                   "optimal": true,
         *                   "added_prefixes": [
         *                     "198.51.100.128/25"
         *                   ]
         *                 },
         *                 "ipv6": {
         *                   "added_addresses": "3072",
         *                   "added_percent": 1,
         *                   "optimal": true,
         *                   "added_prefixes": [
         *                     "198.51.100.128/25"
         *                   ]
         *                 }
         *               },
         *               "fitted": {
         *                 "ipv4": {
         *                   "added_addresses": "3072",
         *                   "added_percent": 1,
         *                   "optimal": true,
         *                   "added_prefixes": [
         *                     "198.51.100.128/25"
         *                   ]
         *                 },
         *                 "ipv6": {
         *                   "added_addresses": "3072",
         *                   "added_percent": 1,
         *                   "optimal": true,
         *                   "added_prefixes": [
         *                     "198.51.100.128/25"
         *                   ]
         *                 }
         *               },
         *               "unfitted": "fitting its routes would add 3072 foreign IPv4 addresses, 12.5 % of its own, and the setting fit_max_added_percent is 10",
         *               "unfitted_cost": {
         *                 "ipv4": {
         *                   "added_addresses": "3072",
         *                   "added_percent": 1,
         *                   "optimal": true,
         *                   "added_prefixes": [
         *                     "198.51.100.128/25"
         *                   ]
         *                 },
         *                 "ipv6": {
         *                   "added_addresses": "3072",
         *                   "added_percent": 1,
         *                   "optimal": true,
         *                   "added_prefixes": [
         *                     "198.51.100.128/25"
         *                   ]
         *                 }
         *               },
         *               "session": "same"
         *             }
         *           ]
         *         }
         *       ],
         *       "tenants": [
         *         {
         *           "tenant_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "count": 1,
         *           "session": "same",
         *           "before": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           },
         *           "after": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           },
         *           "updated": 0
         *         }
         *       ],
         *       "expired": {
         *         "count": 1,
         *         "prefixes": [
         *           "198.51.100.0/24",
         *           "2001:db8::/32"
         *         ]
         *       },
         *       "latest_findings": [
         *         {
         *           "code": "not_found",
         *           "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "examples": [
         *             "198.51.100.0/24"
         *           ],
         *           "lost": [
         *             "198.51.100.0/24"
         *           ],
         *           "measured": 1,
         *           "limit": 1
         *         }
         *       ],
         *       "applied_by_itself": true,
         *       "other_changes": 0,
         *       "uncollected_module_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ]
         *     }
         */
        Effect: {
            /** @description An apply would be queued, and nothing holds it back */
            applied_by_itself: boolean;
            /** @description All of them, for each community that any of these routes has or had */
            by_community: components["schemas"]["CommunityChanges"][];
            /** @description Prefixes of an older revision that would be announced again although the time of their entries is over (`expires_at`), and that the latest revision does not announce */
            expired?: {
                count: number;
                /** @description The first 100 */
                prefixes: string[];
            };
            /** @description There are more of them than `items` has */
            has_more: boolean;
            /** @description At most 100 of them, IPv4 before IPv6, by address; others are left out before any that is withdrawn */
            items: components["schemas"]["RevisionChange"][];
            /** @description Guardrails that the latest revision breaks then, such as a limit that is set below what it has: it stays announced, and the next one that differs from it is held. Left out where there are none, and where a revision would follow */
            latest_findings?: components["schemas"]["Finding"][];
            /** @description Earlier edits that no revision holds yet: the next revision would have these too */
            other_changes: number;
            /** @description The revision that would follow; null: none would, since nothing changes that is announced */
            revision: components["schemas"]["NextRevision"] | null;
            /** @description Speakers whose routers would have something else than they have now, or are being brought to by an apply that has begun there or is being taken back, among the first 200 */
            speakers: components["schemas"]["SpeakerEffect"][];
            /** @description Routes that differ from the latest ready revision; of a change of a tenant, the most that differ at one of its speakers or sessions */
            summary: {
                announced: number;
                changed: number;
                withdrawn: number;
            };
            /** @description Where tenants would be changed, stopped or deleted: sessions of theirs that would end, begin or be sent other routes, by what becomes of them and without their names. What lists of the tenant bring that are built again then is not counted. Left out where no tenant is written */
            tenants?: components["schemas"]["TenantSessions"][];
            /** @description Modules with entries to be collected first: what these bring is not known, and not counted */
            uncollected_module_ids: components["schemas"]["Id"][];
        };
        /**
         * @example {
         *       "token": "pc_e_4hKq7Zt0VwXyB2nD9sLmR5uJcE8gTfA1iPoYk3x6HvQz_0aB3dE",
         *       "expires_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        EnrollmentToken: {
            expires_at: components["schemas"]["Timestamp"];
            /** @description The token itself, shown only in this answer; it works once */
            token: string;
        };
        /**
         * @example {
         *       "valid_seconds": 3600
         *     }
         */
        EnrollmentTokenCreate: {
            /**
             * @description How long it is valid
             * @default 3600
             */
            valid_seconds: number;
        };
        EnrollmentTokenDryRun: {
            body: components["schemas"]["EnrollmentToken"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "batch": "01900000-0000-7000-8000-000000000001"
         *     }
         */
        EntriesRestore: {
            /**
             * Format: uuid
             * @description `id` of GET …/removed-entries
             */
            batch: string;
            /**
             * @description Puts it back without the communities and resolvers that were deleted meanwhile. If it is false and some were, the answer is 409 and names them
             * @default false
             */
            leave_out_missing: boolean;
        };
        /** @description Whether its module is held because of this entry; `held` of the module says why */
        EntryHeld: boolean;
        /**
         * @example {
         *       "created": 0,
         *       "updated": 0,
         *       "unchanged": 0,
         *       "deleted": 0,
         *       "batch": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "dry_run": true
         *     }
         */
        EntryImport: {
            batch: components["schemas"]["RemovalBatch"];
            /** @description Entries that the module did not have */
            created: number;
            /** @description Entries that the file does not name, or with `mode=remove` those that it names; with `mode=append` always 0 */
            deleted: number;
            /** @description Whether this was a dry run that changed nothing */
            dry_run: boolean;
            /** @description Entries that it had just so; with `mode=remove`, those that it did not have */
            unchanged: number;
            /** @description Entries that it had with other values; they keep their ids and their last good prefixes */
            updated: number;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "status": "ok",
         *       "error": null,
         *       "modified": true,
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "rejected": 0,
         *       "bogons": 0
         *     }
         */
        EntryRefreshResult: {
            /** @description Prefixes of special-purpose space */
            bogons: number;
            /** @description Why it failed, and what to do */
            error: string | null;
            id: components["schemas"]["Id"];
            /** @description false: its source said that nothing had changed */
            modified: boolean;
            prefix_count: components["schemas"]["PrefixCount"];
            /** @description Lines or values that are no prefixes */
            rejected: number;
            /**
             * @description `stale`: it failed, and keeps its last good prefixes; `failed`: it failed, and has none
             * @enum {string}
             */
            status: "ok" | "stale" | "failed";
        };
        /**
         * @description Order of the list: `created_at`, or `name`, which is what is unique in the module: the range, the AS number, the domain, or the name; with `-` in front for descending
         * @default created_at
         * @enum {string}
         */
        EntrySort: "created_at" | "-created_at" | "name" | "-name";
        /**
         * @description `pending`: not read yet; `ok`: read, also where there was nothing (`last_error` says of a domain why); `stale`: the last attempt failed and the last good prefixes stay; `failed`: it has never had any
         * @enum {string}
         */
        EntryStatus: "pending" | "ok" | "stale" | "failed";
        /** @description Server-sent events; `contentSchema` describes one of them */
        EventStream: string;
        /** @description Its address families; default: both */
        Families: components["schemas"]["FamilyName"][];
        /** @enum {string} */
        FamilyName: "ipv4" | "ipv6";
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "drop",
         *       "description": "Address ranges of a cloud provider",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "module_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "families": [
         *         "ipv4"
         *       ],
         *       "format": "json",
         *       "max_prefixes": 1,
         *       "when_too_many": "fail",
         *       "allowed_networks": [
         *         "192.0.2.0/24"
         *       ],
         *       "enabled": true,
         *       "token_prefix": "pc_l_4hKq",
         *       "path": "/feeds/drop",
         *       "status": "pending",
         *       "last_error": null,
         *       "served": {
         *         "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "revision": 42,
         *         "prefix_count": {
         *           "ipv4": 1376,
         *           "ipv6": 48
         *         },
         *         "bytes": 45056,
         *         "fitted": {
         *           "ipv4": {
         *             "added_addresses": "3072",
         *             "added_percent": 1,
         *             "optimal": true,
         *             "added_prefixes": [
         *               "198.51.100.128/25"
         *             ]
         *           },
         *           "ipv6": {
         *             "added_addresses": "3072",
         *             "added_percent": 1,
         *             "optimal": true,
         *             "added_prefixes": [
         *               "198.51.100.128/25"
         *             ]
         *           }
         *         }
         *       },
         *       "last_fetched_at": "2026-01-31T12:00:00.000Z",
         *       "last_fetched_by": "192.0.2.2"
         *     }
         */
        Feed: {
            /** @description Networks that may fetch it, as the service sees their addresses; empty: all */
            allowed_networks: string[];
            /** @description Communities whose prefixes it has; with no `module_ids` and none here: all of the revision */
            community_ids: components["schemas"]["Id"][];
            created_at: components["schemas"]["Timestamp"];
            /** @description For people; means nothing to the service */
            description: string | null;
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            families: components["schemas"]["Families"];
            /**
             * @description `text` and `edl`: a prefix a line; `csv` with a header; `json`; `nft`: for `nft -f`; `ipset`: for `ipset restore`; `routeros`, `ios`, `junos`, `eos`, `bird`: an address or prefix list as configuration of these
             * @enum {string}
             */
            format: "text" | "csv" | "json" | "nft" | "ipset" | "routeros" | "ios" | "junos" | "eos" | "bird" | "edl";
            id: components["schemas"]["Id"];
            /** @description Why the last attempt failed, and what to do */
            last_error: string | null;
            /** @description Seconds behind */
            last_fetched_at: components["schemas"]["Timestamp"] | null;
            /** @description The address that fetched it last */
            last_fetched_by: string | null;
            /** @description How many of each family it may have; null: no limit */
            max_prefixes: number | null;
            /** @description Modules whose addresses it has, as far as the revision holds them */
            module_ids: components["schemas"]["Id"][];
            /**
             * @description Lower-case letters, digits and hyphens, at most 27, beginning with a letter; unique in the tenant, and part of the URL
             * @example drop
             */
            name: string;
            /**
             * @description Where it is fetched: `GET` with `?token=` or with the token as the password of Basic authentication
             * @example /feeds/drop
             */
            path: string;
            served: components["schemas"]["FeedContent"] | null;
            /**
             * @description `pending`: never made; `ok`: of the applied revision; `stale`: the last attempt failed and the last good content is served; `failed`: it has never had any. It is looked at when the feed is fetched or previewed
             * @enum {string}
             */
            status: "pending" | "ok" | "stale" | "failed";
            /** @description How its token begins */
            token_prefix: string;
            updated_at: components["schemas"]["Timestamp"];
            /**
             * @description With more than `max_prefixes`: `fail` keeps the last content; `fit` takes the cover with no more prefixes that adds the fewest addresses, none of them protected, excluded or special-purpose, and at most `fit_max_added_percent` (a setting)
             * @enum {string}
             */
            when_too_many: "fail" | "fit";
        };
        /**
         * @description What is served
         * @example {
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "revision": 42,
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "bytes": 45056,
         *       "fitted": {
         *         "ipv4": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         },
         *         "ipv6": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         }
         *       }
         *     }
         */
        FeedContent: {
            bytes: number;
            fitted: components["schemas"]["NamedFittedByFamily"];
            prefix_count: components["schemas"]["PrefixCount"];
            /** @description Its number */
            revision: number;
            revision_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "name": "drop",
         *       "format": "nft",
         *       "max_prefixes": 100000,
         *       "allowed_networks": [
         *         "192.0.2.0/24"
         *       ]
         *     }
         */
        FeedCreate: {
            /** @description Networks that may fetch it, as the service sees their addresses; empty: all */
            allowed_networks?: string[];
            /** @description Communities whose prefixes it has; with no `module_ids` and none here: all of the revision */
            community_ids?: components["schemas"]["Id"][];
            /** @description For people; means nothing to the service */
            description?: string | null;
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description Its address families; default: both */
            families?: components["schemas"]["FamilyName"][];
            /**
             * @description `text` and `edl`: a prefix a line; `csv` with a header; `json`; `nft`: for `nft -f`; `ipset`: for `ipset restore`; `routeros`, `ios`, `junos`, `eos`, `bird`: an address or prefix list as configuration of these
             * @enum {string}
             */
            format?: "text" | "csv" | "json" | "nft" | "ipset" | "routeros" | "ios" | "junos" | "eos" | "bird" | "edl";
            /** @description How many of each family it may have; null: no limit */
            max_prefixes?: number | null;
            /** @description Modules whose addresses it has, as far as the revision holds them */
            module_ids?: components["schemas"]["Id"][];
            /**
             * @description Lower-case letters, digits and hyphens, at most 27, beginning with a letter; unique in the tenant, and part of the URL
             * @example drop
             */
            name: string;
            /**
             * @description With more than `max_prefixes`: `fail` keeps the last content; `fit` takes the cover with no more prefixes that adds the fewest addresses, none of them protected, excluded or special-purpose, and at most `fit_max_added_percent` (a setting)
             * @enum {string}
             */
            when_too_many?: "fail" | "fit";
        };
        FeedDryRun: {
            body: components["schemas"]["Feed"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        FeedPage: {
            has_more: boolean;
            items: components["schemas"]["Feed"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "max_prefixes": 50000,
         *       "when_too_many": "fit"
         *     }
         */
        FeedPatch: {
            /** @description Networks that may fetch it, as the service sees their addresses; empty: all */
            allowed_networks?: string[];
            /** @description Communities whose prefixes it has; with no `module_ids` and none here: all of the revision */
            community_ids?: components["schemas"]["Id"][];
            /** @description For people; means nothing to the service */
            description?: string | null;
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description Its address families; default: both */
            families?: components["schemas"]["FamilyName"][];
            /**
             * @description `text` and `edl`: a prefix a line; `csv` with a header; `json`; `nft`: for `nft -f`; `ipset`: for `ipset restore`; `routeros`, `ios`, `junos`, `eos`, `bird`: an address or prefix list as configuration of these
             * @enum {string}
             */
            format?: "text" | "csv" | "json" | "nft" | "ipset" | "routeros" | "ios" | "junos" | "eos" | "bird" | "edl";
            /** @description How many of each family it may have; null: no limit */
            max_prefixes?: number | null;
            /** @description Modules whose addresses it has, as far as the revision holds them */
            module_ids?: components["schemas"]["Id"][];
            /**
             * @description Lower-case letters, digits and hyphens, at most 27, beginning with a letter; unique in the tenant, and part of the URL
             * @example drop
             */
            name?: string;
            /**
             * @description With more than `max_prefixes`: `fail` keeps the last content; `fit` takes the cover with no more prefixes that adds the fewest addresses, none of them protected, excluded or special-purpose, and at most `fit_max_added_percent` (a setting)
             * @enum {string}
             */
            when_too_many?: "fail" | "fit";
        };
        /**
         * @example {
         *       "content": {
         *         "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "revision": 42,
         *         "prefix_count": {
         *           "ipv4": 1376,
         *           "ipv6": 48
         *         },
         *         "bytes": 45056,
         *         "fitted": {
         *           "ipv4": {
         *             "added_addresses": "3072",
         *             "added_percent": 1,
         *             "optimal": true,
         *             "added_prefixes": [
         *               "198.51.100.128/25"
         *             ]
         *           },
         *           "ipv6": {
         *             "added_addresses": "3072",
         *             "added_percent": 1,
         *             "optimal": true,
         *             "added_prefixes": [
         *               "198.51.100.128/25"
         *             ]
         *           }
         *         }
         *       },
         *       "error": null,
         *       "text": "198.51.100.0/24\n2001:db8::/32\n"
         *     }
         */
        FeedPreview: {
            /** @description null: it cannot be made */
            content: components["schemas"]["FeedContent"] | null;
            /** @description Why it cannot be made */
            error: string | null;
            /** @description The first 4,096 characters */
            text: string;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "drop",
         *       "description": "Address ranges of a cloud provider",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "module_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "families": [
         *         "ipv4"
         *       ],
         *       "format": "json",
         *       "max_prefixes": 1,
         *       "when_too_many": "fail",
         *       "allowed_networks": [
         *         "192.0.2.0/24"
         *       ],
         *       "enabled": true,
         *       "token_prefix": "pc_l_4hKq",
         *       "path": "/feeds/drop",
         *       "status": "pending",
         *       "last_error": null,
         *       "served": {
         *         "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "revision": 42,
         *         "prefix_count": {
         *           "ipv4": 1376,
         *           "ipv6": 48
         *         },
         *         "bytes": 45056,
         *         "fitted": {
         *           "ipv4": {
         *             "added_addresses": "3072",
         *             "added_percent": 1,
         *             "optimal": true,
         *             "added_prefixes": [
         *               "198.51.100.128/25"
         *             ]
         *           },
         *           "ipv6": {
         *             "added_addresses": "3072",
         *             "added_percent": 1,
         *             "optimal": true,
         *             "added_prefixes": [
         *               "198.51.100.128/25"
         *             ]
         *           }
         *         }
         *       },
         *       "last_fetched_at": "2026-01-31T12:00:00.000Z",
         *       "last_fetched_by": "192.0.2.2",
         *       "token": "pc_e_4hKq7Zt0VwXyB2nD9sLmR5uJcE8gTfA1iPoYk3x6HvQz_0aB3dE"
         *     }
         */
        FeedWithToken: {
            /** @description Networks that may fetch it, as the service sees their addresses; empty: all */
            allowed_networks: string[];
            /** @description Communities whose prefixes it has; with no `module_ids` and none here: all of the revision */
            community_ids: components["schemas"]["Id"][];
            created_at: components["schemas"]["Timestamp"];
            /** @description For people; means nothing to the service */
            description: string | null;
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            families: components["schemas"]["Families"];
            /**
             * @description `text` and `edl`: a prefix a line; `csv` with a header; `json`; `nft`: for `nft -f`; `ipset`: for `ipset restore`; `routeros`, `ios`, `junos`, `eos`, `bird`: an address or prefix list as configuration of these
             * @enum {string}
             */
            format: "text" | "csv" | "json" | "nft" | "ipset" | "routeros" | "ios" | "junos" | "eos" | "bird" | "edl";
            id: components["schemas"]["Id"];
            /** @description Why the last attempt failed, and what to do */
            last_error: string | null;
            /** @description Seconds behind */
            last_fetched_at: components["schemas"]["Timestamp"] | null;
            /** @description The address that fetched it last */
            last_fetched_by: string | null;
            /** @description How many of each family it may have; null: no limit */
            max_prefixes: number | null;
            /** @description Modules whose addresses it has, as far as the revision holds them */
            module_ids: components["schemas"]["Id"][];
            /**
             * @description Lower-case letters, digits and hyphens, at most 27, beginning with a letter; unique in the tenant, and part of the URL
             * @example drop
             */
            name: string;
            /**
             * @description Where it is fetched: `GET` with `?token=` or with the token as the password of Basic authentication
             * @example /feeds/drop
             */
            path: string;
            served: components["schemas"]["FeedContent"] | null;
            /**
             * @description `pending`: never made; `ok`: of the applied revision; `stale`: the last attempt failed and the last good content is served; `failed`: it has never had any. It is looked at when the feed is fetched or previewed
             * @enum {string}
             */
            status: "pending" | "ok" | "stale" | "failed";
            token: string;
            /** @description How its token begins */
            token_prefix: string;
            updated_at: components["schemas"]["Timestamp"];
            /**
             * @description With more than `max_prefixes`: `fail` keeps the last content; `fit` takes the cover with no more prefixes that adds the fewest addresses, none of them protected, excluded or special-purpose, and at most `fit_max_added_percent` (a setting)
             * @enum {string}
             */
            when_too_many: "fail" | "fit";
        };
        FeedWithTokenDryRun: {
            body: components["schemas"]["FeedWithToken"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "code": "not_found",
         *       "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community": "65000:100",
         *       "examples": [
         *         "198.51.100.0/24"
         *       ],
         *       "lost": [
         *         "198.51.100.0/24"
         *       ],
         *       "measured": 1,
         *       "limit": 1
         *     }
         */
        Finding: {
            code: string;
            /** @description The community of the routes, where it is about those of one */
            community: string | null;
            /** @description What was found, where, and what to do */
            detail: string;
            entry_id: components["schemas"]["Id"] | null;
            /** @description Some of the prefixes concerned, at most 10 */
            examples: string[];
            /** @description What would have been good, in the same unit */
            limit: number | null;
            /** @description Which of the examples would be withdrawn: the others would be announced. Absent: it is about what is there, and not about a change */
            lost?: string[];
            /** @description What was measured: prefixes, bits of a length, or percent */
            measured: number | null;
            module_id: components["schemas"]["Id"] | null;
        };
        /**
         * @description What happens to packets that match; of several rules that match, the first one counts
         * @enum {string}
         */
        FirewallAction: "block" | "accept";
        /**
         * @example {
         *       "ruleset_hash": null,
         *       "status": "applied",
         *       "error": null,
         *       "hostname": "web-1.example.net",
         *       "version": "1.0.0",
         *       "counters": []
         *     }
         */
        FirewallApplyStatus: {
            counters: components["schemas"]["FirewallRuleCounter"][];
            /** @description Why it is not in force; null: it is */
            error: string | null;
            /** @description Of the rulesets that it has verified: it takes none with a lower one; null: none yet */
            highest_sequence?: number | null;
            /** @description Host name of the machine */
            hostname: string;
            /** @description Of the ruleset that the kernel holds; null: none */
            ruleset_hash: components["schemas"]["RulesetHash"] | null;
            /**
             * @description How the last attempt ended; `failed` and `reverted`: what was in force before is again
             * @enum {string}
             */
            status: "applied" | "failed" | "reverted";
            /** @description Of the program */
            version: string;
        };
        /**
         * @example {
         *       "ruleset_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60"
         *     }
         */
        FirewallApplyStatusTaken: {
            /** @description Of the ruleset that the client was last given; null: none yet */
            ruleset_hash: components["schemas"]["RulesetHash"] | null;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "Cloud providers",
         *       "policy": "block",
         *       "protected": [
         *         "192.0.2.0/24"
         *       ],
         *       "hostname": "router1",
         *       "version": "0.1.0",
         *       "last_seen_at": "2026-01-31T12:00:00.000Z",
         *       "online": true,
         *       "ruleset_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "applied_ruleset_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "wanted_ruleset_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "status": "pending",
         *       "last_error": null,
         *       "counters": [
         *         {
         *           "rule_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "packets": 0,
         *           "bytes": 45056
         *         }
         *       ]
         *     }
         */
        FirewallClient: {
            /** @description Of the ruleset that its kernel holds; null: none */
            applied_ruleset_hash: components["schemas"]["RulesetHash"] | null;
            /** @description What each rule has matched there */
            counters: components["schemas"]["FirewallRuleCounter"][];
            created_at: components["schemas"]["Timestamp"];
            /** @description Host name of the machine */
            hostname: string;
            id: components["schemas"]["Id"];
            /** @description Why the last ruleset is not in force, and what to do; null: it is */
            last_error: string | null;
            /** @description When it last reported, or asked what it is to apply, to within seconds; null: it has never reported */
            last_seen_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /** @description Whether it was seen in the last 35 seconds */
            online: boolean;
            policy: components["schemas"]["FirewallPolicy"];
            /** @description Networks that no rule cuts off from the host, such as those that it is administered from */
            protected: components["schemas"]["Cidr"][];
            /** @description Of the ruleset that it was last given; null: none yet */
            ruleset_hash: components["schemas"]["RulesetHash"] | null;
            status: components["schemas"]["FirewallClientStatus"];
            updated_at: components["schemas"]["Timestamp"];
            /** @description Of the program, as it reported; null: not yet */
            version: string | null;
            /**
             * @description With `wanted=true`: of the ruleset that it is to apply by the rules and the latest revision. A client whose kernel holds another one has not all of it yet
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60
             */
            wanted_ruleset_hash?: string;
        };
        FirewallClientDryRun: {
            body: components["schemas"]["FirewallClient"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        FirewallClientPage: {
            has_more: boolean;
            items: components["schemas"]["FirewallClient"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "policy": "accept",
         *       "protected": [
         *         "192.0.2.0/24"
         *       ]
         *     }
         */
        FirewallClientPatch: {
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name?: string;
            /**
             * @description `block`: what no rule names passes. `accept`: only what a rule accepts passes, in both directions, beside what protects the host
             * @enum {string}
             */
            policy?: "block" | "accept";
            /** @description Networks that no rule cuts off from the host, such as those that it is administered from */
            protected?: components["schemas"]["Cidr"][];
        };
        /**
         * @description `pending`: it has applied nothing yet; `failed`: it could not apply the last ruleset; `reverted`: it went back, because it could not reach the service with the last ruleset. In both cases the ruleset before stays in force
         * @enum {string}
         */
        FirewallClientStatus: "pending" | "applied" | "failed" | "reverted";
        /**
         * @description `in`: packets that come from the listed addresses; `out`: packets that go to them
         * @enum {string}
         */
        FirewallDirection: "in" | "out" | "both";
        /**
         * @example {
         *       "hostname": "web-1.example.net",
         *       "version": "1.0.0"
         *     }
         */
        FirewallEnroll: {
            /** @description Host name of the machine */
            hostname: string;
            /**
             * Format: name
             * @description Unique in the tenant; default: the host name, with a number where a client has it already
             */
            name?: string;
            /** @description Of the program */
            version: string;
        };
        /**
         * @example {
         *       "tenant_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "client_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "client": {
         *         "name": "Cloud providers",
         *         "policy": "block"
         *       },
         *       "api_key": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "secret": "pc_o_4hKq7Zt0VwXyB2nD9sLmR5uJcE8gTfA1iPoYk3x6HvQz_0aB3dE"
         *       },
         *       "signing_keys": [
         *         {
         *           "key_id": "5d41402abc4b2a76",
         *           "algorithm": "Ed25519",
         *           "public_key_pem": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
         *           "public_key": "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
         *           "not_before": "2026-01-31T12:00:00.000Z",
         *           "not_after": "2026-01-31T12:00:00.000Z",
         *           "active": true,
         *           "endorsed_by": "5d41402abc4b2a76",
         *           "endorsement": "nq2Pz0…"
         *         }
         *       ]
         *     }
         */
        FirewallEnrolled: {
            api_key: {
                id: components["schemas"]["Id"];
                /** @description The key that the client uses from now on, shown only in this answer */
                secret: string;
            };
            client: {
                /**
                 * Format: name
                 * @description Unique in the tenant, without case
                 */
                name: string;
                policy: components["schemas"]["FirewallPolicy"];
            };
            client_id: components["schemas"]["Id"];
            /** @description The keys whose signatures the client trusts */
            signing_keys: components["schemas"]["SigningKey"][];
            tenant_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "control_plane_url": "https://routes.example.net",
         *       "control_plane_url_source": "app_public_url",
         *       "configuration": {
         *         "ready": true,
         *         "missing": [
         *           "APP_PUBLIC_URL"
         *         ]
         *       },
         *       "bundle_seed": [
         *         {
         *           "key_id": "5d41402abc4b2a76",
         *           "algorithm": "Ed25519",
         *           "public_key_pem": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
         *           "public_key": "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
         *           "not_before": "2026-01-31T12:00:00.000Z",
         *           "not_after": "2026-01-31T12:00:00.000Z",
         *           "active": true,
         *           "endorsed_by": "5d41402abc4b2a76",
         *           "endorsement": "nq2Pz0…"
         *         }
         *       ],
         *       "install_command": "APP_FIREWALL_TOKEN=TOKEN prefixcast firewall enroll --control-url https://routes.example.net"
         *     }
         */
        FirewallInstallContext: {
            /** @description The public keys that a client pins: it takes no ruleset that another key signed */
            bundle_seed: components["schemas"]["SigningKey"][];
            configuration: {
                /** @description What to do first */
                missing: string[];
                /** @description Whether a client that enrolls now would work */
                ready: boolean;
            };
            /** @description Where clients reach the service */
            control_plane_url: string;
            /**
             * @description `request`: APP_PUBLIC_URL is not set, so this is what the request came by
             * @enum {string}
             */
            control_plane_url_source: "app_public_url" | "request";
            /** @description What to run on the host as root, with an enrollment token in place of TOKEN */
            install_command: string;
        };
        /**
         * @description `block`: what no rule names passes. `accept`: only what a rule accepts passes, in both directions, beside what protects the host
         * @enum {string}
         */
        FirewallPolicy: "block" | "accept";
        /**
         * @description `icmp` is ICMP for IPv4 and ICMPv6 for IPv6
         * @enum {string}
         */
        FirewallProtocol: "any" | "tcp" | "udp" | "icmp";
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "Cloud providers",
         *       "action": "block",
         *       "direction": "in",
         *       "module_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "cidrs": [
         *         "192.0.2.0/24"
         *       ],
         *       "protocol": "any",
         *       "ports": [
         *         "443"
         *       ],
         *       "priority": 0,
         *       "client_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "enabled": true
         *     }
         */
        FirewallRule: {
            action: components["schemas"]["FirewallAction"];
            /** @description Networks that it lists by itself */
            cidrs: components["schemas"]["Cidr"][];
            /** @description Clients that it is for; empty: all */
            client_ids: components["schemas"]["Id"][];
            /** @description Communities whose prefixes of the latest ready revision it lists */
            community_ids: components["schemas"]["Id"][];
            created_at: components["schemas"]["Timestamp"];
            direction: components["schemas"]["FirewallDirection"];
            /** @description Whether clients apply it */
            enabled: boolean;
            id: components["schemas"]["Id"];
            /** @description Modules whose addresses it lists, as far as the latest ready revision holds them */
            module_ids: components["schemas"]["Id"][];
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /** @description Only for `tcp` and `udp`; empty: every port */
            ports: string[];
            /** @description Rules apply in ascending order; those of equal priority in the order of their creation */
            priority: number;
            protocol: components["schemas"]["FirewallProtocol"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "rule_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "packets": 0,
         *       "bytes": 45056
         *     }
         */
        FirewallRuleCounter: {
            bytes: number;
            packets: number;
            rule_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "name": "scanners",
         *       "action": "block",
         *       "direction": "in",
         *       "cidrs": [
         *         "198.51.100.0/24"
         *       ]
         *     }
         */
        FirewallRuleCreate: {
            /**
             * @description What happens to packets that match; default: `block`
             * @enum {string}
             */
            action?: "block" | "accept";
            /** @description Networks that it lists by itself */
            cidrs?: components["schemas"]["Cidr"][];
            /** @description Clients that it is for; empty: all */
            client_ids?: components["schemas"]["Id"][];
            /** @description Communities whose prefixes of the latest ready revision it lists */
            community_ids?: components["schemas"]["Id"][];
            /**
             * @description Of the packets; default: `both`
             * @enum {string}
             */
            direction?: "in" | "out" | "both";
            /** @description Whether clients apply it */
            enabled?: boolean;
            /** @description Modules whose addresses it lists, as far as the latest ready revision holds them */
            module_ids?: components["schemas"]["Id"][];
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /** @description Only for `tcp` and `udp`; empty: every port */
            ports?: string[];
            /** @description Rules apply in ascending order; those of equal priority in the order of their creation */
            priority?: number;
            /**
             * @description Of the packets; default: `any`
             * @enum {string}
             */
            protocol?: "any" | "tcp" | "udp" | "icmp";
        };
        FirewallRuleDryRun: {
            body: components["schemas"]["FirewallRule"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        FirewallRulePage: {
            has_more: boolean;
            items: components["schemas"]["FirewallRule"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "priority": 100,
         *       "enabled": false
         *     }
         */
        FirewallRulePatch: {
            /**
             * @description What happens to packets that match; of several rules that match, the first one counts
             * @enum {string}
             */
            action?: "block" | "accept";
            /** @description Networks that it lists by itself */
            cidrs?: components["schemas"]["Cidr"][];
            /** @description Clients that it is for; empty: all */
            client_ids?: components["schemas"]["Id"][];
            /** @description Communities whose prefixes of the latest ready revision it lists */
            community_ids?: components["schemas"]["Id"][];
            /**
             * @description `in`: packets that come from the listed addresses; `out`: packets that go to them
             * @enum {string}
             */
            direction?: "in" | "out" | "both";
            /** @description Whether clients apply it */
            enabled?: boolean;
            /** @description Modules whose addresses it lists, as far as the latest ready revision holds them */
            module_ids?: components["schemas"]["Id"][];
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name?: string;
            /** @description Only for `tcp` and `udp`; empty: every port */
            ports?: string[];
            /** @description Rules apply in ascending order; those of equal priority in the order of their creation */
            priority?: number;
            /**
             * @description `icmp` is ICMP for IPv4 and ICMPv6 for IPv6
             * @enum {string}
             */
            protocol?: "any" | "tcp" | "udp" | "icmp";
        };
        /**
         * @example {
         *       "client_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "ruleset_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "sequence": 1,
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "manifest": "{\"format\":1,…}",
         *       "signature": "k3Jq9w…",
         *       "sets": [
         *         {
         *           "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *           "base": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *           "added": [
         *             "198.51.100.0/24"
         *           ],
         *           "removed": [
         *             "203.0.113.0/24"
         *           ]
         *         }
         *       ]
         *     }
         */
        FirewallRuleset: {
            client_id: components["schemas"]["Id"];
            /** @description What is signed, as canonical JSON (RFC 8785): policy, rules in order, hashes of their sets */
            manifest: string;
            /** @description The revision that the sets are drawn from; null: there is none yet */
            revision_id: components["schemas"]["Id"] | null;
            ruleset_hash: components["schemas"]["RulesetHash"];
            /** @description Rises with every change */
            sequence: number;
            /** @description Each set that the manifest names, once */
            sets: components["schemas"]["RulesetElements"][];
            /** @description Ed25519 over the bytes of `manifest`, base64 */
            signature: string;
        };
        /**
         * @example {
         *       "policy": "block",
         *       "valid_seconds": 3600
         *     }
         */
        FirewallTokenCreate: {
            /** @description A client that enrolls again, on a machine that was set up again; null or absent: a new client */
            client_id?: components["schemas"]["Id"] | null;
            /**
             * @description Policy of the new client; default: `block`
             * @enum {string}
             */
            policy?: "block" | "accept";
            /**
             * @description How long it is valid
             * @default 3600
             */
            valid_seconds: number;
        };
        /**
         * @example {
         *       "added_addresses": "3072",
         *       "added_percent": 1,
         *       "optimal": true
         *     }
         */
        Fitted: {
            /** @description How many, in decimal: addresses that no list has */
            added_addresses: string;
            /** @description Of those that lists have */
            added_percent: number;
            /** @description Whether fewer is impossible */
            optimal: boolean;
        };
        /**
         * @description What fitting adds; null: nothing
         * @example {
         *       "ipv4": {
         *         "added_addresses": "3072",
         *         "added_percent": 1,
         *         "optimal": true
         *       },
         *       "ipv6": {
         *         "added_addresses": "3072",
         *         "added_percent": 1,
         *         "optimal": true
         *       }
         *     }
         */
        FittedByFamily: {
            ipv4: components["schemas"]["Fitted"] | null;
            ipv6: components["schemas"]["Fitted"] | null;
        };
        /**
         * @example {
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "cost": {
         *         "ipv4": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         },
         *         "ipv6": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         }
         *       },
         *       "largest": [
         *         {
         *           "prefix": "198.51.100.0/24",
         *           "added_addresses": "3072"
         *         }
         *       ]
         *     }
         */
        FittedRoutes: {
            cost: components["schemas"]["NamedFittedByFamily"];
            /** @description The prefixes that add most */
            largest: {
                /** @description How many of its addresses no list has, in decimal */
                added_addresses: string;
                prefix: string;
            }[];
            /** @description Routes, by family */
            prefix_count: {
                ipv4: number;
                ipv6: number;
            };
        };
        /**
         * @example {
         *       "filter": {
         *         "q": "old"
         *       },
         *       "patch": {
         *         "enabled": false
         *       }
         *     }
         */
        GeofeedEntriesChange: {
            /** @description The filters of the list; they must mean no more than 10,000 entries */
            filter?: {
                /**
                 * @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it
                 * @example 8.8.8.8
                 */
                contains?: string;
                enabled?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            /** @description The entries that are meant; every one must exist in this module. Give `ids` or `filter` */
            ids?: components["schemas"]["Id"][];
            /** @description What changes of each of them; what is left out stays */
            patch: {
                /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
                community_id?: components["schemas"]["Id"] | null;
                /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
                community_ids?: components["schemas"]["Id"][];
                /** @description Whether it counts; true where nothing is said */
                enabled?: boolean;
                /** @description When the entry is deleted by itself, by the clock of the database; null: never */
                expires_at?: components["schemas"]["Timestamp"] | null;
            };
        };
        /**
         * @example {
         *       "filter": {
         *         "enabled": false
         *       }
         *     }
         */
        GeofeedEntriesChoice: {
            /** @description The filters of the list; they must mean no more than 10,000 entries */
            filter?: {
                /**
                 * @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it
                 * @example 8.8.8.8
                 */
                contains?: string;
                enabled?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            /** @description The entries that are meant; every one must exist in this module. Give `ids` or `filter` */
            ids?: components["schemas"]["Id"][];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "Cloud providers",
         *       "url": "https://example.net/list.json",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "headers": {},
         *       "last_refreshed_at": "2026-01-31T12:00:00.000Z",
         *       "status": "pending",
         *       "last_error": null,
         *       "held": true,
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "etag": "\"5f3c-61a2\"",
         *       "rejected_count": 0,
         *       "rejected": [
         *         {
         *           "line": 1,
         *           "text": "Administrative Reset",
         *           "reason": "Agreed with the network team"
         *         }
         *       ],
         *       "countries": [
         *         "DE",
         *         "FR"
         *       ],
         *       "regions": [
         *         "DE-BY"
         *       ]
         *     }
         */
        GeofeedEntry: {
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids: components["schemas"]["Id"][];
            /** @description ISO 3166-1 alpha-2 codes such as `DE`, in any case; shown in upper case and in order */
            countries: string[];
            created_at: components["schemas"]["Timestamp"];
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            /** @description Of the last good answer, for conditional requests */
            etag: string | null;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at: components["schemas"]["Timestamp"] | null;
            /** @description Names only; values are never shown */
            headers: {
                [key: string]: null;
            };
            held: components["schemas"]["EntryHeld"];
            id: components["schemas"]["Id"];
            /** @description Why the last attempt failed, and what to do; null when it did not */
            last_error: string | null;
            /** @description When it was last read with success; null: never */
            last_refreshed_at: components["schemas"]["Timestamp"] | null;
            module_id: components["schemas"]["Id"];
            /**
             * Format: name
             * @description Unique in the module, without case
             */
            name: string;
            prefix_count: components["schemas"]["PrefixCount"];
            /** @description ISO 3166-2 codes such as `US-CA`. If a country has regions here, only these are taken; other countries are taken whole */
            regions: string[];
            /** @description The first of them */
            rejected: components["schemas"]["RejectedLine"][];
            /** @description Lines or values of the last good answer that cannot be read, without comments and blank lines */
            rejected_count: number;
            status: components["schemas"]["EntryStatus"];
            updated_at: components["schemas"]["Timestamp"];
            /** @description http or https, without user and password */
            url: string;
        };
        /**
         * @example {
         *       "name": "Cloud providers",
         *       "url": "https://example.net/list.json",
         *       "countries": [
         *         "DE",
         *         "FR"
         *       ],
         *       "regions": [
         *         "DE-BY"
         *       ],
         *       "headers": {},
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        GeofeedEntryCreate: {
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids?: components["schemas"]["Id"][];
            /** @description ISO 3166-1 alpha-2 codes such as `DE`, in any case; shown in upper case and in order */
            countries: string[];
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description Sent with the request, but to no other origin after a redirect; kept encrypted and never shown again */
            headers?: {
                [key: string]: string;
            };
            /**
             * Format: name
             * @description Unique in the module, without case
             */
            name: string;
            /** @description ISO 3166-2 codes such as `US-CA`. If a country has regions here, only these are taken; other countries are taken whole */
            regions?: string[];
            /** @description http or https, without user and password */
            url: string;
        };
        GeofeedEntryCreateBulk: {
            items: components["schemas"]["GeofeedEntryCreate"][];
        };
        GeofeedEntryCreateOrGeofeedEntryCreateBulk: components["schemas"]["GeofeedEntryCreate"] | components["schemas"]["GeofeedEntryCreateBulk"];
        GeofeedEntryDryRun: {
            body: components["schemas"]["GeofeedEntry"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        GeofeedEntryList: {
            items: components["schemas"]["GeofeedEntry"][];
        };
        GeofeedEntryListDryRun: {
            body: components["schemas"]["GeofeedEntryList"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        GeofeedEntryOrGeofeedEntryList: components["schemas"]["GeofeedEntry"] | components["schemas"]["GeofeedEntryList"];
        GeofeedEntryOrGeofeedEntryListDryRun: {
            body: components["schemas"]["GeofeedEntryOrGeofeedEntryList"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        GeofeedEntryPage: {
            has_more: boolean;
            items: components["schemas"]["GeofeedEntry"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "countries": [
         *         "DE"
         *       ],
         *       "regions": []
         *     }
         */
        GeofeedEntryPatch: {
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids?: components["schemas"]["Id"][];
            /** @description ISO 3166-1 alpha-2 codes such as `DE`, in any case; shown in upper case and in order */
            countries?: string[];
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description Sent with the request, but to no other origin after a redirect; kept encrypted and never shown again. Those not named stay, null removes one */
            headers?: {
                [key: string]: string | null;
            };
            /**
             * Format: name
             * @description Unique in the module, without case
             */
            name?: string;
            /** @description ISO 3166-2 codes such as `US-CA`. If a country has regions here, only these are taken; other countries are taken whole */
            regions?: string[];
            /** @description http or https, without user and password */
            url?: string;
        };
        /**
         * @example {
         *       "url": "https://network.example/geofeed.csv",
         *       "countries": [
         *         "DE",
         *         "US"
         *       ],
         *       "regions": [
         *         "US-CA"
         *       ]
         *     }
         */
        GeofeedPreviewRequest: {
            /** @description ISO 3166-1 alpha-2 codes such as `DE`, in any case; shown in upper case and in order */
            countries: string[];
            /** @description Sent with the request, but to no other origin after a redirect; kept encrypted and never shown again */
            headers?: {
                [key: string]: string;
            };
            /** @description ISO 3166-2 codes such as `US-CA`. If a country has regions here, only these are taken; other countries are taken whole */
            regions?: string[];
            /** @description http or https, without user and password */
            url: string;
        };
        /**
         * @example {
         *       "status": "ok"
         *     }
         */
        Health: {
            /** @constant */
            status: "ok";
        };
        /** @description Why revisions use its last accepted snapshot instead of the latest, or the module as it was (`large_withdrawal`, `rolled_back`); null: they use the latest */
        Held: components["schemas"]["HeldModule"] | null;
        /**
         * @example {
         *       "name": "Cloud providers",
         *       "snapshot": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "findings": [
         *         {
         *           "code": "not_found",
         *           "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "examples": [
         *             "198.51.100.0/24"
         *           ],
         *           "lost": [
         *             "198.51.100.0/24"
         *           ],
         *           "measured": 1,
         *           "limit": 1
         *         }
         *       ],
         *       "also_held": [
         *         {
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "Cloud providers",
         *           "brings_back": 0,
         *           "keeps": 0
         *         }
         *       ],
         *       "summary": {
         *         "announced": 1424,
         *         "withdrawn": 0,
         *         "changed": 0
         *       },
         *       "items": [
         *         {
         *           "prefix": "198.51.100.0/24",
         *           "change": "announced",
         *           "communities_before": [
         *             {
         *               "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "title": "Cloud providers"
         *             }
         *           ],
         *           "communities_after": [
         *             {
         *               "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "title": "Cloud providers"
         *             }
         *           ]
         *         }
         *       ],
         *       "next_cursor": null,
         *       "has_more": false
         *     }
         */
        HeldDiff: {
            /** @description Other held modules that have some of the same routes, by name */
            also_held: components["schemas"]["AlsoHeld"][];
            /** @description All guardrails that a release would break now, each to be named in `override`; `held` may know of fewer */
            findings: components["schemas"]["Finding"][];
            has_more: boolean;
            items: components["schemas"]["RevisionChange"][];
            /** @description What the module is called, or was before it was deleted */
            name: string;
            next_cursor: string | null;
            /**
             * @description `held.snapshot` of the module: what would be released
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60
             */
            snapshot: string;
            summary: components["schemas"]["DiffSummary"];
        };
        /**
         * @example {
         *       "since": "2026-01-31T12:00:00.000Z",
         *       "snapshot": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "findings": [
         *         {
         *           "code": "not_found",
         *           "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "examples": [
         *             "198.51.100.0/24"
         *           ],
         *           "lost": [
         *             "198.51.100.0/24"
         *           ],
         *           "measured": 1,
         *           "limit": 1
         *         }
         *       ]
         *     }
         */
        HeldModule: {
            /** @description The guardrails that it breaks, and the entries that break them */
            findings: components["schemas"]["Finding"][];
            since: components["schemas"]["Timestamp"];
            /**
             * @description Names what is held: the content hash of the held snapshot; of a module that stays as it was, a hash of it as it would be
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60
             */
            snapshot: string;
        };
        /**
         * @example {
         *       "prefix": "203.0.113.0/24",
         *       "oldest": {
         *         "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "revision": 42,
         *         "created_at": "2026-01-31T12:00:00.000Z",
         *         "pruned_before": 0
         *       },
         *       "items": [
         *         {
         *           "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "revision": 42,
         *           "created_at": "2026-01-31T12:00:00.000Z",
         *           "trigger": {
         *             "kind": "refresh",
         *             "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "actor": "key:looking glass"
         *           },
         *           "rollback_of": 1,
         *           "previous_revision": 1,
         *           "pruned_between": 0,
         *           "change": "announced",
         *           "announced": "whole",
         *           "routes": [
         *             {
         *               "prefix": "203.0.112.0/23",
         *               "communities": [
         *                 {
         *                   "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                   "community": "65000:100",
         *                   "title": "Cloud providers"
         *                 }
         *               ]
         *             }
         *           ],
         *           "route_count": 0,
         *           "routes_before": [
         *             {
         *               "prefix": "203.0.112.0/23",
         *               "communities": [
         *                 {
         *                   "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                   "community": "65000:100",
         *                   "title": "Cloud providers"
         *                 }
         *               ]
         *             }
         *           ],
         *           "contributors": [
         *             {
         *               "module": {
         *                 "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "name": "Cloud providers"
         *               },
         *               "purpose": "announce",
         *               "entry": {
         *                 "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "type": "cdn_source",
         *                 "value": "198.51.100.0/24"
         *               },
         *               "change": "added",
         *               "prefixes": [
         *                 "198.51.100.0/24",
         *                 "2001:db8::/32"
         *               ],
         *               "prefix_count": 0
         *             }
         *           ],
         *           "contributor_count": 0,
         *           "applied": [
         *             {
         *               "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "speaker": "Frankfurt 1",
         *               "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "revision": 42,
         *               "applied_at": "2026-01-31T12:00:00.000Z",
         *               "until": "2026-01-31T12:00:00.000Z",
         *               "until_revision": 1
         *             }
         *           ]
         *         }
         *       ],
         *       "next_cursor": null,
         *       "has_more": false
         *     }
         */
        History: {
            /** @description A page may have fewer items than `limit` where it takes long to find them, even none */
            has_more: boolean;
            items: components["schemas"]["HistoryItem"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
            /** @description The oldest ready revision that is kept; null: there is none yet */
            oldest: components["schemas"]["HistoryStart"] | null;
            /**
             * @description In canonical form
             * @example 203.0.113.0/24
             */
            prefix: string;
        };
        /**
         * @example {
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "speaker": "Frankfurt 1",
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "revision": 42,
         *       "applied_at": "2026-01-31T12:00:00.000Z",
         *       "until": "2026-01-31T12:00:00.000Z",
         *       "until_revision": 1
         *     }
         */
        HistoryApply: {
            applied_at: components["schemas"]["Timestamp"];
            revision: number;
            revision_id: components["schemas"]["Id"];
            speaker: string;
            speaker_id: components["schemas"]["Id"];
            /** @description When another revision took its place at the speaker; null: it has this still, also while it is disabled */
            until: components["schemas"]["Timestamp"] | null;
            /** @description The number of that revision; null: it has this still */
            until_revision: number | null;
        };
        /**
         * @example {
         *       "module": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "name": "Cloud providers"
         *       },
         *       "purpose": "announce",
         *       "entry": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "type": "cdn_source",
         *         "value": "198.51.100.0/24"
         *       },
         *       "change": "added",
         *       "prefixes": [
         *         "198.51.100.0/24",
         *         "2001:db8::/32"
         *       ],
         *       "prefix_count": 0
         *     }
         */
        HistoryContributor: {
            /**
             * @description Against the revision before: whether the entry has any of these prefixes, and which
             * @enum {string}
             */
            change: "added" | "removed" | "changed" | "kept";
            entry: {
                id: components["schemas"]["Id"];
                /** @description null: the entry is gone */
                type: ("cdn_source" | "as_entry" | "domain_entry" | "ip_range_entry" | "geofeed_entry") | null;
                /** @description URL, AS number, domain or range; a URL as it was then, unless a file brought the one of now. Null: the entry is gone */
                value: string | null;
            };
            module: {
                id: components["schemas"]["Id"];
                /** @description As it is called now; null: it is gone */
                name: string | null;
            };
            /** @description How many these are */
            prefix_count: number;
            /** @description What the entry has around or inside the prefix, at most 10; of a removed one, what it had */
            prefixes: string[];
            /** @enum {string} */
            purpose: "announce" | "exclude";
        };
        /**
         * @example {
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "revision": 42,
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "trigger": {
         *         "kind": "refresh",
         *         "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "actor": "key:looking glass"
         *       },
         *       "rollback_of": 1,
         *       "previous_revision": 1,
         *       "pruned_between": 0,
         *       "change": "announced",
         *       "announced": "whole",
         *       "routes": [
         *         {
         *           "prefix": "203.0.112.0/23",
         *           "communities": [
         *             {
         *               "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "title": "Cloud providers"
         *             }
         *           ]
         *         }
         *       ],
         *       "route_count": 0,
         *       "routes_before": [
         *         {
         *           "prefix": "203.0.112.0/23",
         *           "communities": [
         *             {
         *               "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "title": "Cloud providers"
         *             }
         *           ]
         *         }
         *       ],
         *       "contributors": [
         *         {
         *           "module": {
         *             "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "name": "Cloud providers"
         *           },
         *           "purpose": "announce",
         *           "entry": {
         *             "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "type": "cdn_source",
         *             "value": "198.51.100.0/24"
         *           },
         *           "change": "added",
         *           "prefixes": [
         *             "198.51.100.0/24",
         *             "2001:db8::/32"
         *           ],
         *           "prefix_count": 0
         *         }
         *       ],
         *       "contributor_count": 0,
         *       "applied": [
         *         {
         *           "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "speaker": "Frankfurt 1",
         *           "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "revision": 42,
         *           "applied_at": "2026-01-31T12:00:00.000Z",
         *           "until": "2026-01-31T12:00:00.000Z",
         *           "until_revision": 1
         *         }
         *       ]
         *     }
         */
        HistoryItem: {
            /**
             * @description From this revision on: `whole`: one route contains the prefix; `part`: routes lie inside it
             * @enum {string}
             */
            announced: "whole" | "part" | "none";
            /** @description From when to when which speakers announced this; a speaker that left it and came back, as by an apply of an older revision, has an item for each time, the newest first, at most 5. Empty: none has. Applies that were taken back (canaries) do not count */
            applied: components["schemas"]["HistoryApply"][];
            /**
             * @description `announced` or `withdrawn`: routes of the prefix came where none was, or went; `changed`: other routes, or other communities; `contributed`: the same routes, from other entries
             * @enum {string}
             */
            change: "announced" | "withdrawn" | "changed" | "contributed";
            contributor_count: number;
            /** @description Entries with prefixes around or inside it, those that changed first; at most 50. Modules that exclude are among them */
            contributors: components["schemas"]["HistoryContributor"][];
            created_at: components["schemas"]["Timestamp"];
            /** @description The number of the ready revision before, against which this changed; null: this is the oldest that is kept, and all that it has counts as new */
            previous_revision: number | null;
            /** @description Revisions between the two that were pruned: any of them may have made the change */
            pruned_between: number;
            /** @description Its number */
            revision: number;
            revision_id: components["schemas"]["Id"];
            /** @description The number of the revision that it goes back to */
            rollback_of: number | null;
            route_count: number;
            /** @description The routes that contain the prefix, the longest first, then those inside it; at most 50 */
            routes: components["schemas"]["HistoryRoute"][];
            /** @description The same of the revision before */
            routes_before: components["schemas"]["HistoryRoute"][];
            trigger: components["schemas"]["RevisionTrigger"];
        };
        /**
         * @example {
         *       "prefix": "203.0.112.0/23",
         *       "communities": [
         *         {
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "title": "Cloud providers"
         *         }
         *       ]
         *     }
         */
        HistoryRoute: {
            communities: {
                community: string;
                community_id: components["schemas"]["Id"];
                title: string;
            }[];
            /** @example 203.0.112.0/23 */
            prefix: string;
        };
        /**
         * @example {
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "revision": 42,
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "pruned_before": 0
         *     }
         */
        HistoryStart: {
            created_at: components["schemas"]["Timestamp"];
            /** @description Revisions before it that were pruned, and are missing here */
            pruned_before: number;
            revision: number;
            revision_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "asn": 64500,
         *       "name": "Cloud providers",
         *       "range": "198.51.100.0/22"
         *     }
         */
        Holder: {
            asn: number;
            /** @description As the source calls it; null: it does not say */
            name: string | null;
            /**
             * @description Where it is the origin: a prefix around the addresses or inside them, or first and last address
             * @example 198.51.100.0/22
             */
            range: string;
        };
        /**
         * @example {
         *       "source": "ripestat https://stat.ripe.net/data/announced-prefixes/data.json",
         *       "items": [
         *         {
         *           "prefix": "198.51.100.0/24",
         *           "origins": [
         *             {
         *               "asn": 64500,
         *               "name": "Cloud providers",
         *               "range": "198.51.100.0/22"
         *             }
         *           ]
         *         }
         *       ]
         *     }
         */
        Holders: {
            /** @description One for each prefix, in their order */
            items: {
                /** @description ASes that announce these addresses or have registered them; empty: none is known */
                origins: components["schemas"]["Holder"][];
                /** @example 198.51.100.0/24 */
                prefix: string;
            }[];
            /**
             * @description What was asked, as `APP_ASN_SOURCE` has it
             * @example ripestat https://stat.ripe.net/data/announced-prefixes/data.json
             */
            source: string;
        };
        /**
         * @example {
         *       "prefixes": [
         *         "198.51.100.0/24"
         *       ]
         *     }
         */
        HoldersRequest: {
            prefixes: string[];
        };
        /**
         * Format: uuid
         * @description UUIDv7
         */
        Id: string;
        /**
         * @example {
         *       "filter": {
         *         "q": "old"
         *       },
         *       "patch": {
         *         "enabled": false
         *       }
         *     }
         */
        IpRangeEntriesChange: {
            /** @description The filters of the list; they must mean no more than 10,000 entries */
            filter?: {
                /**
                 * @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it
                 * @example 8.8.8.8
                 */
                contains?: string;
                enabled?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
            };
            /** @description The entries that are meant; every one must exist in this module. Give `ids` or `filter` */
            ids?: components["schemas"]["Id"][];
            /** @description What changes of each of them; what is left out stays */
            patch: {
                /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
                community_id?: components["schemas"]["Id"] | null;
                /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
                community_ids?: components["schemas"]["Id"][];
                /** @description Whether it counts; true where nothing is said */
                enabled?: boolean;
                /** @description When the entry is deleted by itself, by the clock of the database; null: never */
                expires_at?: components["schemas"]["Timestamp"] | null;
                /** @description For people; means nothing to the service */
                note?: string | null;
            };
        };
        /**
         * @example {
         *       "filter": {
         *         "enabled": false
         *       }
         *     }
         */
        IpRangeEntriesChoice: {
            /** @description The filters of the list; they must mean no more than 10,000 entries */
            filter?: {
                /**
                 * @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it
                 * @example 8.8.8.8
                 */
                contains?: string;
                enabled?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
            };
            /** @description The entries that are meant; every one must exist in this module. Give `ids` or `filter` */
            ids?: components["schemas"]["Id"][];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "cidr": "198.51.100.0/24",
         *       "note": "Asked for by the network team",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z",
         *       "held": true
         *     }
         */
        IpRangeEntry: {
            /** @description A prefix without host bits, or one address for its host prefix; unique in the module */
            cidr: string;
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids: components["schemas"]["Id"][];
            created_at: components["schemas"]["Timestamp"];
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at: components["schemas"]["Timestamp"] | null;
            held: components["schemas"]["EntryHeld"];
            id: components["schemas"]["Id"];
            module_id: components["schemas"]["Id"];
            /** @description For people; means nothing to the service */
            note: string | null;
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "cidr": "198.51.100.0/24",
         *       "note": "Asked for by the network team",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "expires_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        IpRangeEntryCreate: {
            /** @description A prefix without host bits, or one address for its host prefix; unique in the module */
            cidr: string;
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids?: components["schemas"]["Id"][];
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description For people; means nothing to the service */
            note?: string | null;
        };
        IpRangeEntryCreateBulk: {
            items: components["schemas"]["IpRangeEntryCreate"][];
        };
        IpRangeEntryCreateOrIpRangeEntryCreateBulk: components["schemas"]["IpRangeEntryCreate"] | components["schemas"]["IpRangeEntryCreateBulk"];
        IpRangeEntryDryRun: {
            body: components["schemas"]["IpRangeEntry"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        IpRangeEntryList: {
            items: components["schemas"]["IpRangeEntry"][];
        };
        IpRangeEntryListDryRun: {
            body: components["schemas"]["IpRangeEntryList"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        IpRangeEntryOrIpRangeEntryList: components["schemas"]["IpRangeEntry"] | components["schemas"]["IpRangeEntryList"];
        IpRangeEntryOrIpRangeEntryListDryRun: {
            body: components["schemas"]["IpRangeEntryOrIpRangeEntryList"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        IpRangeEntryPage: {
            has_more: boolean;
            items: components["schemas"]["IpRangeEntry"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "note": null,
         *       "enabled": false
         *     }
         */
        IpRangeEntryPatch: {
            /** @description A prefix without host bits, or one address for its host prefix; unique in the module */
            cidr?: string;
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description Communities of the routes, all of which they carry; empty: that of the module. `community_id` is the first of them, and writing it alone leaves the entry with that one */
            community_ids?: components["schemas"]["Id"][];
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description When the entry is deleted by itself, by the clock of the database; null: never */
            expires_at?: components["schemas"]["Timestamp"] | null;
            /** @description For people; means nothing to the service */
            note?: string | null;
        };
        Job: components["schemas"]["ModuleRefreshJob"] | components["schemas"]["RevisionBuildJob"] | components["schemas"]["ApplyJob"] | components["schemas"]["PeerReconcileJob"] | components["schemas"]["RevisionPruneJob"] | components["schemas"]["MaintenancePolicyRunJob"] | components["schemas"]["PostgresMaintenanceJob"] | components["schemas"]["RouterReloadJob"];
        JobDryRun: {
            body: components["schemas"]["Job"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @description Why the job failed, in the members of a problem
         * @example {
         *       "code": "refresh_failed",
         *       "title": "No source of the module could be read",
         *       "detail": "Cloud providers: 1 of 1 sources failed. answered HTTP 404. Check the URL."
         *     }
         */
        JobError: {
            code: string;
            /** @description What was wrong, where, and how to fix it */
            detail: string;
            title: string;
        };
        /**
         * @example {
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "type": "module_refresh",
         *       "state": "running",
         *       "progress": {
         *         "phase": "collect",
         *         "done": 0,
         *         "total": 0,
         *         "waiting_for": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "to_begin": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ]
         *       },
         *       "attempt": 0,
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       },
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "requested_by": "key:looking glass",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": null,
         *       "error": null
         *     }
         */
        JobEvent: {
            at: components["schemas"]["Timestamp"];
            attempt: number;
            error: components["schemas"]["JobError"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            parent_id: components["schemas"]["Id"] | null;
            progress: components["schemas"]["JobProgress"] | null;
            requested_by: string | null;
            resource: components["schemas"]["JobResource"] | null;
            started_at: components["schemas"]["Timestamp"] | null;
            state: components["schemas"]["JobState"];
            type: components["schemas"]["JobType"];
        };
        JobPage: {
            has_more: boolean;
            items: components["schemas"]["Job"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "phase": "collect",
         *       "done": 0,
         *       "total": 0,
         *       "waiting_for": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "to_begin": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ]
         *     }
         */
        JobProgress: {
            done: number;
            /**
             * @description The current phase, such as `collect`
             * @example collect
             */
            phase: string;
            /** @description Of an apply: speakers that begin once those before them have done well, 20 of them at most */
            to_begin?: components["schemas"]["Id"][];
            total: number | null;
            /** @description Of an apply: the speakers that it waits for, 20 of them at most */
            waiting_for?: components["schemas"]["Id"][];
        };
        /**
         * @description What the job is about: a module, a revision, a peer, a speaker, a community or a maintenance policy
         * @example {
         *       "type": "module",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        JobResource: {
            id: components["schemas"]["Id"];
            /** @example module */
            type: string;
        };
        /** @enum {string} */
        JobState: "queued" | "running" | "succeeded" | "failed" | "cancelled";
        /** @enum {string} */
        JobType: "module_refresh" | "revision_build" | "apply" | "peer_reconcile" | "revision_prune" | "maintenance_policy_run" | "postgres_maintenance" | "router_reload";
        /**
         * @example {
         *       "key": "guard_max_prefixes",
         *       "type": "integer",
         *       "default": 1000000,
         *       "minimum": 1,
         *       "maximum": 1,
         *       "description": "A revision with more prefixes, both families together, is held"
         *     }
         */
        KnownSetting: {
            /** @example 1000000 */
            default: boolean | number | string | string[] | null;
            /** @example A revision with more prefixes, both families together, is held */
            description: string;
            key: string;
            maximum: number | null;
            minimum: number | null;
            /** @description boolean, integer, a list, an id, or the values allowed */
            type: string;
        };
        /**
         * @example {
         *       "status": "running",
         *       "error": null,
         *       "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        LastApply: {
            /** @description Why the last attempt failed, and what to do; null when it did not */
            error: string | null;
            job_id: components["schemas"]["Id"] | null;
            /**
             * @description `partial`: it runs the revision, but not every peer has it; `error` names these
             * @enum {string}
             */
            status: "running" | "ok" | "partial" | "failed";
        };
        /**
         * @example {
         *       "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "peer_name": "edge1",
         *       "address": "192.0.2.2",
         *       "remote_asn": 64500,
         *       "was_established": true,
         *       "routes_exported": 1,
         *       "reported_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        LastKnownSession: {
            address: string;
            peer_id: components["schemas"]["Id"];
            peer_name: string;
            remote_asn: number;
            reported_at: components["schemas"]["Timestamp"];
            /** @description Routes that the peer held from it then */
            routes_exported: number;
            /** @description Whether it was up then */
            was_established: boolean;
        };
        /**
         * @example {
         *       "status": "ok",
         *       "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "error": null
         *     }
         */
        LastRefresh: {
            /** @description Why the last attempt failed, and what to do; null when it did not */
            error: string | null;
            job_id: components["schemas"]["Id"] | null;
            /**
             * @description `partial`: some entries failed, and keep their last good prefixes; `failed`: all did
             * @enum {string}
             */
            status: "ok" | "partial" | "failed";
        };
        /**
         * @example {
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "sequence": 1,
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "revision_number": 0,
         *       "content_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "bundle": {
         *         "url": "https://example.net/list.json",
         *         "length": 1,
         *         "sha256": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60"
         *       },
         *       "expires_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        LatestBundle: {
            bundle: {
                /** @description Bytes of the whole bundle */
                length: number;
                /** @description Of the whole bundle */
                sha256: string;
                /** @description Path of the whole bundle; with `&from=` of what changed since a revision */
                url: string;
            };
            /** @description Of the routes */
            content_hash: string;
            /**
             * Format: date-time
             * @description A node accepts the bundle until then
             */
            expires_at: string;
            /**
             * Format: uuid
             * @description The revision that the routes are; `00000000-0000-0000-0000-000000000000`: none, the speaker is to withdraw everything
             */
            revision_id: string;
            /** @description 0: no revision */
            revision_number: number;
            /** @description Higher than that of every earlier state of the speaker */
            sequence: number;
            speaker_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "peer_name": "edge1",
         *       "address": "192.0.2.2",
         *       "remote_asn": 64500,
         *       "state": "idle",
         *       "since": "2026-01-31T12:00:00.000Z",
         *       "routes_exported": 1,
         *       "routes_received": 1,
         *       "updates_sent": 1,
         *       "reverted": {
         *         "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "tried_revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "since": "2026-01-31T12:00:00.000Z",
         *         "error": "It ended the session (Cease, Administrative Reset). See its log.",
         *         "notification": {
         *           "direction": "received",
         *           "code": 6,
         *           "subcode": 4,
         *           "name": "Cease",
         *           "text": "Administrative Reset"
         *         }
         *       },
         *       "last_error": null,
         *       "next_attempt_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        LiveSession: {
            address: string;
            /** @description Why the last attempt failed, and what to do; null when it did not */
            last_error: string | null;
            next_attempt_at: components["schemas"]["NextAttempt"];
            peer_id: components["schemas"]["Id"];
            peer_name: string;
            remote_asn: number;
            reverted: components["schemas"]["Reverted"];
            /** @description Routes that the peer holds from it, both families together */
            routes_exported: number;
            /** @description Counted and discarded: a speaker imports nothing */
            routes_received: number;
            since: components["schemas"]["Timestamp"];
            state: components["schemas"]["SessionStateName"];
            /** @description UPDATE messages since the session came up */
            updates_sent: number;
        };
        /**
         * @example {
         *       "query": "198.51.100.7",
         *       "kind": "ip",
         *       "normalized": "198.51.100.7",
         *       "matches": [
         *         {
         *           "layer": "entry",
         *           "module": {
         *             "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "name": "Cloud providers",
         *             "type": "CDN_SOURCES"
         *           },
         *           "entry": {
         *             "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "type": "cdn_source",
         *             "value": "198.51.100.0/24",
         *             "expires_at": "2026-01-31T12:00:00.000Z"
         *           },
         *           "prefix": "198.51.100.0/24",
         *           "domain": "example.com",
         *           "source": "cdn",
         *           "collected_at": "2026-01-31T12:00:00.000Z",
         *           "community": {
         *             "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "value": "65000:100",
         *             "title": "Cloud providers"
         *           },
         *           "communities": [
         *             {
         *               "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "value": "65000:100",
         *               "title": "Cloud providers"
         *             }
         *           ]
         *         }
         *       ],
         *       "announced": [
         *         {
         *           "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "prefix": "198.51.100.0/24",
         *           "communities": [
         *             {
         *               "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "title": "Cloud providers"
         *             }
         *           ],
         *           "speaker_ids": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ]
         *         }
         *       ],
         *       "not_announced": [
         *         {
         *           "reason": "excluded",
         *           "address": "192.0.2.2",
         *           "module": {
         *             "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "name": "Cloud providers",
         *             "type": "CDN_SOURCES"
         *           },
         *           "entry": {
         *             "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "type": "cdn_source",
         *             "value": "198.51.100.0/24"
         *           },
         *           "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "revision": 42,
         *           "speaker_ids": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ],
         *           "peer_ids": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ],
         *           "detail": "Revision 42 was not applied yet. Apply it: POST /v1/apply."
         *         }
         *       ],
         *       "coverage": {
         *         "state": "all",
         *         "missing": "198.51.100.0/26",
         *         "address": "192.0.2.2"
         *       },
         *       "has_more": false
         *     }
         */
        Lookup: {
            announced: components["schemas"]["LookupAnnounced"][];
            coverage?: components["schemas"]["Coverage"];
            /** @description Of a prefix: true where more than 100 prefixes of one layer, or routes, lie inside it; these are not listed */
            has_more?: boolean;
            /** @enum {string} */
            kind: "ip" | "prefix" | "fqdn";
            matches: components["schemas"]["LookupMatch"][];
            /** @example 198.51.100.7 */
            normalized: string;
            /** @description Why it is not announced, or not by some enabled speakers, or not to some peers, and which peers still hold what is announced no more; empty where all of them announce it, where no list has it, and with `at`. For a prefix, of its first address */
            not_announced: components["schemas"]["NotAnnounced"][];
            /** @example 198.51.100.7 */
            query: string;
        };
        /**
         * @example {
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "prefix": "198.51.100.0/24",
         *       "communities": [
         *         {
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "title": "Cloud providers"
         *         }
         *       ],
         *       "speaker_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ]
         *     }
         */
        LookupAnnounced: {
            communities: {
                community: string;
                community_id: components["schemas"]["Id"];
                title: string;
            }[];
            prefix: string;
            revision_id: components["schemas"]["Id"];
            speaker_ids: components["schemas"]["Id"][];
        };
        /**
         * @example {
         *       "layer": "entry",
         *       "module": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "name": "Cloud providers",
         *         "type": "CDN_SOURCES"
         *       },
         *       "entry": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "type": "cdn_source",
         *         "value": "198.51.100.0/24",
         *         "expires_at": "2026-01-31T12:00:00.000Z"
         *       },
         *       "prefix": "198.51.100.0/24",
         *       "domain": "example.com",
         *       "source": "cdn",
         *       "collected_at": "2026-01-31T12:00:00.000Z",
         *       "community": {
         *         "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "value": "65000:100",
         *         "title": "Cloud providers"
         *       },
         *       "communities": [
         *         {
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "value": "65000:100",
         *           "title": "Cloud providers"
         *         }
         *       ]
         *     }
         */
        LookupMatch: {
            collected_at: components["schemas"]["Timestamp"] | null;
            /** @description Which its routes carry, all of them */
            communities: {
                community_id: components["schemas"]["Id"];
                title: string;
                value: string;
            }[];
            /** @description The first of `communities` */
            community: {
                community_id: components["schemas"]["Id"];
                title: string;
                value: string;
            } | null;
            domain?: string;
            entry: {
                /** @description When it leaves by itself; null: never */
                expires_at: components["schemas"]["Timestamp"] | null;
                id: components["schemas"]["Id"];
                /** @enum {string} */
                type: "cdn_source" | "as_entry" | "domain_entry" | "ip_range_entry" | "geofeed_entry";
                /** @description URL, AS number, domain or range */
                value: string;
            };
            /** @enum {string} */
            layer: "entry" | "snapshot";
            module: {
                id: components["schemas"]["Id"];
                name: string;
                /** @enum {string} */
                type: "CDN_SOURCES" | "AS_PREFIXES" | "DOMAINS" | "IP_RANGES" | "GEOFEED";
            };
            prefix?: string;
            /** @enum {string} */
            source: "cdn" | "as" | "domain" | "ip_range" | "geofeed";
        };
        /**
         * @example {
         *       "queries": [
         *         "8.8.8.8",
         *         "198.51.100.0/24",
         *         "www.example.com"
         *       ]
         *     }
         */
        LookupRequest: {
            at?: string | number;
            /** @description What to look up; at most 100 of them domain names */
            queries: string[];
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "query": "198.51.100.7",
         *           "kind": "ip",
         *           "normalized": "198.51.100.7",
         *           "matches": [
         *             {
         *               "layer": "entry",
         *               "module": {
         *                 "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "name": "Cloud providers",
         *                 "type": "CDN_SOURCES"
         *               },
         *               "entry": {
         *                 "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "type": "cdn_source",
         *                 "value": "198.51.100.0/24",
         *                 "expires_at": "2026-01-31T12:00:00.000Z"
         *               },
         *               "prefix": "198.51.100.0/24",
         *               "domain": "example.com",
         *               "source": "cdn",
         *               "collected_at": "2026-01-31T12:00:00.000Z",
         *               "community": {
         *                 "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "value": "65000:100",
         *                 "title": "Cloud providers"
         *               },
         *               "communities": [
         *                 {
         *                   "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                   "value": "65000:100",
         *                   "title": "Cloud providers"
         *                 }
         *               ]
         *             }
         *           ],
         *           "announced": [
         *             {
         *               "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "prefix": "198.51.100.0/24",
         *               "communities": [
         *                 {
         *                   "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                   "community": "65000:100",
         *                   "title": "Cloud providers"
         *                 }
         *               ],
         *               "speaker_ids": [
         *                 "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *               ]
         *             }
         *           ],
         *           "not_announced": [
         *             {
         *               "reason": "excluded",
         *               "address": "192.0.2.2",
         *               "module": {
         *                 "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "name": "Cloud providers",
         *                 "type": "CDN_SOURCES"
         *               },
         *               "entry": {
         *                 "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "type": "cdn_source",
         *                 "value": "198.51.100.0/24"
         *               },
         *               "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "revision": 42,
         *               "speaker_ids": [
         *                 "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *               ],
         *               "peer_ids": [
         *                 "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *               ],
         *               "detail": "Revision 42 was not applied yet. Apply it: POST /v1/apply."
         *             }
         *           ],
         *           "coverage": {
         *             "state": "all",
         *             "missing": "198.51.100.0/26",
         *             "address": "192.0.2.2"
         *           },
         *           "has_more": false
         *         }
         *       ]
         *     }
         */
        Lookups: {
            items: components["schemas"]["Lookup"][];
        };
        /**
         * @example {
         *       "kind": "revision_prune",
         *       "dry_run": true,
         *       "count": 0,
         *       "bytes": 45056,
         *       "names": [
         *         "Revision 17",
         *         "Revision 18"
         *       ]
         *     }
         */
        MaintenanceEffect: {
            /** @description What they take, as stored */
            bytes: number;
            /** @description Revisions, jobs, records or files */
            count: number;
            dry_run: boolean;
            kind: components["schemas"]["MaintenanceKind"];
            /** @description The first 100 of them */
            names: string[];
        };
        MaintenanceEffectDryRun: {
            body: components["schemas"]["MaintenanceEffect"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @description `revision_prune` removes old revisions, and contents that no other revision uses; `job_prune` removes jobs that ended long ago; `audit_prune` removes old records of the audit log, except those that a portal has not been sent, and those of next hops that speakers have yet to be sent; `runtime_logs_cleanup` empties or deletes log files, as the automatic cleanup does; `postgres_vacuum` makes the room of dead rows in tables free for new ones; `postgres_analyze` renews what the planner knows of tables; `postgres_reindex` builds the indexes of tables again
         * @enum {string}
         */
        MaintenanceKind: "revision_prune" | "job_prune" | "audit_prune" | "runtime_logs_cleanup" | "postgres_vacuum" | "postgres_analyze" | "postgres_reindex";
        /**
         * @description What the kind takes; each has a default
         * @example {
         *       "older_than_days": 0,
         *       "keep_last": 0,
         *       "max_file_bytes": 0,
         *       "max_total_bytes": 0,
         *       "tables": [
         *         "audit_record"
         *       ],
         *       "mode": "truncate"
         *     }
         */
        MaintenanceParameters: {
            /** @description This number of the newest stay, however old: of `revision_prune` and `job_prune` */
            keep_last?: number;
            /** @description As the setting `runtime_logs_…` of the same name; null: what the setting says */
            max_file_bytes?: number | null;
            /** @description As the setting `runtime_logs_…` of the same name; null: what the setting says */
            max_total_bytes?: number | null;
            /** @description Of `runtime_logs_cleanup`; null: as the setting `runtime_logs_auto_mode` */
            mode?: components["schemas"]["RuntimeLogMode"] | null;
            /** @description Only what is older than this number of days: of `revision_prune` (null: than the setting `revision_retention_minutes`), `job_prune` and `audit_prune` (30 at least) */
            older_than_days?: number | null;
            /** @description Of the `tables` of `GET /v1/postgres/metrics`; none: all of them: of `postgres_vacuum`, `postgres_analyze` and `postgres_reindex` */
            tables?: string[];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "kind": "revision_prune",
         *       "name": "Cloud providers",
         *       "parameters": {
         *         "older_than_days": 0,
         *         "keep_last": 0,
         *         "max_file_bytes": 0,
         *         "max_total_bytes": 0,
         *         "tables": [
         *           "audit_record"
         *         ],
         *         "mode": "truncate"
         *       },
         *       "schedule": "0 4 * * 0",
         *       "enabled": true,
         *       "next_run_at": "2026-01-31T12:00:00.000Z",
         *       "last_run": {
         *         "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "state": "queued",
         *         "queued_at": "2026-01-31T12:00:00.000Z",
         *         "finished_at": "2026-01-31T12:00:04.000Z"
         *       }
         *     }
         */
        MaintenancePolicy: {
            created_at: components["schemas"]["Timestamp"];
            /** @description false: it runs only when asked; default: true */
            enabled: boolean;
            id: components["schemas"]["Id"];
            kind: components["schemas"]["MaintenanceKind"];
            /** @description null: it has not run */
            last_run: components["schemas"]["MaintenanceRun"] | null;
            /**
             * Format: name
             * @description Unique in the tenant
             */
            name: string;
            /** @description null: it is disabled, or has no schedule */
            next_run_at: components["schemas"]["Timestamp"] | null;
            parameters: components["schemas"]["MaintenanceParameters"];
            /** @description Minute, hour, day of the month, month and weekday (cron), in UTC; null: only when asked */
            schedule: string | null;
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "name": "Old jobs",
         *       "kind": "job_prune",
         *       "schedule": "0 4 * * 0",
         *       "parameters": {
         *         "older_than_days": 30,
         *         "keep_last": 500
         *       }
         *     }
         */
        MaintenancePolicyCreate: {
            /** @description false: it runs only when asked; default: true */
            enabled?: boolean;
            kind: components["schemas"]["MaintenanceKind"];
            /**
             * Format: name
             * @description Unique in the tenant
             */
            name: string;
            parameters?: components["schemas"]["MaintenanceParameters"];
            /** @description Minute, hour, day of the month, month and weekday (cron), in UTC; null: only when asked */
            schedule?: string | null;
        };
        MaintenancePolicyDryRun: {
            body: components["schemas"]["MaintenancePolicy"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        MaintenancePolicyPage: {
            has_more: boolean;
            items: components["schemas"]["MaintenancePolicy"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "enabled": false
         *     }
         */
        MaintenancePolicyPatch: {
            /** @description false: it runs only when asked; default: true */
            enabled?: boolean;
            /**
             * Format: name
             * @description Unique in the tenant
             */
            name?: string;
            parameters?: components["schemas"]["MaintenanceParameters"];
            /** @description Minute, hour, day of the month, month and weekday (cron), in UTC; null: only when asked */
            schedule?: string | null;
        };
        /**
         * @example {
         *       "type": "maintenance_policy_run",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "state": "queued",
         *       "progress": {
         *         "phase": "collect",
         *         "done": 0,
         *         "total": 0,
         *         "waiting_for": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "to_begin": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ]
         *       },
         *       "attempt": 0,
         *       "queued_at": "2026-01-31T12:00:00.000Z",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:04.000Z",
         *       "error": null,
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       },
         *       "requested_by": "key:looking glass",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "result": {
         *         "kind": "revision_prune",
         *         "dry_run": true,
         *         "count": 0,
         *         "bytes": 45056,
         *         "names": [
         *           "Revision 17",
         *           "Revision 18"
         *         ]
         *       }
         *     }
         */
        MaintenancePolicyRunJob: {
            /** @description How often it was begun */
            attempt: number;
            created_at: components["schemas"]["Timestamp"];
            /** @description Null: it has not failed */
            error: components["schemas"]["JobError"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            /** @description The job that it was queued by */
            parent_id: components["schemas"]["Id"] | null;
            progress: components["schemas"]["JobProgress"] | null;
            queued_at: components["schemas"]["Timestamp"];
            requested_by: string | null;
            resource: components["schemas"]["JobResource"] | null;
            /** @description Null: it has not ended, or has nothing to show */
            result: components["schemas"]["MaintenanceEffect"] | null;
            started_at: components["schemas"]["Timestamp"] | null;
            state: components["schemas"]["JobState"];
            /** @constant */
            type: "maintenance_policy_run";
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "state": "queued",
         *       "queued_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:04.000Z"
         *     }
         */
        MaintenanceRun: {
            finished_at: components["schemas"]["Timestamp"] | null;
            job_id: components["schemas"]["Id"];
            queued_at: components["schemas"]["Timestamp"];
            state: components["schemas"]["JobState"];
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "Cloud providers",
         *       "description": "Address ranges of a cloud provider",
         *       "purpose": "announce",
         *       "enabled": true,
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "refresh_interval_seconds": 60,
         *       "families": [
         *         "ipv4"
         *       ],
         *       "can_be_empty": true,
         *       "doh_profile_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "doh_profile_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "doh_resolver_policy": {
         *         "strategy": "first_success",
         *         "quorum": 1,
         *         "families": [
         *           "ipv4"
         *         ],
         *         "retain_seconds": 86400,
         *         "max_addresses": 1000,
         *         "concurrency": 32
         *       },
         *       "type": "CDN_SOURCES",
         *       "last_refreshed_at": "2026-01-31T12:00:00.000Z",
         *       "last_refresh": {
         *         "status": "ok",
         *         "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "error": null
         *       },
         *       "next_refresh_at": "2026-01-31T12:00:00.000Z",
         *       "held": null,
         *       "entry_count": 12,
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "pending_changes": {
         *         "count": 0,
         *         "since": "2026-01-31T12:00:00.000Z"
         *       }
         *     }
         */
        Module: {
            /** @description Accepts an answer without prefixes, instead of keeping the last good prefixes */
            can_be_empty: boolean;
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id: components["schemas"]["Id"] | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description For people */
            description: string | null;
            /** @description The older form of `doh_profile_ids`, for one */
            doh_profile_id: components["schemas"]["Id"] | null;
            /** @description Resolvers of its domains, for modules of type DOMAINS */
            doh_profile_ids: components["schemas"]["Id"][];
            /** @description How answers are chosen and kept, for modules of type DOMAINS */
            doh_resolver_policy: components["schemas"]["DohResolverPolicy"] | null;
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            /** @description Entries, including disabled ones */
            entry_count: number;
            families: components["schemas"]["Families"];
            held: components["schemas"]["Held"];
            id: components["schemas"]["Id"];
            /** @description How the last refresh ended; null: there was none */
            last_refresh: components["schemas"]["LastRefresh"] | null;
            /** @description When it was last read with success; null: never */
            last_refreshed_at: components["schemas"]["Timestamp"] | null;
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /** @description When it is due; null: by hand only */
            next_refresh_at: components["schemas"]["Timestamp"] | null;
            /** @description Edits that change what is announced, and that no revision holds yet */
            pending_changes: {
                /** @description How many; one that touches several modules counts at each of them */
                count: number;
                /** @description When the first of them was made; null: there are none */
                since: components["schemas"]["Timestamp"] | null;
            };
            /** @description What was collected last, be it held or not, and of entries that are enabled now; of more than 20,000 prefixes, of those that were enabled when it was collected, or when the latest revision was built after that. What revisions have of a held module, they say */
            prefix_count: {
                ipv4: number;
                ipv6: number;
            };
            /**
             * @description `exclude` removes its addresses from every community of the revision
             * @enum {string}
             */
            purpose: "announce" | "exclude";
            /** @description Seconds between refreshes; null: only on request */
            refresh_interval_seconds: number | null;
            type: components["schemas"]["ModuleType"];
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "Cloud providers",
         *       "announced": 1424,
         *       "withdrawn": 0,
         *       "changed": 0
         *     }
         */
        ModuleChanges: {
            announced: number;
            changed: number;
            module_id: components["schemas"]["Id"];
            /** @description null: the module is gone */
            name: string | null;
            withdrawn: number;
        };
        /**
         * @example {
         *       "name": "aws",
         *       "type": "CDN_SOURCES",
         *       "refresh_interval_seconds": 3600
         *     }
         */
        ModuleCreate: {
            /** @description Accepts an answer without prefixes, instead of keeping the last good prefixes */
            can_be_empty?: boolean;
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description For people */
            description?: string | null;
            /** @description The older form of `doh_profile_ids`, for one */
            doh_profile_id?: components["schemas"]["Id"] | null;
            /** @description Resolvers of its domains, for modules of type DOMAINS */
            doh_profile_ids?: components["schemas"]["Id"][];
            /** @description How answers are chosen and kept, for modules of type DOMAINS */
            doh_resolver_policy?: components["schemas"]["DohResolverPolicy"] | null;
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description Its address families; default: both */
            families?: components["schemas"]["FamilyName"][];
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /**
             * @description `exclude` removes its addresses from every community of the revision
             * @enum {string}
             */
            purpose?: "announce" | "exclude";
            /** @description Seconds between refreshes; null: only on request */
            refresh_interval_seconds?: number | null;
            type: components["schemas"]["ModuleType"];
        };
        ModuleDryRun: {
            body: components["schemas"]["Module"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "held": null
         *     }
         */
        ModuleEvent: {
            at: components["schemas"]["Timestamp"];
            /** @description Null: it is no longer held */
            held: {
                /** @description The guardrails that it breaks */
                codes: string[];
                since: components["schemas"]["Timestamp"];
                snapshot: string;
            } | null;
            id: components["schemas"]["Id"];
        };
        ModulePage: {
            has_more: boolean;
            items: components["schemas"]["Module"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "enabled": false
         *     }
         */
        ModulePatch: {
            /** @description Accepts an answer without prefixes, instead of keeping the last good prefixes */
            can_be_empty?: boolean;
            /** @description Community of the routes. Null at an entry: that of its module; null at a module: the setting `default_community_id` */
            community_id?: components["schemas"]["Id"] | null;
            /** @description For people */
            description?: string | null;
            /** @description The older form of `doh_profile_ids`, for one */
            doh_profile_id?: components["schemas"]["Id"] | null;
            /** @description Resolvers of its domains, for modules of type DOMAINS */
            doh_profile_ids?: components["schemas"]["Id"][];
            /** @description How answers are chosen and kept, for modules of type DOMAINS */
            doh_resolver_policy?: components["schemas"]["DohResolverPolicy"] | null;
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description Its address families; default: both */
            families?: components["schemas"]["FamilyName"][];
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name?: string;
            /**
             * @description `exclude` removes its addresses from every community of the revision
             * @enum {string}
             */
            purpose?: "announce" | "exclude";
            /** @description Seconds between refreshes; null: only on request */
            refresh_interval_seconds?: number | null;
        };
        /**
         * @example {
         *       "type": "module_refresh",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "state": "succeeded",
         *       "progress": {
         *         "phase": "collect",
         *         "done": 0,
         *         "total": 0,
         *         "waiting_for": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "to_begin": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ]
         *       },
         *       "attempt": 0,
         *       "queued_at": "2026-01-31T12:00:00.000Z",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:04.000Z",
         *       "error": null,
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       },
         *       "requested_by": "key:looking glass",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "result": {
         *         "status": "ok",
         *         "entries": [
         *           {
         *             "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "status": "ok",
         *             "error": null,
         *             "modified": true,
         *             "prefix_count": {
         *               "ipv4": 1376,
         *               "ipv6": 48
         *             },
         *             "rejected": 0,
         *             "bogons": 0
         *           }
         *         ],
         *         "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "number": 42,
         *         "revision_state": "building",
         *         "findings": [
         *           "max_change_exceeded"
         *         ],
         *         "quarantined": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "content_changed": true,
         *         "revision_created": true,
         *         "apply_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "build_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       }
         *     }
         */
        ModuleRefreshJob: {
            /** @description How often it was begun */
            attempt: number;
            created_at: components["schemas"]["Timestamp"];
            /** @description Null: it has not failed */
            error: components["schemas"]["JobError"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            /** @description The job that it was queued by */
            parent_id: components["schemas"]["Id"] | null;
            progress: components["schemas"]["JobProgress"] | null;
            queued_at: components["schemas"]["Timestamp"];
            requested_by: string | null;
            resource: components["schemas"]["JobResource"] | null;
            /** @description Null: it has not ended, or has nothing to show */
            result: components["schemas"]["ModuleRefreshResult"] | null;
            started_at: components["schemas"]["Timestamp"] | null;
            state: components["schemas"]["JobState"];
            /** @constant */
            type: "module_refresh";
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "status": "ok",
         *       "entries": [
         *         {
         *           "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "status": "ok",
         *           "error": null,
         *           "modified": true,
         *           "prefix_count": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           },
         *           "rejected": 0,
         *           "bogons": 0
         *         }
         *       ],
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "number": 42,
         *       "revision_state": "building",
         *       "findings": [
         *         "max_change_exceeded"
         *       ],
         *       "quarantined": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "content_changed": true,
         *       "revision_created": true,
         *       "apply_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "build_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        ModuleRefreshResult: {
            /** @description The apply that was queued for the revision, or the one of it that had not ended yet; null: neither. Where `revision_created` is false, one may have ended */
            apply_job_id?: components["schemas"]["Id"] | null;
            /**
             * Format: uuid
             * @description The job `revision_build` that builds the revision of this refresh and of others
             */
            build_job_id?: string;
            /** @description Whether it differs from the latest ready revision before it */
            content_changed?: boolean;
            /** @description The first thousand; not of a module that is gone */
            entries?: components["schemas"]["EntryRefreshResult"][];
            /** @description Codes of the guardrails that it breaks */
            findings?: string[];
            number?: number;
            /** @description Modules that are held, and so in it with what was accepted of them before */
            quarantined?: components["schemas"]["Id"][];
            /** @description false: the newest revision held all of it already, and is the one named here */
            revision_created?: boolean;
            /** @description The revision that was built; null: none was. Missing where the refresh failed */
            revision_id?: components["schemas"]["Id"] | null;
            /** @enum {string} */
            revision_state?: "building" | "ready" | "held" | "failed";
            /**
             * @description `partial`: some entries failed, and keep their last good prefixes; `failed`: all did; `deleted`: the module is gone
             * @enum {string}
             */
            status: "ok" | "partial" | "failed" | "deleted";
        };
        /**
         * @example {
         *       "name": "aws again"
         *     }
         */
        ModuleRestore: {
            /**
             * @description Puts it back without the communities and resolvers that were deleted meanwhile. If it is false and some were, the answer is 409 and names them
             * @default false
             */
            leave_out_missing: boolean;
            /**
             * Format: name
             * @description Another name, if its own was given away meanwhile
             */
            name?: string;
        };
        /**
         * @description The type of the module's entries; it cannot be changed
         * @enum {string}
         */
        ModuleType: "CDN_SOURCES" | "AS_PREFIXES" | "DOMAINS" | "IP_RANGES" | "GEOFEED";
        /**
         * @example {
         *       "added_addresses": "3072",
         *       "added_percent": 1,
         *       "optimal": true,
         *       "added_prefixes": [
         *         "198.51.100.128/25"
         *       ]
         *     }
         */
        NamedFitted: {
            /** @description How many, in decimal: addresses that no list has */
            added_addresses: string;
            /** @description Of those that lists have */
            added_percent: number;
            /** @description The largest prefixes of these addresses, largest first; absent where that was not kept. `POST /v1/lookup/holders` says who holds them */
            added_prefixes?: string[];
            /** @description Whether fewer is impossible */
            optimal: boolean;
        };
        /**
         * @description What fitting adds, and where; null: nothing
         * @example {
         *       "ipv4": {
         *         "added_addresses": "3072",
         *         "added_percent": 1,
         *         "optimal": true,
         *         "added_prefixes": [
         *           "198.51.100.128/25"
         *         ]
         *       },
         *       "ipv6": {
         *         "added_addresses": "3072",
         *         "added_percent": 1,
         *         "optimal": true,
         *         "added_prefixes": [
         *           "198.51.100.128/25"
         *         ]
         *       }
         *     }
         */
        NamedFittedByFamily: {
            ipv4: components["schemas"]["NamedFitted"] | null;
            ipv6: components["schemas"]["NamedFitted"] | null;
        };
        /** @description When a session that is down is tried next; null: it is up, or is being tried, or the peer is to connect, or the speaker does not know: `builtin` does */
        NextAttempt: components["schemas"]["Timestamp"] | null;
        /**
         * @example {
         *       "state": "building",
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "findings": [
         *         {
         *           "code": "not_found",
         *           "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "examples": [
         *             "198.51.100.0/24"
         *           ],
         *           "lost": [
         *             "198.51.100.0/24"
         *           ],
         *           "measured": 1,
         *           "limit": 1
         *         }
         *       ],
         *       "quarantined": [
         *         {
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "findings": [
         *             {
         *               "code": "not_found",
         *               "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *               "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "examples": [
         *                 "198.51.100.0/24"
         *               ],
         *               "lost": [
         *                 "198.51.100.0/24"
         *               ],
         *               "measured": 1,
         *               "limit": 1
         *             }
         *           ],
         *           "snapshot": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60"
         *         }
         *       ]
         *     }
         */
        NextRevision: {
            /** @description The guardrails that it would break */
            findings: components["schemas"]["Finding"][];
            prefix_count: components["schemas"]["PrefixCount"];
            /** @description The modules that would be held */
            quarantined: components["schemas"]["Quarantined"][];
            state: components["schemas"]["RevisionState"];
        };
        /**
         * @example {
         *       "hostname": "edge-1.example.net",
         *       "version": "1.0.0",
         *       "daemon": "builtin"
         *     }
         */
        NodeEnroll: {
            daemon: components["schemas"]["Daemon"];
            /** @description Host name of the machine */
            hostname: string;
            /** @description Of the agent */
            version: string;
        };
        /**
         * @example {
         *       "tenant_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "speaker": {
         *         "name": "Cloud providers",
         *         "daemon": "bird"
         *       },
         *       "api_key": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "secret": "pc_o_4hKq7Zt0VwXyB2nD9sLmR5uJcE8gTfA1iPoYk3x6HvQz_0aB3dE"
         *       },
         *       "signing_keys": [
         *         {
         *           "key_id": "5d41402abc4b2a76",
         *           "algorithm": "Ed25519",
         *           "public_key_pem": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
         *           "public_key": "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
         *           "not_before": "2026-01-31T12:00:00.000Z",
         *           "not_after": "2026-01-31T12:00:00.000Z",
         *           "active": true,
         *           "endorsed_by": "5d41402abc4b2a76",
         *           "endorsement": "nq2Pz0…"
         *         }
         *       ]
         *     }
         */
        NodeEnrolled: {
            api_key: {
                id: components["schemas"]["Id"];
                /** @description The key that the node uses from now on, shown only in this answer */
                secret: string;
            };
            /** @description The keys whose signatures the node trusts */
            signing_keys: components["schemas"]["SigningKey"][];
            speaker: {
                daemon: components["schemas"]["Daemon"];
                /**
                 * Format: name
                 * @description Unique in the tenant, without case
                 */
                name: string;
            };
            speaker_id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "reason": "excluded",
         *       "address": "192.0.2.2",
         *       "module": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "name": "Cloud providers",
         *         "type": "CDN_SOURCES"
         *       },
         *       "entry": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "type": "cdn_source",
         *         "value": "198.51.100.0/24"
         *       },
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "revision": 42,
         *       "speaker_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "peer_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "detail": "Revision 42 was not applied yet. Apply it: POST /v1/apply."
         *     }
         */
        NotAnnounced: {
            /** @description Which address; null: whatever the address of the name */
            address: string | null;
            /** @description The reason in words, and what to do */
            detail: string;
            entry: {
                id: components["schemas"]["Id"];
                /** @enum {string} */
                type: "cdn_source" | "as_entry" | "domain_entry" | "ip_range_entry" | "geofeed_entry";
                /** @description URL, AS number, domain or range */
                value: string;
            } | null;
            module: {
                id: components["schemas"]["Id"];
                name: string;
                /** @enum {string} */
                type: "CDN_SOURCES" | "AS_PREFIXES" | "DOMAINS" | "IP_RANGES" | "GEOFEED";
            } | null;
            /** @description The peers of these speakers concerned, if not all of them are */
            peer_ids: components["schemas"]["Id"][];
            /**
             * @description `excluded` by a module, `module_disabled`, `entry_disabled`, `family_off`: not among the families of the module, `bogon`: removed from lists, `held` by a guardrail, `not_built`: in no revision yet, `not_applied` to these speakers, `left_out`: these run a newer revision without it, after a rollback or an override, `provisional`: being applied to them, `peer_reverted`: these peers hold an older revision, `no_next_hop`: these peers receive no route of its family, `too_many_routes`: these peers would be sent more than their `max_prefixes_out`, and keep what they have, `still_held`: these peers hold a route for it that is announced no more, or are sent one when they are back, or the node of their disabled speaker has not reported that it withdrew it
             * @enum {string}
             */
            reason: "excluded" | "module_disabled" | "entry_disabled" | "family_off" | "bogon" | "held" | "not_built" | "not_applied" | "left_out" | "provisional" | "peer_reverted" | "no_next_hop" | "too_many_routes" | "still_held";
            revision: number | null;
            revision_id: components["schemas"]["Id"] | null;
            /** @description The speakers concerned */
            speaker_ids: components["schemas"]["Id"][];
        };
        NothingDryRun: {
            body: null;
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "direction": "received",
         *       "code": 6,
         *       "subcode": 4,
         *       "name": "Cease",
         *       "text": "Administrative Reset"
         *     }
         */
        NotificationSummary: {
            /**
             * @description RFC 4271, section 4.5
             * @example 6
             */
            code: number;
            /** @enum {string} */
            direction: "received" | "sent";
            /** @description Of code and subcode, in the words of IANA's registry */
            name: string;
            /** @description RFC 4271, section 4.5; those of Cease: RFC 4486 */
            subcode: number;
            /** @description The peer's own text (shutdown communication, RFC 9003), or the limit that it reported (RFC 4486) */
            text: string | null;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "edge1",
         *       "description": "Address ranges of a cloud provider",
         *       "address": "192.0.2.2",
         *       "remote_asn": 64500,
         *       "speaker_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "community_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "families": [
         *         "ipv4"
         *       ],
         *       "passive": true,
         *       "port": 179,
         *       "multihop": 1,
         *       "hold_time": 90,
         *       "next_hop_ipv4": "192.0.2.1",
         *       "next_hop_ipv6": "2001:db8::1",
         *       "max_prefixes_out": 1,
         *       "when_too_many": "keep",
         *       "graceful_restart": true,
         *       "bfd": true,
         *       "enabled": true,
         *       "has_password": true,
         *       "connected_speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "connected_speaker_label": "Frankfurt 1",
         *       "session_on_speakers": [
         *         {
         *           "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "speaker_label": "Frankfurt 1",
         *           "state": "idle",
         *           "since": "2026-01-31T12:00:00.000Z",
         *           "routes_exported": 1,
         *           "reverted": {
         *             "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "tried_revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "since": "2026-01-31T12:00:00.000Z",
         *             "error": "It ended the session (Cease, Administrative Reset). See its log.",
         *             "notification": {
         *               "direction": "received",
         *               "code": 6,
         *               "subcode": 4,
         *               "name": "Cease",
         *               "text": "Administrative Reset"
         *             }
         *           },
         *           "last_error": null,
         *           "next_attempt_at": "2026-01-31T12:00:00.000Z"
         *         }
         *       ],
         *       "established_on_speakers": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "session_mismatch": true
         *     }
         */
        Peer: {
            /** @description Address of the router; unique together with `port` */
            address: string;
            /** @description RFC 5880; the builtin speaker does not support it */
            bfd: boolean;
            /** @description Communities whose routes the peer receives; empty: all */
            community_ids: components["schemas"]["Id"][];
            /** @description Where the session has been established longest; null: nowhere */
            connected_speaker_id: components["schemas"]["Id"] | null;
            connected_speaker_label: string | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description For people */
            description: string | null;
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            established_on_speakers: components["schemas"]["Id"][];
            families: components["schemas"]["Families"];
            /** @description Asks the router to keep the routes while the speaker is down (RFC 4724) */
            graceful_restart: boolean;
            /** @description Whether one is stored */
            has_password: boolean;
            /** @description Seconds, default: 90; 0 turns keepalives off, other values are at least 3 (RFC 4271, section 4.2) */
            hold_time: number;
            id: components["schemas"]["Id"];
            /** @description If a revision has more routes for the peer, `when_too_many` says what it is sent; null: no limit */
            max_prefixes_out: number | null;
            /** @description Maximum number of hops to the router; null: directly connected. iBGP needs none, and the builtin speaker accepts any distance */
            multihop: number | null;
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /** @description For all that the peer is sent, but not for blackholes whose community sets one; null: that of the community, else the speaker itself */
            next_hop_ipv4: string | null;
            /** @description For all that the peer is sent, but not for blackholes whose community sets one; null: that of the community, else the speaker itself */
            next_hop_ipv6: string | null;
            /** @description The speaker waits for the router's connection */
            passive: boolean;
            /** @description Port that the speaker connects to; default: 179 */
            port: number;
            remote_asn: components["schemas"]["Asn"];
            /** @description The speakers on which its session is established are not those on which it should be */
            session_mismatch: boolean;
            session_on_speakers: components["schemas"]["SessionOnSpeaker"][];
            /** @description Empty: every speaker */
            speaker_ids: components["schemas"]["Id"][];
            updated_at: components["schemas"]["Timestamp"];
            /**
             * @description What a peer is sent whose routes are more than `max_prefixes_out`. `keep` (default): of the routes that it has, those that the revision has too, or what has taken their place; `fit`: the cover of at most that many routes that adds the fewest foreign addresses, unless these are more than the setting `fit_max_added_percent` allows.
             * @enum {string}
             */
            when_too_many: "keep" | "fit";
        };
        /**
         * @example {
         *       "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "edge1",
         *       "address": "192.0.2.2",
         *       "status": "applied",
         *       "was_up": true,
         *       "was_behind": true,
         *       "announced": 1424,
         *       "expected": 1424,
         *       "fitted": {
         *         "ipv4": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true
         *         },
         *         "ipv6": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true
         *         }
         *       },
         *       "error": null,
         *       "notification": {
         *         "direction": "received",
         *         "code": 6,
         *         "subcode": 4,
         *         "name": "Cease",
         *         "text": "Administrative Reset"
         *       }
         *     }
         */
        PeerApplyResult: {
            address: string;
            /** @description Routes that it receives now, both families together */
            announced: number;
            error: string | null;
            /** @description Routes that it is to be announced; null: nobody can say */
            expected: number | null;
            /** @description What the cover adds that it is sent, since its routes are more than `max_prefixes_out`; null: it is sent the routes themselves */
            fitted?: components["schemas"]["FittedByFamily"] | null;
            name: string;
            /** @description What ended its session; null: nothing did, or the daemon does not report it */
            notification: components["schemas"]["NotificationSummary"] | null;
            peer_id: components["schemas"]["Id"];
            /**
             * @description `applied`: it holds all of its routes; `reverted`: it could not take the routes, and holds what it held before; `failed`: it could not take them, and its daemon cannot revert a single peer; `incomplete`: it has not received all routes; `over_limit`: they are more than its `max_prefixes_out`, and it keeps of what it has what the revision has too; `down`: it has no session, and receives them when it has one; `undone`: it was healthy, and went back with the speaker
             * @enum {string}
             */
            status: "applied" | "reverted" | "failed" | "incomplete" | "over_limit" | "down" | "undone";
            /** @description It lacked what its speaker ran before already, since it had been reverted, was over its limit, or reads slowly: this apply is not why */
            was_behind?: boolean;
            /** @description It was up before, and held all of its routes or was being sent them. Only peers that held all count for `deploy_max_failed_peers_percent` */
            was_up: boolean;
        };
        /**
         * @example {
         *       "name": "core-router",
         *       "address": "192.0.2.2",
         *       "remote_asn": 64500,
         *       "families": [
         *         "ipv4",
         *         "ipv6"
         *       ]
         *     }
         */
        PeerCreate: {
            /** @description Address of the router; unique together with `port` */
            address: string;
            /** @description RFC 5880; the builtin speaker does not support it */
            bfd?: boolean;
            /** @description Communities whose routes the peer receives; empty: all */
            community_ids?: components["schemas"]["Id"][];
            /** @description For people */
            description?: string | null;
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description Its address families; default: both */
            families?: components["schemas"]["FamilyName"][];
            /** @description Asks the router to keep the routes while the speaker is down (RFC 4724) */
            graceful_restart?: boolean;
            /** @description Seconds, default: 90; 0 turns keepalives off, other values are at least 3 (RFC 4271, section 4.2) */
            hold_time?: number;
            /** @description If a revision has more routes for the peer, `when_too_many` says what it is sent; null: no limit */
            max_prefixes_out?: number | null;
            /** @description Maximum number of hops to the router; null: directly connected. iBGP needs none, and the builtin speaker accepts any distance */
            multihop?: number | null;
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /** @description For all that the peer is sent, but not for blackholes whose community sets one; null: that of the community, else the speaker itself */
            next_hop_ipv4?: string | null;
            /** @description For all that the peer is sent, but not for blackholes whose community sets one; null: that of the community, else the speaker itself */
            next_hop_ipv6?: string | null;
            /** @description The speaker waits for the router's connection */
            passive?: boolean;
            /** @description TCP MD5 (RFC 2385), which the builtin speaker refuses; kept encrypted and never shown */
            password?: string | null;
            /** @description Port that the speaker connects to; default: 179 */
            port?: number;
            remote_asn: components["schemas"]["Asn"];
            /** @description Empty: every speaker */
            speaker_ids?: components["schemas"]["Id"][];
            /**
             * @description What a peer is sent whose routes are more than `max_prefixes_out`. `keep` (default): of the routes that it has, those that the revision has too, or what has taken their place; `fit`: the cover of at most that many routes that adds the fewest foreign addresses, unless these are more than the setting `fit_max_added_percent` allows.
             * @enum {string}
             */
            when_too_many?: "keep" | "fit";
        };
        PeerDryRun: {
            body: components["schemas"]["Peer"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "edge1",
         *       "before": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "after": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "updated": 0,
         *       "withdrawn": 0,
         *       "lost": 0,
         *       "fitted_before": {
         *         "ipv4": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         },
         *         "ipv6": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         }
         *       },
         *       "fitted": {
         *         "ipv4": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         },
         *         "ipv6": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         }
         *       },
         *       "unfitted": "fitting its routes would add 3072 foreign IPv4 addresses, 12.5 % of its own, and the setting fit_max_added_percent is 10",
         *       "unfitted_cost": {
         *         "ipv4": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         },
         *         "ipv6": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         }
         *       },
         *       "session": "same"
         *     }
         */
        PeerEffect: {
            /** @description Routes that it would be sent; none where it is gone. Of one over its `max_prefixes_out`: those that it keeps, which of a node is not known */
            after: {
                ipv4: number;
                ipv6: number;
            };
            /** @description Routes that it is sent now; none where it is new. Of one over its `max_prefixes_out`: those that it has, which of a node is not known */
            before: {
                ipv4: number;
                ipv6: number;
            };
            /** @description What the cover adds that it would be sent, since its routes are more than `max_prefixes_out`; null: it would be sent none */
            fitted: components["schemas"]["NamedFittedByFamily"] | null;
            /** @description What the cover adds that it is sent now; null: it is sent none */
            fitted_before: components["schemas"]["NamedFittedByFamily"] | null;
            /** @description How many of these nothing takes the place of: a cover has the addresses of the routes that it replaces, and routes those that a cover had of lists */
            lost: number;
            name: string;
            peer_id: components["schemas"]["Id"];
            /**
             * @description What becomes of its session: `same`: it goes on, or there is none before or after. `restarted`: it ends and another begins, and a peer with graceful restart keeps its routes meanwhile. `replaced`: it ends and the peer loses its routes, until another is up with the settings that it has then
             * @enum {string}
             */
            session: "same" | "restarted" | "replaced";
            /** @description Why it keeps what it has instead: the routes are more than `max_prefixes_out`, and it is sent no cover, or could be sent none; null: it is sent them, or a cover */
            unfitted: string | null;
            /** @description What the cover would add that `fit_max_added_percent` does not allow; null: it is allowed, or there is none */
            unfitted_cost: components["schemas"]["NamedFittedByFamily"] | null;
            /** @description How many of the routes that it would be sent are new to it, or have other communities or another next hop */
            updated: number;
            /** @description How many of the routes that it is sent now it would have no more */
            withdrawn: number;
        };
        PeerPage: {
            has_more: boolean;
            items: components["schemas"]["Peer"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "hold_time": 30
         *     }
         */
        PeerPatch: {
            /** @description Address of the router; unique together with `port` */
            address?: string;
            /** @description RFC 5880; the builtin speaker does not support it */
            bfd?: boolean;
            /** @description Communities whose routes the peer receives; empty: all */
            community_ids?: components["schemas"]["Id"][];
            /** @description For people */
            description?: string | null;
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description Its address families; default: both */
            families?: components["schemas"]["FamilyName"][];
            /** @description Asks the router to keep the routes while the speaker is down (RFC 4724) */
            graceful_restart?: boolean;
            /** @description Seconds, default: 90; 0 turns keepalives off, other values are at least 3 (RFC 4271, section 4.2) */
            hold_time?: number;
            /** @description If a revision has more routes for the peer, `when_too_many` says what it is sent; null: no limit */
            max_prefixes_out?: number | null;
            /** @description Maximum number of hops to the router; null: directly connected. iBGP needs none, and the builtin speaker accepts any distance */
            multihop?: number | null;
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name?: string;
            /** @description For all that the peer is sent, but not for blackholes whose community sets one; null: that of the community, else the speaker itself */
            next_hop_ipv4?: string | null;
            /** @description For all that the peer is sent, but not for blackholes whose community sets one; null: that of the community, else the speaker itself */
            next_hop_ipv6?: string | null;
            /** @description The speaker waits for the router's connection */
            passive?: boolean;
            /** @description TCP MD5 (RFC 2385), which the builtin speaker refuses; kept encrypted and never shown */
            password?: string | null;
            /** @description Port that the speaker connects to; default: 179 */
            port?: number;
            /** @description AS number, of two or four octets (RFC 6793) */
            remote_asn?: number;
            /** @description Empty: every speaker */
            speaker_ids?: components["schemas"]["Id"][];
            /**
             * @description What a peer is sent whose routes are more than `max_prefixes_out`. `keep` (default): of the routes that it has, those that the revision has too, or what has taken their place; `fit`: the cover of at most that many routes that adds the fewest foreign addresses, unless these are more than the setting `fit_max_added_percent` allows.
             * @enum {string}
             */
            when_too_many?: "keep" | "fit";
        };
        /**
         * @example {
         *       "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "edge1",
         *       "address": "192.0.2.2",
         *       "families": [
         *         "ipv4"
         *       ],
         *       "communities": [
         *         "65000:100"
         *       ],
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "without_next_hop": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "max_prefixes_out": 1,
         *       "max_prefixes_out_exceeded": true,
         *       "kept_prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "fitted": {
         *         "prefix_count": {
         *           "ipv4": 1376,
         *           "ipv6": 48
         *         },
         *         "cost": {
         *           "ipv4": {
         *             "added_addresses": "3072",
         *             "added_percent": 1,
         *             "optimal": true,
         *             "added_prefixes": [
         *               "198.51.100.128/25"
         *             ]
         *           },
         *           "ipv6": {
         *             "added_addresses": "3072",
         *             "added_percent": 1,
         *             "optimal": true,
         *             "added_prefixes": [
         *               "198.51.100.128/25"
         *             ]
         *           }
         *         },
         *         "largest": [
         *           {
         *             "prefix": "198.51.100.0/24",
         *             "added_addresses": "3072"
         *           }
         *         ]
         *       },
         *       "unfitted": "fitting its routes would add 3072 foreign IPv4 addresses, 12.5 % of its own, and the setting fit_max_added_percent is 10",
         *       "unfitted_cost": {
         *         "ipv4": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         },
         *         "ipv6": {
         *           "added_addresses": "3072",
         *           "added_percent": 1,
         *           "optimal": true,
         *           "added_prefixes": [
         *             "198.51.100.128/25"
         *           ]
         *         }
         *       }
         *     }
         */
        PeerPreview: {
            address: string;
            /** @description Communities that it is sent; null: all */
            communities: string[] | null;
            families: components["schemas"]["Families"];
            /** @description The cover that it would be sent in their place; null: none, since they are not too many or it is not to be fitted */
            fitted: components["schemas"]["FittedRoutes"] | null;
            /** @description It was reverted, and would be sent nothing new: the routes that it would go on with; null: it would be sent those of the revision */
            kept_prefix_count: {
                ipv4: number;
                ipv6: number;
            } | null;
            max_prefixes_out: number | null;
            /** @description The routes for it exceed max_prefixes_out: it would keep those that it has, or be sent a cover */
            max_prefixes_out_exceeded: boolean;
            name: string;
            peer_id: components["schemas"]["Id"];
            /** @description Routes, by family */
            prefix_count: {
                ipv4: number;
                ipv6: number;
            };
            /** @description Why it would be sent no cover although it is to be; null: it would, or is not */
            unfitted: string | null;
            /** @description What the cover would add that `fit_max_added_percent` does not allow; null: it is allowed, or there is none */
            unfitted_cost: components["schemas"]["NamedFittedByFamily"] | null;
            /** @description Routes that it does not receive because they have no next hop, by family */
            without_next_hop: {
                ipv4: number;
                ipv6: number;
            };
        };
        /**
         * @example {
         *       "type": "peer_reconcile",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "state": "queued",
         *       "progress": {
         *         "phase": "collect",
         *         "done": 0,
         *         "total": 0,
         *         "waiting_for": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "to_begin": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ]
         *       },
         *       "attempt": 0,
         *       "queued_at": "2026-01-31T12:00:00.000Z",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:04.000Z",
         *       "error": null,
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       },
         *       "requested_by": "key:looking glass",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "result": {
         *         "speakers": [
         *           {
         *             "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "peer_ids": [
         *               "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *             ]
         *           }
         *         ],
         *         "apply_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       }
         *     }
         */
        PeerReconcileJob: {
            /** @description How often it was begun */
            attempt: number;
            created_at: components["schemas"]["Timestamp"];
            /** @description Null: it has not failed */
            error: components["schemas"]["JobError"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            /** @description The job that it was queued by */
            parent_id: components["schemas"]["Id"] | null;
            progress: components["schemas"]["JobProgress"] | null;
            queued_at: components["schemas"]["Timestamp"];
            requested_by: string | null;
            resource: components["schemas"]["JobResource"] | null;
            /** @description Null: it has not ended, or has nothing to show */
            result: components["schemas"]["PeerReconcileResult"] | null;
            started_at: components["schemas"]["Timestamp"] | null;
            state: components["schemas"]["JobState"];
            /** @constant */
            type: "peer_reconcile";
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "speakers": [
         *         {
         *           "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "peer_ids": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ]
         *         }
         *       ],
         *       "apply_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        PeerReconcileResult: {
            /**
             * Format: uuid
             * @description The apply that brings speakers to it
             */
            apply_job_id: string;
            /** @description The enabled speakers */
            speakers: {
                /** @description Peers that it has sessions with */
                peer_ids: components["schemas"]["Id"][];
                speaker_id: components["schemas"]["Id"];
            }[];
        };
        /**
         * @example {
         *       "answers": [
         *         {
         *           "method": "POST",
         *           "path": "/v1/communities",
         *           "status": 200,
         *           "body": {
         *             "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "community": "65000:100",
         *             "title": "Customers"
         *           }
         *         }
         *       ],
         *       "effect": {
         *         "revision": {
         *           "state": "building",
         *           "prefix_count": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           },
         *           "findings": [
         *             {
         *               "code": "not_found",
         *               "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *               "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "examples": [
         *                 "198.51.100.0/24"
         *               ],
         *               "lost": [
         *                 "198.51.100.0/24"
         *               ],
         *               "measured": 1,
         *               "limit": 1
         *             }
         *           ],
         *           "quarantined": [
         *             {
         *               "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "findings": [
         *                 {
         *                   "code": "not_found",
         *                   "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *                   "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                   "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                   "community": "65000:100",
         *                   "examples": [
         *                     "198.51.100.0/24"
         *                   ],
         *                   "lost": [
         *                     "198.51.100.0/24"
         *                   ],
         *                   "measured": 1,
         *                   "limit": 1
         *                 }
         *               ],
         *               "snapshot": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60"
         *             }
         *           ]
         *         },
         *         "summary": {
         *           "announced": 1424,
         *           "withdrawn": 0,
         *           "changed": 0
         *         },
         *         "by_community": [
         *           {
         *             "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "community": "65000:100",
         *             "title": "Cloud providers",
         *             "announced": 1424,
         *             "withdrawn": 0,
         *             "changed": 0
         *           }
         *         ],
         *         "items": [
         *           {
         *             "prefix": "198.51.100.0/24",
         *             "change": "announced",
         *             "communities_before": [
         *               {
         *                 "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "community": "65000:100",
         *                 "title": "Cloud providers"
         *               }
         *             ],
         *             "communities_after": [
         *               {
         *                 "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "community": "65000:100",
         *                 "title": "Cloud providers"
         *               }
         *             ]
         *           }
         *         ],
         *         "has_more": false,
         *         "speakers": [
         *           {
         *             "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "name": "fra1",
         *             "announced": 1424,
         *             "withdrawn": 0,
         *             "changed": 0,
         *             "peers": [
         *               {
         *                 "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                 "name": "edge1",
         *                 "before": {
         *                   "ipv4": 1376,
         *                   "ipv6": 48
         *                 },
         *                 "after": {
         *                   "ipv4": 1376,
         *                   "ipv6": 48
         *                 },
         *                 "updated": 0,
         *                 "withdrawn": 0,
         *                 "lost": 0,
         *                 "fitted_before": {
         *                   "ipv4": {
         *                     "added_addresses": "3072",
         *                     "added_percent": 1,
         *                     "optimal": true,
         *                     "added_prefixes": [
         *                       "198.51.100.128/25"
         *                     ]
         *                   },
         *                   "ipv6": {
         *                     "added_addresses": "3072",
         *                     "added_percent": 1,
         *                     "optimal": true,
         *                     "added_prefixes": [
         *                       "198.51.100.128/25"
         *                     ]
         *                   }
         *                 },
         *                 "fitted": {
         *                   "ipv4": {
         *                     "added_addresses": "3072",
         *                     "added_percent": 1,
         *                     "optimal": true,
         *                     "added_prefixes": [
         *                       "198.51.100.128/25"
         *                     ]
         *                   },
         *                   "ipv6": {
         *                     "added_addresses": "3072",
         *                     "added_percent": 1,
         *                     "optimal": true,
         *                     "added_prefixes": [
         *                       "198.51.100.128/25"
         *                     ]
         *                   }
         *                 },
         *                 "unfitted": "fitting its routes would add 3072 foreign IPv4 addresses, 12.5 % of its own, and the setting fit_max_added_percent is 10",
         *                 "unfitted_cost": {
         *                   "ipv4": {
         *                     "added_addresses": "3072",
         *                     "added_percent": 1,
         *                     "optimal": true,
         *                     "added_prefixes": [
         *                       "198.51.100.128/25"
         *                     ]
         *                   },
         *                   "ipv6": {
         *                     "added_addresses": "3072",
         *                     "added_percent": 1,
         *                     "optimal": true,
         *                     "added_prefixes": [
         *                       "198.51.100.128/25"
         *                     ]
         *                   }
         *                 },
         *                 "session": "same"
         *               }
         *             ]
         *           }
         *         ],
         *         "tenants": [
         *           {
         *             "tenant_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "count": 1,
         *             "session": "same",
         *             "before": {
         *               "ipv4": 1376,
         *               "ipv6": 48
         *             },
         *             "after": {
         *               "ipv4": 1376,
         *               "ipv6": 48
         *             },
         *             "updated": 0
         *           }
         *         ],
         *         "expired": {
         *           "count": 1,
         *           "prefixes": [
         *             "198.51.100.0/24",
         *             "2001:db8::/32"
         *           ]
         *         },
         *         "latest_findings": [
         *           {
         *             "code": "not_found",
         *             "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *             "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "community": "65000:100",
         *             "examples": [
         *               "198.51.100.0/24"
         *             ],
         *             "lost": [
         *               "198.51.100.0/24"
         *             ],
         *             "measured": 1,
         *             "limit": 1
         *           }
         *         ],
         *         "applied_by_itself": true,
         *         "other_changes": 0,
         *         "uncollected_module_ids": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ]
         *       }
         *     }
         */
        Plan: {
            /** @description One for each change, in their order */
            answers: components["schemas"]["PlannedAnswer"][];
            effect: components["schemas"]["Effect"];
        };
        /**
         * @example {
         *       "method": "POST",
         *       "path": "/v1/communities",
         *       "status": 200,
         *       "body": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "community": "65000:100",
         *         "title": "Customers"
         *       }
         *     }
         */
        PlannedAnswer: {
            /**
             * @description What the operation would answer, secrets as `***`; null where it answers nothing
             * @example {
             *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
             *       "community": "65000:100",
             *       "title": "Customers"
             *     }
             */
            body: {
                [key: string]: unknown;
            } | null;
            /** @enum {string} */
            method: "POST" | "PATCH" | "DELETE";
            path: string;
            status: number;
        };
        /**
         * @example {
         *       "method": "POST",
         *       "path": "/v1/communities",
         *       "body": null,
         *       "if_match": "\"3-0123456789abcdef\"",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        PlannedChange: {
            /** @description As the request would have it; a file of entries as a text */
            body?: unknown;
            /**
             * Format: uuid
             * @description Any new UUID: stands for the id of what this change creates, in the path and the body of those after it
             */
            id?: string;
            /**
             * @description As the header If-Match: the ETag that was read last
             * @example "3-0123456789abcdef"
             */
            if_match?: string;
            /** @enum {string} */
            method: "POST" | "PATCH" | "DELETE";
            /**
             * @description With its query, such as `/v1/modules/{module_id}/ip-range-entries`
             * @example /v1/communities
             */
            path: string;
        };
        /**
         * @example {
         *       "changes": [
         *         {
         *           "method": "POST",
         *           "path": "/v1/communities",
         *           "body": {
         *             "community": "65000:300",
         *             "title": "CDN"
         *           }
         *         }
         *       ]
         *     }
         */
        PlanRequest: {
            /** @description Writes, one after the other: each finds what those before it have changed. None: what the edits lead to that no revision holds yet */
            changes: components["schemas"]["PlannedChange"][];
        };
        /**
         * @example {
         *       "operation": "analyze",
         *       "table": "audit_record"
         *     }
         */
        PostgresMaintenance: {
            operation: components["schemas"]["PostgresOperation"];
            /**
             * @description One of the `tables` of `GET /v1/postgres/metrics`; default: all of them
             * @example audit_record
             */
            table?: string;
        };
        /**
         * @example {
         *       "type": "postgres_maintenance",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "state": "queued",
         *       "progress": {
         *         "phase": "collect",
         *         "done": 0,
         *         "total": 0,
         *         "waiting_for": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "to_begin": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ]
         *       },
         *       "attempt": 0,
         *       "queued_at": "2026-01-31T12:00:00.000Z",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:04.000Z",
         *       "error": null,
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       },
         *       "requested_by": "key:looking glass",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "result": {
         *         "operation": "vacuum",
         *         "tables": 0,
         *         "bytes_before": 0,
         *         "bytes_after": 0,
         *         "leftovers_removed": [
         *           "audit_record_pkey_1"
         *         ]
         *       }
         *     }
         */
        PostgresMaintenanceJob: {
            /** @description How often it was begun */
            attempt: number;
            created_at: components["schemas"]["Timestamp"];
            /** @description Null: it has not failed */
            error: components["schemas"]["JobError"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            /** @description The job that it was queued by */
            parent_id: components["schemas"]["Id"] | null;
            progress: components["schemas"]["JobProgress"] | null;
            queued_at: components["schemas"]["Timestamp"];
            requested_by: string | null;
            resource: components["schemas"]["JobResource"] | null;
            /** @description Null: it has not ended, or has nothing to show */
            result: components["schemas"]["PostgresMaintenanceResult"] | null;
            started_at: components["schemas"]["Timestamp"] | null;
            state: components["schemas"]["JobState"];
            /** @constant */
            type: "postgres_maintenance";
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "operation": "vacuum",
         *       "tables": 0,
         *       "bytes_before": 0,
         *       "bytes_after": 0,
         *       "leftovers_removed": [
         *         "audit_record_pkey_1"
         *       ]
         *     }
         */
        PostgresMaintenanceResult: {
            bytes_after: number;
            /** @description Of these tables and their indexes */
            bytes_before: number;
            /** @description Indexes that an earlier run had left behind */
            leftovers_removed: string[];
            operation: components["schemas"]["PostgresOperation"];
            /** @description How many it was done to */
            tables: number;
        };
        /**
         * @example {
         *       "server": {
         *         "version": "18.4",
         *         "started_at": "2026-01-31T12:00:00.000Z",
         *         "uptime_seconds": 0,
         *         "role": "primary"
         *       },
         *       "database": {
         *         "name": "prefixcast",
         *         "bytes": 45056,
         *         "commits": 0,
         *         "rollbacks": 0,
         *         "deadlocks": 0,
         *         "temporary_bytes": 0,
         *         "cache_hit_ratio": 0,
         *         "statistics_since": "2026-01-31T12:00:00.000Z"
         *       },
         *       "connections": {
         *         "total": 0,
         *         "limit": 0,
         *         "active": 0,
         *         "idle": 0,
         *         "idle_in_transaction": 0,
         *         "other": 0
         *       },
         *       "wal": {
         *         "bytes": 45056,
         *         "bytes_per_second": 0,
         *         "since": "2026-01-31T12:00:00.000Z"
         *       },
         *       "checkpoints": {
         *         "timed": 0,
         *         "requested": 0,
         *         "write_seconds": 0,
         *         "sync_seconds": 0
         *       },
         *       "transactions": {
         *         "oldest_seconds": 0,
         *         "oldest_application": "prefixcast",
         *         "id_age": 0,
         *         "id_age_percent": 0
         *       },
         *       "waiting_locks": [
         *         {
         *           "pid": 1,
         *           "application": "prefixcast",
         *           "mode": "ShareLock",
         *           "table": "audit_record",
         *           "waiting_seconds": 1,
         *           "blocked_by": [
         *             4711
         *           ]
         *         }
         *       ],
         *       "replication_slots": [
         *         {
         *           "name": "Cloud providers",
         *           "type": "physical",
         *           "active": true,
         *           "retained_bytes": 1
         *         }
         *       ],
         *       "replicas": [
         *         {
         *           "application": "prefixcast",
         *           "state": "streaming",
         *           "lag_bytes": 1,
         *           "lag_seconds": 1
         *         }
         *       ],
         *       "tables": [
         *         {
         *           "name": "audit_record",
         *           "bytes": 45056,
         *           "rows": 0,
         *           "dead_rows": 0,
         *           "bloat_bytes": 0,
         *           "sequential_scans": 0,
         *           "index_scans": 0,
         *           "last_vacuum_at": "2026-01-31T12:00:00.000Z",
         *           "last_analyze_at": "2026-01-31T12:00:00.000Z"
         *         }
         *       ],
         *       "indexes": [
         *         {
         *           "name": "audit_record_pkey",
         *           "table": "audit_record",
         *           "bytes": 45056,
         *           "scans": 0,
         *           "bloat_bytes": 0,
         *           "is_valid": true
         *         }
         *       ],
         *       "unavailable": [
         *         {
         *           "member": "replicas",
         *           "reason": "The role pg_monitor is needed."
         *         }
         *       ]
         *     }
         */
        PostgresMetrics: {
            /** @description null: see `unavailable` */
            checkpoints: {
                /** @description Asked for, or due by the amount of WAL */
                requested: number;
                /** @description Spent waiting for the disk */
                sync_seconds: number;
                /** @description Due by time */
                timed: number;
                /** @description Spent writing */
                write_seconds: number;
            } | null;
            /** @description null: see `unavailable` */
            connections: {
                /** @description At work */
                active: number;
                /** @description Waiting for their client */
                idle: number;
                /** @description Waiting for their client within a transaction */
                idle_in_transaction: number;
                /** @description `max_connections` */
                limit: number;
                /** @description In another state, or of users whose state cannot be seen */
                other: number;
                /** @description Of clients, to all databases */
                total: number;
            } | null;
            /** @description null: see `unavailable` */
            database: {
                /** @description All of it on disk */
                bytes: number;
                /** @description Share of blocks that were found in shared memory; null: none was read */
                cache_hit_ratio: number | null;
                /** @description Transactions committed since `statistics_since` */
                commits: number;
                /** @description Deadlocks */
                deadlocks: number;
                name: string;
                /** @description Transactions rolled back */
                rollbacks: number;
                /** @description When these counters were reset; null: never */
                statistics_since: components["schemas"]["Timestamp"] | null;
                /** @description Written to temporary files */
                temporary_bytes: number;
            } | null;
            /** @description null: see `unavailable` */
            indexes: {
                /** @description Estimated: the share of dead rows of its table */
                bloat_bytes: number;
                /** @description On disk */
                bytes: number;
                /** @description false: what is left of an index that was not built to its end */
                is_valid: boolean;
                name: string;
                /** @description That used it */
                scans: number;
                table: string;
            }[] | null;
            /** @description null: see `unavailable` */
            replicas: {
                application: string | null;
                lag_bytes: number | null;
                lag_seconds: number | null;
                state: string | null;
            }[] | null;
            /** @description null: see `unavailable` */
            replication_slots: {
                active: boolean;
                name: string;
                /** @description WAL that is kept for it */
                retained_bytes: number | null;
                type: string;
            }[] | null;
            /** @description null: see `unavailable` */
            server: {
                /** @enum {string} */
                role: "primary" | "standby";
                started_at: components["schemas"]["Timestamp"];
                /** @description Since its start */
                uptime_seconds: number;
                version: string;
            } | null;
            /** @description null: see `unavailable` */
            tables: {
                /** @description Estimated: what its dead rows take */
                bloat_bytes: number;
                /** @description With what is stored apart (TOAST), without indexes */
                bytes: number;
                /** @description Estimated: changed or deleted, and not vacuumed yet */
                dead_rows: number;
                /** @description By indexes */
                index_scans: number;
                /** @description By hand or by itself */
                last_analyze_at: components["schemas"]["Timestamp"] | null;
                /** @description By hand or by itself */
                last_vacuum_at: components["schemas"]["Timestamp"] | null;
                /** @description As `POST /v1/postgres/maintenance` takes it */
                name: string;
                /** @description Estimated */
                rows: number;
                /** @description Of the whole table */
                sequential_scans: number;
            }[] | null;
            /** @description null: see `unavailable` */
            transactions: {
                /** @description Transaction ids since the oldest that is not frozen */
                id_age: number;
                /** @description Of the 2,147,483,647 that are possible */
                id_age_percent: number;
                /** @description Whose it is */
                oldest_application: string | null;
                /** @description Age of the oldest open one; null: none is open */
                oldest_seconds: number | null;
            } | null;
            /** @description Members that the user of `DATABASE_URL` may not see, and why */
            unavailable: {
                member: string;
                reason: string;
            }[];
            /** @description null: see `unavailable` */
            waiting_locks: {
                application: string | null;
                /** @description Processes that it waits for */
                blocked_by: number[];
                mode: string;
                pid: number;
                table: string | null;
                waiting_seconds: number | null;
            }[] | null;
            /** @description null: see `unavailable` */
            wal: {
                /** @description Written since `since` */
                bytes: number;
                /** @description On average since then */
                bytes_per_second: number;
                since: components["schemas"]["Timestamp"];
            } | null;
        };
        /**
         * @description `vacuum` makes the room of dead rows free for new ones, `analyze` renews what the planner knows, `reindex` builds indexes again (`REINDEX CONCURRENTLY`)
         * @enum {string}
         */
        PostgresOperation: "vacuum" | "analyze" | "reindex";
        /**
         * @description Prefixes after aggregation, by family
         * @example {
         *       "ipv4": 1376,
         *       "ipv6": 48
         *     }
         */
        PrefixCount: {
            ipv4: number;
            ipv6: number;
        };
        /**
         * @example {
         *       "type": "/docs/errors/validation_failed",
         *       "title": "The values are not valid",
         *       "status": 400,
         *       "detail": "No source of the module could be read.",
         *       "instance": "/v1/modules/0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "code": "not_found",
         *       "request_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "errors": [
         *         {
         *           "pointer": "/asn",
         *           "detail": "must be an integer from 1 to 4294967294."
         *         }
         *       ]
         *     }
         */
        ProblemDocument: {
            /** @enum {string} */
            code: "malformed_request" | "invalid_cursor" | "unauthenticated" | "session_ended" | "forbidden" | "csrf_failed" | "insecure_origin" | "home_tenant_only" | "guard_loosening_forbidden" | "role_escalation" | "tenant_suspended" | "not_found" | "method_not_allowed" | "not_acceptable" | "request_timeout" | "conflict" | "quota_exceeded" | "last_super_admin" | "in_use" | "job_finished" | "revision_not_ready" | "default_route_forbidden" | "coverage_exceeded" | "prefix_too_short" | "bogon_prefix" | "protected_prefix" | "max_change_exceeded" | "rolled_back" | "large_withdrawal" | "max_prefixes_exceeded" | "tenant_policy" | "deploy_frozen" | "maintenance_running" | "idempotency_in_progress" | "precondition_failed" | "payload_too_large" | "runtime_log_too_large" | "unsupported_media_type" | "expectation_failed" | "validation_failed" | "idempotency_key_reused" | "peer_refused_address" | "source_bad_url" | "source_refused_address" | "source_unparseable" | "source_empty" | "source_unreachable" | "source_timeout" | "source_redirect" | "source_http_status" | "source_refused_query" | "source_too_large" | "rate_limited" | "headers_too_large" | "internal_error" | "apply_failed" | "canary_failed" | "refresh_failed" | "reload_failed" | "database_unavailable" | "feed_unavailable" | "busy" | "runtime_logs_unavailable" | "shutting_down";
            /** @description What was wrong, where, and how to fix it */
            detail: string;
            /** @description Every error in the body or the query, at most 100; in a file, at most 1,000 */
            errors?: {
                detail: string;
                /** @description JSON Pointer (RFC 6901) into the body, ?name for a query parameter, or `line 17` of a file */
                pointer: string;
            }[];
            /** @description The path of the request */
            instance: string;
            /** @description As in the header X-Request-Id and in the logs */
            request_id: string;
            status: number;
            /** @description The same for every problem of this code */
            title: string;
            /** @description Page of the code, relative to the service: `/docs/errors/<code>` */
            type: string;
        };
        /**
         * @example {
         *       "retention_minutes": 43200,
         *       "revisions": 0,
         *       "contents": 0,
         *       "blocks": 0,
         *       "bytes": 45056
         *     }
         */
        PruneEstimate: {
            blocks: number;
            bytes: number;
            contents: number;
            retention_minutes: number;
            revisions: number;
        };
        /**
         * @example {
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "findings": [
         *         {
         *           "code": "not_found",
         *           "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "examples": [
         *             "198.51.100.0/24"
         *           ],
         *           "lost": [
         *             "198.51.100.0/24"
         *           ],
         *           "measured": 1,
         *           "limit": 1
         *         }
         *       ],
         *       "snapshot": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60"
         *     }
         */
        Quarantined: {
            /** @description The guardrails that the module breaks by itself */
            findings: components["schemas"]["Finding"][];
            module_id: components["schemas"]["Id"];
            /**
             * @description What is held: `held.snapshot` of the module, as long as it is held for it
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60
             */
            snapshot: string;
        };
        /**
         * @description How many there may be at most
         * @example {
         *       "modules": 0,
         *       "entries": 0,
         *       "communities": 0,
         *       "speakers": 0,
         *       "peers": 0,
         *       "sessions": 0,
         *       "api_keys": 0,
         *       "jobs_queued": 0,
         *       "firewall_clients": 0,
         *       "firewall_rules": 0,
         *       "feeds": 0,
         *       "webhooks": 0,
         *       "doh_profiles": 0,
         *       "enrollment_tokens": 0
         *     }
         */
        Quotas: {
            /** @description API keys that work */
            api_keys: number;
            /** @description Communities */
            communities: number;
            /** @description DoH profiles */
            doh_profiles: number;
            /** @description Enrollment tokens that can be used */
            enrollment_tokens: number;
            /** @description Entries of all modules together */
            entries: number;
            /** @description Feeds */
            feeds: number;
            /** @description Firewall clients */
            firewall_clients: number;
            /** @description Firewall rules */
            firewall_rules: number;
            /** @description Jobs that wait for their turn */
            jobs_queued: number;
            /** @description Modules */
            modules: number;
            /** @description Peers */
            peers: number;
            /** @description Sessions of peers with speakers on this machine */
            sessions: number;
            /** @description Speakers */
            speakers: number;
            /** @description Webhooks */
            webhooks: number;
        };
        /**
         * @example {
         *       "status": "ready",
         *       "checks": {}
         *     }
         */
        Readiness: {
            checks: {
                [key: string]: {
                    milliseconds: number;
                    ok: boolean;
                };
            };
            /** @constant */
            status: "ready";
        };
        /**
         * @example {
         *       "line": 1,
         *       "text": "Administrative Reset",
         *       "reason": "Agreed with the network team"
         *     }
         */
        RejectedLine: {
            /** @description Line of the text or CSV; in JSON the place among the values */
            line: number;
            reason: string;
            text: string;
        };
        /**
         * @example {
         *       "override": [
         *         "max_change_exceeded"
         *       ],
         *       "reason": "the provider moved to another network"
         *     }
         */
        ReleaseRequest: {
            /** @description All guardrails that the release breaks (`findings` of `GET …/held/diff`), to allow them for this snapshot; empty if it breaks none any more, such as after the speaker was deleted that would lose routes */
            override: ("default_route_forbidden" | "coverage_exceeded" | "prefix_too_short" | "bogon_prefix" | "protected_prefix" | "max_change_exceeded" | "rolled_back" | "large_withdrawal" | "max_prefixes_exceeded" | "tenant_policy")[];
            /** @description Why */
            reason: string;
            /**
             * @description `held.snapshot` as you inspected it: no other snapshot is released
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60
             */
            snapshot?: string;
        };
        /** @description The `batch` that puts the deleted entries back with `POST /v1/modules/{module_id}/entries/restore`; null: nothing was deleted that is kept. Of a dry run or a plan, nothing has it */
        RemovalBatch: components["schemas"]["Id"] | null;
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "entry_count": 12,
         *       "names": [
         *         "198.51.100.0/24",
         *         "203.0.113.0/24"
         *       ],
         *       "removed_at": "2026-01-31T12:00:00.000Z",
         *       "removed_by": "key:operations",
         *       "kept_until": "2026-01-31T12:00:00.000Z",
         *       "restored_at": "2026-01-31T12:00:00.000Z",
         *       "restored_by": "key:operations"
         *     }
         */
        RemovedEntries: {
            /** @description Entries that are kept; those that had expired are not */
            entry_count: number;
            /**
             * Format: uuid
             * @description The `batch` to restore
             */
            id: string;
            /**
             * Format: date-time
             * @description When it is forgotten, by the setting `removed_retention_days`; earlier if the tenant removes more than it may have
             */
            kept_until: string;
            /** @description What the first three of them are called */
            names: string[];
            removed_at: components["schemas"]["Timestamp"];
            /** @description Who removed it, as the audit log names them; null: nobody by the API */
            removed_by: string | null;
            /** @description When they were put back; null: they can be */
            restored_at: components["schemas"]["Timestamp"] | null;
            /** @description Who put them back */
            restored_by: string | null;
        };
        RemovedEntriesPage: {
            has_more: boolean;
            items: components["schemas"]["RemovedEntries"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "Cloud providers",
         *       "type": "CDN_SOURCES",
         *       "purpose": "announce",
         *       "enabled": true,
         *       "entry_count": 12,
         *       "removed_at": "2026-01-31T12:00:00.000Z",
         *       "removed_by": "key:operations",
         *       "kept_until": "2026-01-31T12:00:00.000Z"
         *     }
         */
        RemovedModule: {
            /** @description Whether it was enabled, and will be when it is restored */
            enabled: boolean;
            /** @description Entries that are kept; those that had expired are not */
            entry_count: number;
            /**
             * Format: uuid
             * @description The id that the module had, and has again once it is restored
             */
            id: string;
            /**
             * Format: date-time
             * @description When it is forgotten, by the setting `removed_retention_days`; earlier if the tenant removes more than it may have
             */
            kept_until: string;
            name: string;
            /** @enum {string} */
            purpose: "announce" | "exclude";
            removed_at: components["schemas"]["Timestamp"];
            /** @description Who removed it, as the audit log names them; null: nobody by the API */
            removed_by: string | null;
            type: components["schemas"]["ModuleType"];
        };
        RemovedModulePage: {
            has_more: boolean;
            items: components["schemas"]["RemovedModule"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "last_event_id": "1042"
         *     }
         */
        ResetEvent: {
            /** @description The id of an event that is not kept: too old, or never sent */
            last_event_id: string;
        };
        /**
         * @example {
         *       "batch": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "restored": 0,
         *       "expired": 0,
         *       "left_out": [
         *         "65000:666"
         *       ],
         *       "already_there": 0
         *     }
         */
        RestoredEntries: {
            /** @description Entries that somebody has added again since; these stay as they are */
            already_there: number;
            batch: components["schemas"]["Id"];
            /** @description Entries whose end is over, and that stay away */
            expired: number;
            /**
             * @description Communities and resolvers that were deleted meanwhile, and that it came back without
             * @example [
             *       "65000:666"
             *     ]
             */
            left_out: string[];
            /** @description Entries that are back */
            restored: number;
        };
        RestoredEntriesDryRun: {
            body: components["schemas"]["RestoredEntries"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "Cloud providers",
         *       "restored": 0,
         *       "expired": 0,
         *       "left_out": [
         *         "65000:666"
         *       ],
         *       "is_collected_again": true
         *     }
         */
        RestoredModule: {
            /** @description Entries whose end is over, and that stay away */
            expired: number;
            id: components["schemas"]["Id"];
            /** @description Whether what was collected of it is gone: its routes return when its sources were read again. False: they return at once */
            is_collected_again: boolean;
            /**
             * @description Communities and resolvers that were deleted meanwhile, and that it came back without
             * @example [
             *       "65000:666"
             *     ]
             */
            left_out: string[];
            name: string;
            /** @description Entries that are back */
            restored: number;
        };
        RestoredModuleDryRun: {
            body: components["schemas"]["RestoredModule"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /** @description The peer was reverted to what it held before, because it could not take what the speaker runs; null: it was not */
        Reverted: components["schemas"]["RevertedSession"] | null;
        /**
         * @example {
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "tried_revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "since": "2026-01-31T12:00:00.000Z",
         *       "error": "It ended the session (Cease, Administrative Reset). See its log.",
         *       "notification": {
         *         "direction": "received",
         *         "code": 6,
         *         "subcode": 4,
         *         "name": "Cease",
         *         "text": "Administrative Reset"
         *       }
         *     }
         */
        RevertedSession: {
            /** @description What happened to it, and what to do */
            error: string;
            notification: components["schemas"]["NotificationSummary"] | null;
            /** @description What the peer holds; null: nothing */
            revision_id: components["schemas"]["Id"] | null;
            since: components["schemas"]["Timestamp"];
            /** @description What it did not bear; null: a revision that was pruned */
            tried_revision_id: components["schemas"]["Id"] | null;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "number": 42,
         *       "state": "building",
         *       "findings": [
         *         {
         *           "code": "not_found",
         *           "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "examples": [
         *             "198.51.100.0/24"
         *           ],
         *           "lost": [
         *             "198.51.100.0/24"
         *           ],
         *           "measured": 1,
         *           "limit": 1
         *         }
         *       ],
         *       "quarantined": [
         *         {
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "findings": [
         *             {
         *               "code": "not_found",
         *               "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *               "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "examples": [
         *                 "198.51.100.0/24"
         *               ],
         *               "lost": [
         *                 "198.51.100.0/24"
         *               ],
         *               "measured": 1,
         *               "limit": 1
         *             }
         *           ],
         *           "snapshot": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60"
         *         }
         *       ],
         *       "content_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "rollback_of": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "trigger": {
         *         "kind": "refresh",
         *         "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "actor": "key:looking glass"
         *       },
         *       "reason": "Agreed with the network team",
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "communities": [
         *         {
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "title": "Cloud providers",
         *           "prefix_count": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           }
         *         }
         *       ],
         *       "without_community": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "warnings": [
         *         {
         *           "code": "not_found",
         *           "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "examples": [
         *             "198.51.100.0/24"
         *           ],
         *           "lost": [
         *             "198.51.100.0/24"
         *           ],
         *           "measured": 1,
         *           "limit": 1
         *         }
         *       ],
         *       "pinned": true,
         *       "applied_on": [
         *         {
         *           "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "applied_at": "2026-01-31T12:00:00.000Z"
         *         }
         *       ],
         *       "first_applied_at": "2026-01-31T12:00:00.000Z",
         *       "applied_periods": [
         *         {
         *           "from": "2026-01-31T12:00:00.000Z",
         *           "until": "2026-01-31T12:00:00.000Z"
         *         }
         *       ]
         *     }
         */
        Revision: {
            applied_on: {
                applied_at: components["schemas"]["Timestamp"];
                speaker_id: components["schemas"]["Id"];
            }[];
            /** @description When speakers had it, the newest first, as far as applies are kept: one that was applied again after another has a period for each time. Of each apply the speakers count that had it first and last. An apply that was taken back (a canary) counts for nothing, nor does a speaker that was deleted; one that is disabled counts only where no other had it */
            applied_periods: components["schemas"]["AppliedPeriod"][];
            communities: components["schemas"]["RevisionCommunity"][];
            content_hash: string | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description The guardrails that it breaks; such a revision is held until an operator overrides them */
            findings: components["schemas"]["Finding"][];
            /** @description When a speaker had it first, as far as applies are kept; null: none had it */
            first_applied_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            number: number;
            parent_id: components["schemas"]["Id"] | null;
            pinned: boolean;
            prefix_count: components["schemas"]["PrefixCount"];
            /** @description Modules that were held when it was built: it has their last accepted snapshots, or nothing of modules without one; with `large_withdrawal`, or after a rollback (`rolled_back`), it has a module as it was, although that may be disabled or deleted */
            quarantined: components["schemas"]["Quarantined"][];
            /** @description Why somebody rolled back, in their words; null: nobody said, or it is no rollback */
            reason: string | null;
            rollback_of: components["schemas"]["Id"] | null;
            state: components["schemas"]["RevisionState"];
            trigger: components["schemas"]["RevisionTrigger"];
            updated_at: components["schemas"]["Timestamp"];
            warnings: components["schemas"]["Finding"][];
            /** @description Routes that carry no community; null: it was built before they were counted */
            without_community: components["schemas"]["PrefixCount"] | null;
        };
        /**
         * @example {
         *       "type": "revision_build",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "state": "queued",
         *       "progress": {
         *         "phase": "collect",
         *         "done": 0,
         *         "total": 0,
         *         "waiting_for": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "to_begin": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ]
         *       },
         *       "attempt": 0,
         *       "queued_at": "2026-01-31T12:00:00.000Z",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:04.000Z",
         *       "error": null,
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       },
         *       "requested_by": "key:looking glass",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "result": {
         *         "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "number": 42,
         *         "revision_state": "building",
         *         "findings": [
         *           "max_change_exceeded"
         *         ],
         *         "quarantined": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "content_changed": true,
         *         "revision_created": true,
         *         "apply_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       }
         *     }
         */
        RevisionBuildJob: {
            /** @description How often it was begun */
            attempt: number;
            created_at: components["schemas"]["Timestamp"];
            /** @description Null: it has not failed */
            error: components["schemas"]["JobError"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            /** @description The job that it was queued by */
            parent_id: components["schemas"]["Id"] | null;
            progress: components["schemas"]["JobProgress"] | null;
            queued_at: components["schemas"]["Timestamp"];
            requested_by: string | null;
            resource: components["schemas"]["JobResource"] | null;
            /** @description Null: it has not ended, or has nothing to show */
            result: components["schemas"]["RevisionBuildResult"] | null;
            started_at: components["schemas"]["Timestamp"] | null;
            state: components["schemas"]["JobState"];
            /** @constant */
            type: "revision_build";
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "number": 42,
         *       "revision_state": "building",
         *       "findings": [
         *         "max_change_exceeded"
         *       ],
         *       "quarantined": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "content_changed": true,
         *       "revision_created": true,
         *       "apply_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        RevisionBuildResult: {
            /** @description The apply that was queued for the revision, or the one of it that had not ended yet; null: neither. Where `revision_created` is false, one may have ended */
            apply_job_id: components["schemas"]["Id"] | null;
            /** @description Whether it differs from the latest ready revision before it */
            content_changed: boolean;
            /** @description Codes of the guardrails that it breaks */
            findings: string[];
            number: number;
            /** @description Modules that are held, and so in it with what was accepted of them before */
            quarantined: components["schemas"]["Id"][];
            /** @description false: the newest revision held all of it already, and is the one named here */
            revision_created: boolean;
            revision_id: components["schemas"]["Id"];
            revision_state: components["schemas"]["RevisionState"];
        };
        /**
         * @example {
         *       "prefix": "198.51.100.0/24",
         *       "change": "announced",
         *       "communities_before": [
         *         {
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "title": "Cloud providers"
         *         }
         *       ],
         *       "communities_after": [
         *         {
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "title": "Cloud providers"
         *         }
         *       ]
         *     }
         */
        RevisionChange: {
            /** @enum {string} */
            change: "announced" | "withdrawn" | "changed";
            communities_after: {
                community: string;
                community_id: components["schemas"]["Id"];
                title: string;
            }[];
            communities_before: {
                community: string;
                community_id: components["schemas"]["Id"];
                title: string;
            }[];
            prefix: string;
        };
        /**
         * @example {
         *       "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "community": "65000:100",
         *       "title": "Cloud providers",
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       }
         *     }
         */
        RevisionCommunity: {
            community: string;
            community_id: components["schemas"]["Id"];
            prefix_count: components["schemas"]["PrefixCount"];
            title: string;
        };
        /**
         * @example {
         *       "summary": {
         *         "announced": 1424,
         *         "withdrawn": 0,
         *         "changed": 0,
         *         "by_family": {
         *           "ipv4": {
         *             "announced": 1424,
         *             "withdrawn": 0,
         *             "changed": 0
         *           },
         *           "ipv6": {
         *             "announced": 1424,
         *             "withdrawn": 0,
         *             "changed": 0
         *           }
         *         },
         *         "by_community": [
         *           {
         *             "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "community": "65000:100",
         *             "title": "Cloud providers",
         *             "announced": 1424,
         *             "withdrawn": 0,
         *             "changed": 0
         *           }
         *         ],
         *         "by_module": [
         *           {
         *             "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "name": "Cloud providers",
         *             "announced": 1424,
         *             "withdrawn": 0,
         *             "changed": 0
         *           }
         *         ]
         *       },
         *       "matching": {
         *         "announced": 1424,
         *         "withdrawn": 0,
         *         "changed": 0
         *       },
         *       "items": [
         *         {
         *           "prefix": "198.51.100.0/24",
         *           "change": "announced",
         *           "communities_before": [
         *             {
         *               "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "title": "Cloud providers"
         *             }
         *           ],
         *           "communities_after": [
         *             {
         *               "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "title": "Cloud providers"
         *             }
         *           ]
         *         }
         *       ],
         *       "next_cursor": null,
         *       "has_more": false
         *     }
         */
        RevisionDiff: {
            has_more: boolean;
            items: components["schemas"]["RevisionChange"][];
            /** @description Of these, what the filters leave */
            matching: {
                announced: number;
                changed: number;
                withdrawn: number;
            };
            next_cursor: string | null;
            summary: components["schemas"]["DiffBreakdown"];
        };
        RevisionDryRun: {
            body: components["schemas"]["Revision"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "number": 42,
         *       "state": "building",
         *       "content_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "rollback_of": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "trigger": {
         *         "kind": "refresh",
         *         "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "actor": "key:looking glass"
         *       },
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       }
         *     }
         */
        RevisionEvent: {
            at: components["schemas"]["Timestamp"];
            content_hash: string | null;
            id: components["schemas"]["Id"];
            number: number;
            parent_id: components["schemas"]["Id"] | null;
            prefix_count: components["schemas"]["PrefixCount"];
            rollback_of: components["schemas"]["Id"] | null;
            state: components["schemas"]["RevisionState"];
            trigger: components["schemas"]["RevisionTrigger"];
        };
        /**
         * @example {
         *       "family": "ipv4",
         *       "within": "8.0.0.0/8",
         *       "cell_length": 24,
         *       "covered": "AAAA/4CA"
         *     }
         */
        RevisionMap: {
            /**
             * @description The prefix length of each part
             * @example 24
             */
            cell_length: number;
            /**
             * @description 65,536 bytes in base64, one for each part of `within` by address: how much the revision announces; 0: nothing of it, 255: all of it, 1 to 254: the share in between. Along a Hilbert curve of order 8 they are a picture of 256 by 256
             * @example AAAA/4CA
             */
            covered: string;
            family: components["schemas"]["FamilyName"];
            /**
             * @description What the map shows
             * @example 8.0.0.0/8
             */
            within: string;
        };
        RevisionPage: {
            has_more: boolean;
            items: components["schemas"]["Revision"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "pinned": true
         *     }
         */
        RevisionPatch: {
            pinned: boolean;
        };
        /**
         * @example {
         *       "prefix": "198.51.100.0/24",
         *       "communities": [
         *         {
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "title": "Cloud providers"
         *         }
         *       ],
         *       "change": "announced"
         *     }
         */
        RevisionPrefix: {
            /**
             * @description With `since_revision`; a withdrawn prefix comes with the communities that it had
             * @enum {string}
             */
            change?: "announced" | "withdrawn" | "changed";
            communities: {
                community: string;
                community_id: components["schemas"]["Id"];
                title: string;
            }[];
            prefix: string;
        };
        RevisionPrefixPage: {
            has_more: boolean;
            items: components["schemas"]["RevisionPrefix"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "number": 42,
         *       "state": "building",
         *       "findings": [
         *         {
         *           "code": "not_found",
         *           "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "examples": [
         *             "198.51.100.0/24"
         *           ],
         *           "lost": [
         *             "198.51.100.0/24"
         *           ],
         *           "measured": 1,
         *           "limit": 1
         *         }
         *       ],
         *       "frozen": true,
         *       "speakers": [
         *         {
         *           "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "fra1",
         *           "daemon": "bird",
         *           "enabled": true,
         *           "applied_revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "prefix_count": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           },
         *           "communities": [
         *             {
         *               "community": "65000:100",
         *               "title": "Cloud providers",
         *               "prefix_count": {
         *                 "ipv4": 1376,
         *                 "ipv6": 48
         *               }
         *             }
         *           ],
         *           "difference": {
         *             "announced": 1424,
         *             "withdrawn": 0,
         *             "changed": 0
         *           },
         *           "refusals": [
         *             "local_asn is not set"
         *           ],
         *           "peers": [
         *             {
         *               "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "name": "edge1",
         *               "address": "192.0.2.2",
         *               "families": [
         *                 "ipv4"
         *               ],
         *               "communities": [
         *                 "65000:100"
         *               ],
         *               "prefix_count": {
         *                 "ipv4": 1376,
         *                 "ipv6": 48
         *               },
         *               "without_next_hop": {
         *                 "ipv4": 1376,
         *                 "ipv6": 48
         *               },
         *               "max_prefixes_out": 1,
         *               "max_prefixes_out_exceeded": true,
         *               "kept_prefix_count": {
         *                 "ipv4": 1376,
         *                 "ipv6": 48
         *               },
         *               "fitted": {
         *                 "prefix_count": {
         *                   "ipv4": 1376,
         *                   "ipv6": 48
         *                 },
         *                 "cost": {
         *                   "ipv4": {
         *                     "added_addresses": "3072",
         *                     "added_percent": 1,
         *                     "optimal": true,
         *                     "added_prefixes": [
         *                       "198.51.100.128/25"
         *                     ]
         *                   },
         *                   "ipv6": {
         *                     "added_addresses": "3072",
         *                     "added_percent": 1,
         *                     "optimal": true,
         *                     "added_prefixes": [
         *                       "198.51.100.128/25"
         *                     ]
         *                   }
         *                 },
         *                 "largest": [
         *                   {
         *                     "prefix": "198.51.100.0/24",
         *                     "added_addresses": "3072"
         *                   }
         *                 ]
         *               },
         *               "unfitted": "fitting its routes would add 3072 foreign IPv4 addresses, 12.5 % of its own, and the setting fit_max_added_percent is 10",
         *               "unfitted_cost": {
         *                 "ipv4": {
         *                   "added_addresses": "3072",
         *                   "added_percent": 1,
         *                   "optimal": true,
         *                   "added_prefixes": [
         *                     "198.51.100.128/25"
         *                   ]
         *                 },
         *                 "ipv6": {
         *                   "added_addresses": "3072",
         *                   "added_percent": 1,
         *                   "optimal": true,
         *                   "added_prefixes": [
         *                     "198.51.100.128/25"
         *                   ]
         *                 }
         *               }
         *             }
         *           ],
         *           "configuration": {
         *             "model": {
         *               "tenant_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "name": "Cloud providers",
         *               "router_id": "192.0.2.1",
         *               "local_asn": 64512,
         *               "local_ipv4": "192.0.2.1",
         *               "local_ipv6": "2001:db8::1",
         *               "bird_routes": "static",
         *               "peers": [
         *                 {
         *                   "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *                   "name": "Cloud providers",
         *                   "address": "192.0.2.2",
         *                   "port": 179,
         *                   "remote_asn": 64500,
         *                   "local_asn": 64512,
         *                   "local_address": "192.0.2.1",
         *                   "families": [
         *                     "ipv4"
         *                   ],
         *                   "passive": true,
         *                   "takes_calls": true,
         *                   "multihop": 1,
         *                   "password": "correct horse battery staple",
         *                   "refusal": "its password cannot be read, since the secret key of the service was changed",
         *                   "hold_time": 90,
         *                   "next_hop_ipv4": "192.0.2.1",
         *                   "next_hop_ipv6": "2001:db8::1",
         *                   "labels": [
         *                     "65000:100"
         *                   ],
         *                   "max_prefixes_out": 1,
         *                   "fits": true,
         *                   "graceful_restart": true,
         *                   "restart_time": 1,
         *                   "stale_time": 1,
         *                   "bfd": true,
         *                   "is_bird": true
         *                 }
         *               ]
         *             },
         *             "files": [
         *               {
         *                 "path": "prefixcast.conf",
         *                 "content": "router id 192.0.2.1;"
         *               }
         *             ]
         *           }
         *         }
         *       ]
         *     }
         */
        RevisionPreview: {
            /** @description The guardrails that it would break now, which may differ from those when it was built */
            findings: components["schemas"]["Finding"][];
            /** @description The setting deploy_freeze is on */
            frozen: boolean;
            number: number;
            revision_id: components["schemas"]["Id"];
            speakers: components["schemas"]["SpeakerPreview"][];
            state: components["schemas"]["RevisionState"];
        };
        /**
         * @example {
         *       "type": "revision_prune",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "state": "queued",
         *       "progress": {
         *         "phase": "collect",
         *         "done": 0,
         *         "total": 0,
         *         "waiting_for": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "to_begin": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ]
         *       },
         *       "attempt": 0,
         *       "queued_at": "2026-01-31T12:00:00.000Z",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:04.000Z",
         *       "error": null,
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       },
         *       "requested_by": "key:looking glass",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "result": {
         *         "retention_minutes": 43200,
         *         "revisions": 0,
         *         "contents": 0,
         *         "blocks": 0,
         *         "bytes": 45056
         *       }
         *     }
         */
        RevisionPruneJob: {
            /** @description How often it was begun */
            attempt: number;
            created_at: components["schemas"]["Timestamp"];
            /** @description Null: it has not failed */
            error: components["schemas"]["JobError"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            /** @description The job that it was queued by */
            parent_id: components["schemas"]["Id"] | null;
            progress: components["schemas"]["JobProgress"] | null;
            queued_at: components["schemas"]["Timestamp"];
            requested_by: string | null;
            resource: components["schemas"]["JobResource"] | null;
            /** @description Null: it has not ended, or has nothing to show */
            result: components["schemas"]["PruneEstimate"] | null;
            started_at: components["schemas"]["Timestamp"] | null;
            state: components["schemas"]["JobState"];
            /** @constant */
            type: "revision_prune";
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @example {} */
        RevisionRequest: {
            /** @description Why; the audit log keeps it */
            reason?: string;
        };
        /** @enum {string} */
        RevisionState: "building" | "ready" | "held" | "failed";
        /**
         * @example {
         *       "kind": "refresh",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "actor": "key:looking glass"
         *     }
         */
        RevisionTrigger: {
            /** @description Who made the edits that it holds, else who asked for it; `auto:scheduler`: nobody did */
            actor: string | null;
            job_id: components["schemas"]["Id"] | null;
            /**
             * @description `refresh`: modules were collected; `rollback`; `manual`: POST /v1/revisions; `edit`: by itself after edits; `expiry`: the time of entries was over (`expires_at`); `release`: the held module `module_id` was released
             * @enum {string}
             */
            kind: "refresh" | "rollback" | "manual" | "edit" | "expiry" | "release";
            module_id: components["schemas"]["Id"] | null;
        };
        /**
         * @description `viewer` reads, `operator` also changes, `node` and `firewall` can use only their own routes; `super_viewer` and `super_admin` are viewer and operator that also manage tenants
         * @enum {string}
         */
        RoleName: "viewer" | "operator" | "node" | "firewall" | "super_viewer" | "super_admin";
        /**
         * @example {
         *       "reason": "Routers lost the office in the last refresh"
         *     }
         */
        RollbackRequest: {
            /** @description Why; the new revision and the audit log keep it */
            reason?: string;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "number": 42,
         *       "state": "building",
         *       "findings": [
         *         {
         *           "code": "not_found",
         *           "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "examples": [
         *             "198.51.100.0/24"
         *           ],
         *           "lost": [
         *             "198.51.100.0/24"
         *           ],
         *           "measured": 1,
         *           "limit": 1
         *         }
         *       ],
         *       "quarantined": [
         *         {
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "findings": [
         *             {
         *               "code": "not_found",
         *               "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *               "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "community": "65000:100",
         *               "examples": [
         *                 "198.51.100.0/24"
         *               ],
         *               "lost": [
         *                 "198.51.100.0/24"
         *               ],
         *               "measured": 1,
         *               "limit": 1
         *             }
         *           ],
         *           "snapshot": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60"
         *         }
         *       ],
         *       "content_hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "rollback_of": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "trigger": {
         *         "kind": "refresh",
         *         "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "actor": "key:looking glass"
         *       },
         *       "reason": "Agreed with the network team",
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "communities": [
         *         {
         *           "community_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "title": "Cloud providers",
         *           "prefix_count": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           }
         *         }
         *       ],
         *       "without_community": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "warnings": [
         *         {
         *           "code": "not_found",
         *           "detail": "Module Cloud providers: without any edit, its lists lost 81 % of the 4120 IPv4 prefixes accepted before, and 30 % is the most. See what changed with the difference; let it through with override if it is right, or fix or disable the source.",
         *           "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "entry_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "community": "65000:100",
         *           "examples": [
         *             "198.51.100.0/24"
         *           ],
         *           "lost": [
         *             "198.51.100.0/24"
         *           ],
         *           "measured": 1,
         *           "limit": 1
         *         }
         *       ],
         *       "pinned": true,
         *       "applied_on": [
         *         {
         *           "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "applied_at": "2026-01-31T12:00:00.000Z"
         *         }
         *       ],
         *       "first_applied_at": "2026-01-31T12:00:00.000Z",
         *       "applied_periods": [
         *         {
         *           "from": "2026-01-31T12:00:00.000Z",
         *           "until": "2026-01-31T12:00:00.000Z"
         *         }
         *       ],
         *       "apply_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        RolledBack: {
            applied_on: {
                applied_at: components["schemas"]["Timestamp"];
                speaker_id: components["schemas"]["Id"];
            }[];
            /** @description When speakers had it, the newest first, as far as applies are kept: one that was applied again after another has a period for each time. Of each apply the speakers count that had it first and last. An apply that was taken back (a canary) counts for nothing, nor does a speaker that was deleted; one that is disabled counts only where no other had it */
            applied_periods: components["schemas"]["AppliedPeriod"][];
            apply_job_id: components["schemas"]["Id"] | null;
            communities: components["schemas"]["RevisionCommunity"][];
            content_hash: string | null;
            created_at: components["schemas"]["Timestamp"];
            /** @description The guardrails that it breaks; such a revision is held until an operator overrides them */
            findings: components["schemas"]["Finding"][];
            /** @description When a speaker had it first, as far as applies are kept; null: none had it */
            first_applied_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            number: number;
            parent_id: components["schemas"]["Id"] | null;
            pinned: boolean;
            prefix_count: components["schemas"]["PrefixCount"];
            /** @description Modules that were held when it was built: it has their last accepted snapshots, or nothing of modules without one; with `large_withdrawal`, or after a rollback (`rolled_back`), it has a module as it was, although that may be disabled or deleted */
            quarantined: components["schemas"]["Quarantined"][];
            /** @description Why somebody rolled back, in their words; null: nobody said, or it is no rollback */
            reason: string | null;
            rollback_of: components["schemas"]["Id"] | null;
            state: components["schemas"]["RevisionState"];
            trigger: components["schemas"]["RevisionTrigger"];
            updated_at: components["schemas"]["Timestamp"];
            warnings: components["schemas"]["Finding"][];
            /** @description Routes that carry no community; null: it was built before they were counted */
            without_community: components["schemas"]["PrefixCount"] | null;
        };
        RolledBackDryRun: {
            body: components["schemas"]["RolledBack"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "daemon": "bird",
         *       "host": "router1",
         *       "reachable": true,
         *       "version": "0.1.0",
         *       "router_id": "192.0.2.1",
         *       "uptime_seconds": 1,
         *       "last_reconfigured_at": "2026-01-31T12:00:00.000Z",
         *       "speakers": 0,
         *       "sessions": {
         *         "total": 0,
         *         "established": 0
         *       },
         *       "protocols": {
         *         "total": 0,
         *         "up": 0
         *       },
         *       "error": null
         *     }
         */
        RouterDaemon: {
            daemon: components["schemas"]["Daemon"];
            /** @description Why the last attempt failed, and what to do; null when it did not */
            error: string | null;
            /** @description Machine of the process that drives it; null: no process does */
            host: string | null;
            last_reconfigured_at: components["schemas"]["Timestamp"] | null;
            protocols: {
                /** @description Of these speakers, in daemons that have protocols */
                total: number;
                /** @description Of these, up */
                up: number;
            } | null;
            /** @description Whether a process drives it and it answers */
            reachable: boolean;
            /** @description The daemon's own BGP identifier; a speaker's if the daemon has none */
            router_id: string | null;
            sessions: {
                established: number;
                /** @description Sessions that these speakers should have */
                total: number;
            };
            /** @description Enabled speakers of the tenant that live in it */
            speakers: number;
            /** @description Seconds since it started */
            uptime_seconds: number | null;
            version: string | null;
        };
        /**
         * @example {
         *       "type": "router_reload",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "state": "queued",
         *       "progress": {
         *         "phase": "collect",
         *         "done": 0,
         *         "total": 0,
         *         "waiting_for": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ],
         *         "to_begin": [
         *           "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         ]
         *       },
         *       "attempt": 0,
         *       "queued_at": "2026-01-31T12:00:00.000Z",
         *       "started_at": "2026-01-31T12:00:00.000Z",
         *       "finished_at": "2026-01-31T12:00:04.000Z",
         *       "error": null,
         *       "resource": {
         *         "type": "module",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       },
         *       "requested_by": "key:looking glass",
         *       "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "result": {
         *         "daemons": [
         *           {
         *             "daemon": "bird",
         *             "host": "router1",
         *             "status": "ok",
         *             "error": null
         *           }
         *         ]
         *       }
         *     }
         */
        RouterReloadJob: {
            /** @description How often it was begun */
            attempt: number;
            created_at: components["schemas"]["Timestamp"];
            /** @description Null: it has not failed */
            error: components["schemas"]["JobError"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
            id: components["schemas"]["Id"];
            /** @description The job that it was queued by */
            parent_id: components["schemas"]["Id"] | null;
            progress: components["schemas"]["JobProgress"] | null;
            queued_at: components["schemas"]["Timestamp"];
            requested_by: string | null;
            resource: components["schemas"]["JobResource"] | null;
            /** @description Null: it has not ended, or has nothing to show */
            result: components["schemas"]["RouterReloadResult"] | null;
            started_at: components["schemas"]["Timestamp"] | null;
            state: components["schemas"]["JobState"];
            /** @constant */
            type: "router_reload";
            updated_at: components["schemas"]["Timestamp"];
        };
        /**
         * @example {
         *       "daemons": [
         *         {
         *           "daemon": "bird",
         *           "host": "router1",
         *           "status": "ok",
         *           "error": null
         *         }
         *       ]
         *     }
         */
        RouterReloadResult: {
            daemons: {
                daemon: components["schemas"]["Daemon"];
                error: string | null;
                /** @description Machine of the process that drives it; null: no process does */
                host: string | null;
                /** @enum {string} */
                status: "ok" | "failed";
            }[];
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "daemon": "bird",
         *           "host": "router1",
         *           "reachable": true,
         *           "version": "0.1.0",
         *           "router_id": "192.0.2.1",
         *           "uptime_seconds": 1,
         *           "last_reconfigured_at": "2026-01-31T12:00:00.000Z",
         *           "speakers": 0,
         *           "sessions": {
         *             "total": 0,
         *             "established": 0
         *           },
         *           "protocols": {
         *             "total": 0,
         *             "up": 0
         *           },
         *           "error": null
         *         }
         *       ]
         *     }
         */
        RouterStatus: {
            /** @description One for each daemon that runs local speakers, on each machine */
            items: components["schemas"]["RouterDaemon"][];
        };
        /**
         * @example {
         *       "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "base": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60",
         *       "added": [
         *         "198.51.100.0/24"
         *       ],
         *       "removed": [
         *         "203.0.113.0/24"
         *       ]
         *     }
         */
        RulesetElements: {
            /** @description Prefixes, in address order */
            added: string[];
            /** @description Hash of the set that this is the difference to; null: it is whole */
            base: string | null;
            /** @description SHA-256 of its prefixes, one a line, as the manifest names it */
            hash: string;
            /** @description Prefixes, in address order */
            removed: string[];
        };
        /**
         * @description SHA-256 of what a ruleset does: equal rulesets have equal hashes
         * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0bfc8d5f1c2b2a3d4e5f60
         */
        RulesetHash: string;
        /**
         * @example {
         *       "name": "Cloud providers",
         *       "size": 0,
         *       "modified_at": "2026-01-31T12:00:00.000Z",
         *       "reason": "max_file_bytes"
         *     }
         */
        RuntimeLogCandidate: {
            modified_at: components["schemas"]["Timestamp"];
            name: string;
            /**
             * @description `max_file_bytes`: the file is larger; `max_total_bytes`: all files together are, and it is among the oldest
             * @enum {string}
             */
            reason: "max_file_bytes" | "max_total_bytes";
            /** @description Bytes */
            size: number;
        };
        /**
         * @example {
         *       "dry_run": true,
         *       "mode": "truncate",
         *       "max_file_bytes": 0,
         *       "max_total_bytes": 0,
         *       "total_bytes": 0,
         *       "freed_bytes": 0,
         *       "files": [
         *         {
         *           "name": "Cloud providers",
         *           "size": 0,
         *           "modified_at": "2026-01-31T12:00:00.000Z",
         *           "reason": "max_file_bytes"
         *         }
         *       ],
         *       "failed": [
         *         {
         *           "name": "Cloud providers",
         *           "detail": "No source of the module could be read."
         *         }
         *       ]
         *     }
         */
        RuntimeLogCleanup: {
            /** @description true: nothing was done */
            dry_run: boolean;
            /** @description Files that could not be cleaned */
            failed: {
                /** @description Why; null: it is gone */
                detail: string | null;
                name: string;
            }[];
            /** @description What is cleaned, or was */
            files: components["schemas"]["RuntimeLogCandidate"][];
            /** @description What the cleanup frees, or has freed */
            freed_bytes: number;
            /** @description The setting `runtime_logs_max_file_bytes` */
            max_file_bytes: number;
            /** @description The setting `runtime_logs_max_total_bytes` */
            max_total_bytes: number;
            mode: components["schemas"]["RuntimeLogMode"];
            /** @description All files before the cleanup */
            total_bytes: number;
        };
        /**
         * @example {
         *       "name": "app-all.log",
         *       "size": 0,
         *       "modified_at": "2026-01-31T12:00:00.000Z",
         *       "over_threshold": true
         *     }
         */
        RuntimeLogFile: {
            modified_at: components["schemas"]["Timestamp"];
            name: string;
            /** @description Larger than the setting `runtime_logs_max_file_bytes` */
            over_threshold: boolean;
            /** @description Bytes */
            size: number;
        };
        RuntimeLogFilePage: {
            has_more: boolean;
            items: components["schemas"]["RuntimeLogFile"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /** @enum {string} */
        RuntimeLogMode: "truncate" | "delete";
        /**
         * @example {
         *       "name": "Cloud providers",
         *       "size": 0,
         *       "modified_at": "2026-01-31T12:00:00.000Z",
         *       "lines": [
         *         "{\"level\":30,\"msg\":\"listening\"}"
         *       ],
         *       "truncated": true
         *     }
         */
        RuntimeLogTail: {
            /** @description The oldest first */
            lines: string[];
            modified_at: components["schemas"]["Timestamp"];
            name: string;
            /** @description Bytes */
            size: number;
            /** @description The file has more before these lines */
            truncated: boolean;
        };
        /**
         * @example {
         *       "tenant": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "slug": "example-net",
         *         "name": "Cloud providers"
         *       },
         *       "role": "viewer",
         *       "permissions": [
         *         "bgp:lists:read",
         *         "bgp:lists:write"
         *       ],
         *       "policy": {
         *         "allowed_prefixes": [
         *           "198.51.100.0/22"
         *         ],
         *         "allowed_communities": [
         *           "65000:*"
         *         ],
         *         "allowed_local_asns": [
         *           1
         *         ],
         *         "allowed_peer_networks": [
         *           "192.0.2.0/24"
         *         ],
         *         "allowed_source_addresses": [
         *           "192.0.2.1"
         *         ],
         *         "may_loosen_guards": true
         *       },
         *       "key": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "name": "Cloud providers",
         *         "prefix": "198.51.100.0/24",
         *         "expires_at": "2026-01-31T12:00:00.000Z"
         *       },
         *       "pending_changes": {
         *         "count": 0,
         *         "since": "2026-01-31T12:00:00.000Z"
         *       },
         *       "browser_session": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "created_at": "2026-01-31T12:00:00.000Z",
         *         "expires_at": "2026-01-31T12:00:00.000Z",
         *         "csrf_token": "4hKq7Zt0VwXyB2nD9sLmR5uJcE8gTfA1",
         *         "last_event_id": "1042",
         *         "others": [
         *           {
         *             "tenant": {
         *               "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "slug": "example-net",
         *               "name": "Cloud providers"
         *             },
         *             "role": "viewer"
         *           }
         *         ]
         *       }
         *     }
         */
        Session: {
            /** @description The session of the browser that asks; null: the request came with an API key */
            browser_session: components["schemas"]["BrowserSession"] | null;
            key: {
                expires_at: components["schemas"]["Timestamp"] | null;
                id: components["schemas"]["Id"];
                name: string;
                prefix: string;
            };
            /** @description Edits that change what is announced, and that no revision holds yet */
            pending_changes: {
                /** @description How many; one that touches several modules counts at each of them */
                count: number;
                /** @description When the first of them was made; null: there are none */
                since: components["schemas"]["Timestamp"] | null;
            };
            permissions: string[];
            policy: components["schemas"]["TenantPolicy"];
            role: components["schemas"]["RoleName"];
            tenant: {
                id: components["schemas"]["Id"];
                name: string;
                slug: string;
            };
        };
        /**
         * @example {
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "state": "idle",
         *       "since": "2026-01-31T12:00:00.000Z",
         *       "last_error": null
         *     }
         */
        SessionEvent: {
            at: components["schemas"]["Timestamp"];
            last_error: string | null;
            peer_id: components["schemas"]["Id"];
            since: components["schemas"]["Timestamp"] | null;
            speaker_id: components["schemas"]["Id"];
            /** @description Null: there is no such session any more */
            state: components["schemas"]["SessionStateName"] | null;
        };
        /**
         * @example {
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "speaker_label": "Frankfurt 1",
         *       "state": "idle",
         *       "since": "2026-01-31T12:00:00.000Z",
         *       "routes_exported": 1,
         *       "reverted": {
         *         "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "tried_revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "since": "2026-01-31T12:00:00.000Z",
         *         "error": "It ended the session (Cease, Administrative Reset). See its log.",
         *         "notification": {
         *           "direction": "received",
         *           "code": 6,
         *           "subcode": 4,
         *           "name": "Cease",
         *           "text": "Administrative Reset"
         *         }
         *       },
         *       "last_error": null,
         *       "next_attempt_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        SessionOnSpeaker: {
            /** @description Why the last attempt failed, and what to do; null when it did not */
            last_error: string | null;
            next_attempt_at: components["schemas"]["NextAttempt"];
            reverted: components["schemas"]["Reverted"];
            /** @description Routes that the peer holds from it, both families together */
            routes_exported: number;
            since: components["schemas"]["Timestamp"];
            speaker_id: components["schemas"]["Id"];
            speaker_label: string;
            state: components["schemas"]["SessionStateName"];
        };
        /**
         * @example {
         *       "api_key": "pc_v_0000000000000000000000000000000000000000000_000000"
         *     }
         */
        SessionOpen: {
            /** @description An API key of a role that people have: viewer, operator, super_viewer or super_admin; or the token of a sign-in link */
            api_key: string;
        };
        /**
         * @example {
         *       "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "state": "idle",
         *       "since": "2026-01-31T12:00:00.000Z",
         *       "routes_exported": 0,
         *       "routes_received": 0,
         *       "updates_sent": 0,
         *       "last_error": null,
         *       "next_attempt_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        SessionReport: {
            /** @description Why the last attempt failed, and what to do; null when it did not */
            last_error: string | null;
            /** @description When a session that is down is tried next; null: it is up, or is being tried, or the peer is to connect, or the speaker does not know: `builtin` does */
            next_attempt_at?: components["schemas"]["Timestamp"] | null;
            peer_id: components["schemas"]["Id"];
            routes_exported: number;
            routes_received: number;
            since: components["schemas"]["Timestamp"];
            state: components["schemas"]["SessionStateName"];
            updates_sent: number;
        };
        /**
         * @description Of RFC 4271, section 8.2.2; routes flow in `established` only
         * @enum {string}
         */
        SessionStateName: "idle" | "connect" | "active" | "open_sent" | "open_confirm" | "established";
        /**
         * @example {
         *       "settings": {
         *         "default_community_id": null,
         *         "auto_apply": true,
         *         "auto_revision": true,
         *         "guard_allow_default_route": false,
         *         "guard_max_coverage_percent": 50,
         *         "guard_scope": "module",
         *         "guard_min_prefix_length_ipv4": 8,
         *         "guard_min_prefix_length_ipv6": 19,
         *         "guard_bogons": "drop",
         *         "guard_protected_prefixes": [],
         *         "guard_max_change_percent": 30,
         *         "guard_max_withdraw_percent": 50,
         *         "fit_max_added_percent": 10,
         *         "guard_empty_result": "keep",
         *         "guard_max_rejected_percent": 20,
         *         "guard_stale_max_hours": 168,
         *         "guard_stale_action": "alert",
         *         "guard_max_prefixes": 1000000,
         *         "guard_no_export": true,
         *         "bgp_source_ipv4": null,
         *         "bgp_source_ipv6": null,
         *         "bgp_default_hold_time": 90,
         *         "bgp_default_router_id": null,
         *         "bgp_restart_time": 120,
         *         "deploy_canary_speaker_ids": [],
         *         "deploy_canary_soak_seconds": 60,
         *         "deploy_wave_size": 0,
         *         "deploy_wave_max_failures": 0,
         *         "deploy_max_failed_peers_percent": 50,
         *         "deploy_calm_milliseconds": 3500,
         *         "deploy_confirm_timeout_seconds": 60,
         *         "deploy_freeze": false,
         *         "deploy_freeze_reason": null,
         *         "bundle_valid_hours": 168,
         *         "revision_retention_minutes": 43200,
         *         "removed_retention_days": 30,
         *         "runtime_logs_auto_enabled": false,
         *         "runtime_logs_auto_schedule": "0 3 * * *",
         *         "runtime_logs_max_file_bytes": 104857600,
         *         "runtime_logs_max_total_bytes": 1073741824,
         *         "runtime_logs_auto_mode": "truncate"
         *       },
         *       "known": [
         *         {
         *           "key": "guard_max_prefixes",
         *           "type": "integer",
         *           "default": 1000000,
         *           "minimum": 1,
         *           "maximum": 1,
         *           "description": "A revision with more prefixes, both families together, is held"
         *         }
         *       ],
         *       "hints": [
         *         {
         *           "key": "guard_max_prefix",
         *           "did_you_mean": "guard_max_prefixes"
         *         }
         *       ],
         *       "stopped_applies": [
         *         {
         *           "stopped_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "revision_number": 1,
         *           "speaker_ids": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ],
         *           "apply_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         }
         *       ]
         *     }
         */
        SettingsAnswer: {
            /** @description Keys that mean nothing to the service although they look like one that does */
            hints: {
                did_you_mean: string;
                key: string;
            }[];
            known: components["schemas"]["KnownSetting"][];
            settings: {
                /**
                 * @description A revision with new content queues an apply
                 * @default true
                 */
                auto_apply: boolean;
                /**
                 * @description Edits that change the announced routes lead to a revision automatically, after new and edited entries are collected; false: they wait for a refresh or POST /v1/revisions
                 * @default true
                 */
                auto_revision: boolean;
                /**
                 * @description Hold time in seconds of new peers for which none is given (RFC 4271, section 4.2)
                 * @default 90
                 */
                bgp_default_hold_time: number;
                /**
                 * @description BGP identifier of new speakers for which none is given; null: the service chooses one for each
                 * @default null
                 */
                bgp_default_router_id: string | null;
                /**
                 * @description Seconds for which peers with `graceful_restart` are asked to keep routes while the speaker is down (RFC 4724); of builtin and GoBGP speakers
                 * @default 120
                 */
                bgp_restart_time: number;
                /**
                 * @description Source address of sessions with IPv4 peers if neither the speaker nor its `policies_json` names one; null: the system chooses
                 * @default null
                 */
                bgp_source_ipv4: string | null;
                /**
                 * @description Source address of sessions with IPv6 peers if neither the speaker nor its `policies_json` names one; null: the system chooses
                 * @default null
                 */
                bgp_source_ipv6: string | null;
                /**
                 * @description How long after its signature a node accepts a bundle. It keeps announcing what it has accepted; bundles are signed again in time
                 * @default 168
                 */
                bundle_valid_hours: number;
                /**
                 * @description Community of modules without one of their own; null: their routes carry none
                 * @default null
                 */
                default_community_id: components["schemas"]["Id"] | null;
                /**
                 * @description How long sessions must be up with all routes before an apply that changes something is confirmed; BIRD may take three seconds to report too many routes
                 * @default 3500
                 */
                deploy_calm_milliseconds: number;
                /**
                 * @description How long the sessions of canaries must stay up, with the expected route counts, before the other speakers follow
                 * @default 60
                 */
                deploy_canary_soak_seconds: number;
                /**
                 * @description Speakers that an apply goes to first
                 * @default []
                 */
                deploy_canary_speaker_ids: components["schemas"]["Id"][];
                /**
                 * @description A daemon returns to its previous configuration by itself unless the apply is confirmed in this time
                 * @default 60
                 */
                deploy_confirm_timeout_seconds: number;
                /**
                 * @description Stops every apply, including those that refreshes queue
                 * @default false
                 */
                deploy_freeze: boolean;
                /**
                 * @description Why `deploy_freeze` is on, for others who meet it; the end of the freeze takes it away
                 * @default null
                 */
                deploy_freeze_reason: string | null;
                /**
                 * @description If more of the peers that were healthy before an apply cannot take it, the apply is undone for the whole speaker; otherwise only those peers are reverted
                 * @default 50
                 */
                deploy_max_failed_peers_percent: number;
                /**
                 * @description If more speakers of an apply have failed, the remaining waves are skipped
                 * @default 0
                 */
                deploy_wave_max_failures: number;
                /**
                 * @description Number of speakers that an apply goes to at once; the next ones follow when these have ended. 0: all at once
                 * @default 0
                 */
                deploy_wave_size: number;
                /**
                 * @description A feed or a peer with `when_too_many` `fit` keeps what it has if fitting would add more than this share of foreign addresses to its own, by family
                 * @default 10
                 */
                fit_max_added_percent: number;
                /**
                 * @description Allows 0.0.0.0/0, ::/0 and sets that cover a whole family
                 * @default false
                 */
                guard_allow_default_route: boolean;
                /**
                 * @description Special-purpose addresses (RFC 6890 and successors): `drop` removes them from sources and refuses them as ranges; `allow` allows them
                 * @default drop
                 * @enum {string}
                 */
                guard_bogons: "drop" | "allow";
                /**
                 * @description An entry that had prefixes and now has none: `keep` keeps the last good ones and marks the entry stale, unless its module has `can_be_empty`; `allow` empties it
                 * @default keep
                 * @enum {string}
                 */
                guard_empty_result: "keep" | "allow";
                /**
                 * @description Share of the accepted prefixes or addresses of a module's unchanged entries that may appear or vanish without an edit, by family, of all of them together and of each alone. If there were fewer than 100 prefixes, 100 may appear, and at least half may vanish
                 * @default 30
                 */
                guard_max_change_percent: number;
                /**
                 * @description Share of a family's unicast space that may be covered, before exclusions as well; 90 % or more counts as a default route
                 * @default 50
                 */
                guard_max_coverage_percent: number;
                /**
                 * @description A revision with more prefixes, both families together, is held
                 * @default 1000000
                 */
                guard_max_prefixes: number;
                /**
                 * @description Share of the lines or values of a source that may be unreadable, without comments and blank lines: of a list with more, and more than two, nothing is taken, and the last good prefixes stay
                 * @default 20
                 */
                guard_max_rejected_percent: number;
                /**
                 * @description Share of a speaker's prefixes or addresses that operators' edits may withdraw at once, by family; all of them if there are fewer than 100 prefixes
                 * @default 50
                 */
                guard_max_withdraw_percent: number;
                /**
                 * @description A shorter IPv4 prefix holds the revision
                 * @default 8
                 */
                guard_min_prefix_length_ipv4: number;
                /**
                 * @description A shorter IPv6 prefix holds the revision
                 * @default 19
                 */
                guard_min_prefix_length_ipv6: number;
                /**
                 * @description Every route also carries NO_EXPORT (RFC 1997)
                 * @default true
                 */
                guard_no_export: boolean;
                /**
                 * @description Prefixes that are never announced, whole or in part. The addresses of speakers, peers, resolvers, the service and its database are always protected
                 * @default []
                 */
                guard_protected_prefixes: string[];
                /**
                 * @description What is held if a module breaks a guardrail by itself: `module` holds the module, and the revision uses its last accepted snapshot; `revision` holds the whole revision
                 * @default module
                 * @enum {string}
                 */
                guard_scope: "module" | "revision";
                /**
                 * @description Stale prefixes: `alert` keeps them with a warning in the revision, `drop` removes them with the next revision
                 * @default alert
                 * @enum {string}
                 */
                guard_stale_action: "alert" | "drop";
                /**
                 * @description Prefixes of an entry that was not read successfully for longer than this are stale
                 * @default 168
                 */
                guard_stale_max_hours: number;
                /**
                 * @description How long deleted modules and removed entries can be restored. Older ones are forgotten within an hour
                 * @default 30
                 */
                removed_retention_days: number;
                /**
                 * @description A prune removes older revisions, but never the latest, a pinned one, or one that a speaker runs
                 * @default 43200
                 */
                revision_retention_minutes: number;
                /**
                 * @description Cleans log files by `runtime_logs_auto_schedule`; read from the settings of the home tenant
                 * @default false
                 */
                runtime_logs_auto_enabled: boolean;
                /**
                 * @description How the automatic cleanup cleans a log file: `truncate` empties it, `delete` removes it
                 * @default truncate
                 * @enum {string}
                 */
                runtime_logs_auto_mode: "truncate" | "delete";
                /**
                 * @description When log files are cleaned: minute, hour, day of the month, month and weekday (cron), in UTC
                 * @default 0 3 * * *
                 */
                runtime_logs_auto_schedule: string;
                /**
                 * @description A larger log file is cleaned
                 * @default 104857600
                 */
                runtime_logs_max_file_bytes: number;
                /**
                 * @description While all log files together are larger, the one that was not written to for the longest time is cleaned
                 * @default 1073741824
                 */
                runtime_logs_max_total_bytes: number;
            } & {
                [key: string]: unknown;
            };
            /** @description Applies that ended with `deploy_frozen`, and that no later apply to the same speakers has replaced, the oldest first */
            stopped_applies: components["schemas"]["StoppedApply"][];
        };
        SettingsAnswerDryRun: {
            body: components["schemas"]["SettingsAnswer"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "auto_apply": false
         *     }
         */
        SettingsPatch: {
            /** @description A revision with new content queues an apply */
            auto_apply?: boolean | null;
            /** @description Edits that change the announced routes lead to a revision automatically, after new and edited entries are collected; false: they wait for a refresh or POST /v1/revisions */
            auto_revision?: boolean | null;
            /** @description Hold time in seconds of new peers for which none is given (RFC 4271, section 4.2) */
            bgp_default_hold_time?: number | null;
            /** @description BGP identifier of new speakers for which none is given; null: the service chooses one for each */
            bgp_default_router_id?: string | null;
            /** @description Seconds for which peers with `graceful_restart` are asked to keep routes while the speaker is down (RFC 4724); of builtin and GoBGP speakers */
            bgp_restart_time?: number | null;
            /** @description Source address of sessions with IPv4 peers if neither the speaker nor its `policies_json` names one; null: the system chooses */
            bgp_source_ipv4?: string | null;
            /** @description Source address of sessions with IPv6 peers if neither the speaker nor its `policies_json` names one; null: the system chooses */
            bgp_source_ipv6?: string | null;
            /** @description How long after its signature a node accepts a bundle. It keeps announcing what it has accepted; bundles are signed again in time */
            bundle_valid_hours?: number | null;
            /** @description Community of modules without one of their own; null: their routes carry none */
            default_community_id?: components["schemas"]["Id"] | null;
            /** @description How long sessions must be up with all routes before an apply that changes something is confirmed; BIRD may take three seconds to report too many routes */
            deploy_calm_milliseconds?: number | null;
            /** @description How long the sessions of canaries must stay up, with the expected route counts, before the other speakers follow */
            deploy_canary_soak_seconds?: number | null;
            /** @description Speakers that an apply goes to first */
            deploy_canary_speaker_ids?: components["schemas"]["Id"][] | null;
            /** @description A daemon returns to its previous configuration by itself unless the apply is confirmed in this time */
            deploy_confirm_timeout_seconds?: number | null;
            /** @description Stops every apply, including those that refreshes queue */
            deploy_freeze?: boolean | null;
            /** @description Why `deploy_freeze` is on, for others who meet it; the end of the freeze takes it away */
            deploy_freeze_reason?: string | null;
            /** @description If more of the peers that were healthy before an apply cannot take it, the apply is undone for the whole speaker; otherwise only those peers are reverted */
            deploy_max_failed_peers_percent?: number | null;
            /** @description If more speakers of an apply have failed, the remaining waves are skipped */
            deploy_wave_max_failures?: number | null;
            /** @description Number of speakers that an apply goes to at once; the next ones follow when these have ended. 0: all at once */
            deploy_wave_size?: number | null;
            /** @description A feed or a peer with `when_too_many` `fit` keeps what it has if fitting would add more than this share of foreign addresses to its own, by family */
            fit_max_added_percent?: number | null;
            /** @description Allows 0.0.0.0/0, ::/0 and sets that cover a whole family */
            guard_allow_default_route?: boolean | null;
            /** @description Special-purpose addresses (RFC 6890 and successors): `drop` removes them from sources and refuses them as ranges; `allow` allows them */
            guard_bogons?: ("drop" | "allow") | null;
            /** @description An entry that had prefixes and now has none: `keep` keeps the last good ones and marks the entry stale, unless its module has `can_be_empty`; `allow` empties it */
            guard_empty_result?: ("keep" | "allow") | null;
            /** @description Share of the accepted prefixes or addresses of a module's unchanged entries that may appear or vanish without an edit, by family, of all of them together and of each alone. If there were fewer than 100 prefixes, 100 may appear, and at least half may vanish */
            guard_max_change_percent?: number | null;
            /** @description Share of a family's unicast space that may be covered, before exclusions as well; 90 % or more counts as a default route */
            guard_max_coverage_percent?: number | null;
            /** @description A revision with more prefixes, both families together, is held */
            guard_max_prefixes?: number | null;
            /** @description Share of the lines or values of a source that may be unreadable, without comments and blank lines: of a list with more, and more than two, nothing is taken, and the last good prefixes stay */
            guard_max_rejected_percent?: number | null;
            /** @description Share of a speaker's prefixes or addresses that operators' edits may withdraw at once, by family; all of them if there are fewer than 100 prefixes */
            guard_max_withdraw_percent?: number | null;
            /** @description A shorter IPv4 prefix holds the revision */
            guard_min_prefix_length_ipv4?: number | null;
            /** @description A shorter IPv6 prefix holds the revision */
            guard_min_prefix_length_ipv6?: number | null;
            /** @description Every route also carries NO_EXPORT (RFC 1997) */
            guard_no_export?: boolean | null;
            /** @description Prefixes that are never announced, whole or in part. The addresses of speakers, peers, resolvers, the service and its database are always protected */
            guard_protected_prefixes?: string[] | null;
            /** @description What is held if a module breaks a guardrail by itself: `module` holds the module, and the revision uses its last accepted snapshot; `revision` holds the whole revision */
            guard_scope?: ("module" | "revision") | null;
            /** @description Stale prefixes: `alert` keeps them with a warning in the revision, `drop` removes them with the next revision */
            guard_stale_action?: ("alert" | "drop") | null;
            /** @description Prefixes of an entry that was not read successfully for longer than this are stale */
            guard_stale_max_hours?: number | null;
            /** @description How long deleted modules and removed entries can be restored. Older ones are forgotten within an hour */
            removed_retention_days?: number | null;
            /** @description A prune removes older revisions, but never the latest, a pinned one, or one that a speaker runs */
            revision_retention_minutes?: number | null;
            /** @description Cleans log files by `runtime_logs_auto_schedule`; read from the settings of the home tenant */
            runtime_logs_auto_enabled?: boolean | null;
            /** @description How the automatic cleanup cleans a log file: `truncate` empties it, `delete` removes it */
            runtime_logs_auto_mode?: ("truncate" | "delete") | null;
            /** @description When log files are cleaned: minute, hour, day of the month, month and weekday (cron), in UTC */
            runtime_logs_auto_schedule?: string | null;
            /** @description A larger log file is cleaned */
            runtime_logs_max_file_bytes?: number | null;
            /** @description While all log files together are larger, the one that was not written to for the longest time is cleaned */
            runtime_logs_max_total_bytes?: number | null;
        } & {
            [key: string]: unknown;
        };
        /**
         * @example {
         *       "key_id": "5d41402abc4b2a76",
         *       "algorithm": "Ed25519",
         *       "public_key_pem": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
         *       "public_key": "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
         *       "not_before": "2026-01-31T12:00:00.000Z",
         *       "not_after": "2026-01-31T12:00:00.000Z",
         *       "active": true,
         *       "endorsed_by": "5d41402abc4b2a76",
         *       "endorsement": "nq2Pz0…"
         *     }
         */
        SigningKey: {
            /** @description Whether it signs now */
            active: boolean;
            /** @constant */
            algorithm: "Ed25519";
            /** @description `key_id` of the key that vouches for it; null: the first */
            endorsed_by: string | null;
            /** @description Signature of that key, base64; see docs/reference/bundle-format.md */
            endorsement: string | null;
            /** @description The first 16 hexadecimal digits of the SHA-256 of the raw public key */
            key_id: string;
            /** @description Bundles that it signed are not valid after this; null: no other key follows yet */
            not_after: components["schemas"]["Timestamp"] | null;
            /**
             * Format: date-time
             * @description When it begins, or began, to sign
             */
            not_before: string;
            /** @description The 32 raw bytes, base64 */
            public_key: string;
            /** @description As `openssl pkeyutl -verify -pubin` takes it */
            public_key_pem: string;
        };
        /**
         * @example {
         *       "announce_seconds": 3600
         *     }
         */
        SigningKeyRotate: {
            /**
             * @description How long the new key is announced before it signs; 0: it signs from now on
             * @default 86400
             */
            announce_seconds: number;
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "key_id": "5d41402abc4b2a76",
         *           "algorithm": "Ed25519",
         *           "public_key_pem": "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n",
         *           "public_key": "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=",
         *           "not_before": "2026-01-31T12:00:00.000Z",
         *           "not_after": "2026-01-31T12:00:00.000Z",
         *           "active": true,
         *           "endorsed_by": "5d41402abc4b2a76",
         *           "endorsement": "nq2Pz0…"
         *         }
         *       ]
         *     }
         */
        SigningKeys: {
            items: components["schemas"]["SigningKey"][];
        };
        SigningKeysDryRun: {
            body: components["schemas"]["SigningKeys"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "token": "pc_i_0000000000000000000000000000000000000000000_000000",
         *       "path": "/console/#sign-in=pc_i_0000000000000000000000000000000000000000000_000000",
         *       "expires_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        SignInLink: {
            expires_at: components["schemas"]["Timestamp"];
            /**
             * @description Of the console, which sends what stands after `#` to nobody before somebody signs in
             * @example /console/#sign-in=pc_i_0000000000000000000000000000000000000000000_000000
             */
            path: string;
            /**
             * @description Opens one session, as `api_key` of `POST /v1/auth/session`; it is shown once
             * @example pc_i_0000000000000000000000000000000000000000000_000000
             */
            token: string;
        };
        SignInLinkDryRun: {
            body: components["schemas"]["SignInLink"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "type": "cdn_source",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "module_name": "clouds",
         *       "name": "AS64496",
         *       "enabled": true,
         *       "status": "pending",
         *       "last_refreshed_at": "2026-01-31T12:00:00.000Z",
         *       "age_seconds": 0,
         *       "is_too_old": true,
         *       "last_error": null,
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "retained": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "next_refresh_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        Source: {
            /** @description Since it was last read with success, by the clock of the database; null: it never was */
            age_seconds: number | null;
            /** @description Whether the entry and its module are */
            enabled: boolean;
            id: components["schemas"]["Id"];
            /** @description Its age is over `guard_stale_max_hours` */
            is_too_old: boolean;
            /** @description Why the last attempt failed, and what to do; null when it did not */
            last_error: string | null;
            /** @description When it was last read with success; null: never */
            last_refreshed_at: components["schemas"]["Timestamp"] | null;
            module_id: components["schemas"]["Id"];
            /** @example clouds */
            module_name: string;
            /**
             * @description The name of a list, `AS64496`, or a domain
             * @example AS64496
             */
            name: string;
            /** @description When its module is due; null: by hand only */
            next_refresh_at: components["schemas"]["Timestamp"] | null;
            prefix_count: components["schemas"]["PrefixCount"];
            /** @description Prefixes of the last good read, which stay although the last attempt failed; null: nothing is retained */
            retained: components["schemas"]["PrefixCount"] | null;
            status: components["schemas"]["EntryStatus"];
            type: components["schemas"]["SourceType"];
        };
        /**
         * @example {
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "module_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "type": "cdn_source",
         *       "count": 1,
         *       "sources": [
         *         {
         *           "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "AS64496",
         *           "status": "pending",
         *           "last_error": null
         *         }
         *       ]
         *     }
         */
        SourceEvent: {
            at: components["schemas"]["Timestamp"];
            /** @description How many changed */
            count: number;
            module_id: components["schemas"]["Id"];
            /** @description The first 100 of them, in the order of creation */
            sources: {
                id: components["schemas"]["Id"];
                last_error: string | null;
                /** @example AS64496 */
                name: string;
                status: components["schemas"]["EntryStatus"];
            }[];
            type: components["schemas"]["SourceType"];
        };
        SourcePage: {
            has_more: boolean;
            items: components["schemas"]["Source"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "id": "aws",
         *       "name": "Cloud providers",
         *       "provider": "Example Cloud",
         *       "category": "cloud",
         *       "description": "Address ranges of a cloud provider",
         *       "url": "https://example.net/list.json",
         *       "format": "json",
         *       "json_path": "$.prefixes[*].ip_prefix",
         *       "csv_column": "prefix",
         *       "variants": [
         *         {
         *           "id": "aws-s3",
         *           "name": "Cloud providers",
         *           "url": "https://example.net/list.json",
         *           "format": "json",
         *           "json_path": "$.prefixes[*].ip_prefix"
         *         }
         *       ],
         *       "documentation": "https://docs.example.net/ip-ranges"
         *     }
         */
        SourcePreset: {
            /** @enum {string} */
            category: "cloud" | "cdn" | "service" | "crawler" | "country" | "blocklist";
            /** @description Column with the prefixes: name of its header, or number from 1; null: the first */
            csv_column: string | null;
            /** @description What the list contains, and what to know before you announce it */
            description: string;
            /** @description URL where the publisher describes the list */
            documentation: string;
            /**
             * @description `auto`, the default, detects it by Content-Type, file name and content
             * @enum {string}
             */
            format: "auto" | "text" | "json" | "csv";
            /** @description Stays the same from version to version */
            id: string;
            /** @description JSONPath (RFC 9535) to the prefixes, such as `$.prefixes[*].ip_prefix`, or to a list of them, such as `$.data.list`; the leading `$.` may be left out; null: the places where publishers usually have them */
            json_path: string | null;
            name: string;
            provider: string;
            /** @description For a CDN source; null if the publisher changes it, and `documentation` names the current one */
            url: string | null;
            /** @description Parts of the list, to be used in place of the whole */
            variants: components["schemas"]["SourcePresetVariant"][];
        };
        /**
         * @example {
         *       "items": [
         *         {
         *           "id": "aws",
         *           "name": "Cloud providers",
         *           "provider": "Example Cloud",
         *           "category": "cloud",
         *           "description": "Address ranges of a cloud provider",
         *           "url": "https://example.net/list.json",
         *           "format": "json",
         *           "json_path": "$.prefixes[*].ip_prefix",
         *           "csv_column": "prefix",
         *           "variants": [
         *             {
         *               "id": "aws-s3",
         *               "name": "Cloud providers",
         *               "url": "https://example.net/list.json",
         *               "format": "json",
         *               "json_path": "$.prefixes[*].ip_prefix"
         *             }
         *           ],
         *           "documentation": "https://docs.example.net/ip-ranges"
         *         }
         *       ]
         *     }
         */
        SourcePresets: {
            items: components["schemas"]["SourcePreset"][];
        };
        /**
         * @example {
         *       "id": "aws-s3",
         *       "name": "Cloud providers",
         *       "url": "https://example.net/list.json",
         *       "format": "json",
         *       "json_path": "$.prefixes[*].ip_prefix"
         *     }
         */
        SourcePresetVariant: {
            /**
             * @description `auto`, the default, detects it by Content-Type, file name and content
             * @enum {string}
             */
            format: "auto" | "text" | "json" | "csv";
            /** @description Unique in the preset, such as `service:S3` */
            id: string;
            /** @description JSONPath (RFC 9535) to the prefixes, such as `$.prefixes[*].ip_prefix`, or to a list of them, such as `$.data.list`; the leading `$.` may be left out; null: the places where publishers usually have them */
            json_path: string | null;
            name: string;
            /** @description For a CDN source; null if the publisher changes it, and `documentation` names the current one */
            url: string | null;
        };
        /**
         * @description The kind of entry
         * @enum {string}
         */
        SourceType: "cdn_source" | "as_entry" | "domain_entry" | "geofeed_entry";
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "fra1",
         *       "label": "Frankfurt 1",
         *       "router_id": "192.0.2.1",
         *       "local_asn": 64512,
         *       "local_ipv4": "192.0.2.1",
         *       "local_ipv6": "2001:db8::1",
         *       "policies_json": {
         *         "local_ip": "192.0.2.1",
         *         "local_asn": 64512,
         *         "bird_routes": "static",
         *         "peers": {}
         *       },
         *       "enabled": true,
         *       "daemon": "bird",
         *       "mode": "local",
         *       "applied_revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "applied_at": "2026-01-31T12:00:00.000Z",
         *       "last_apply": {
         *         "status": "running",
         *         "error": null,
         *         "job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       },
         *       "agent": {
         *         "version": "0.1.0",
         *         "last_seen_at": "2026-01-31T12:00:00.000Z",
         *         "hostname": "router1"
         *       },
         *       "live": {
         *         "reachable": true,
         *         "version": "0.1.0",
         *         "router_id": "192.0.2.1",
         *         "uptime_seconds": 1,
         *         "last_reconfigured_at": "2026-01-31T12:00:00.000Z",
         *         "sessions": [
         *           {
         *             "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "peer_name": "edge1",
         *             "address": "192.0.2.2",
         *             "remote_asn": 64500,
         *             "state": "idle",
         *             "since": "2026-01-31T12:00:00.000Z",
         *             "routes_exported": 1,
         *             "routes_received": 1,
         *             "updates_sent": 1,
         *             "reverted": {
         *               "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "tried_revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "since": "2026-01-31T12:00:00.000Z",
         *               "error": "It ended the session (Cease, Administrative Reset). See its log.",
         *               "notification": {
         *                 "direction": "received",
         *                 "code": 6,
         *                 "subcode": 4,
         *                 "name": "Cease",
         *                 "text": "Administrative Reset"
         *               }
         *             },
         *             "last_error": null,
         *             "next_attempt_at": "2026-01-31T12:00:00.000Z"
         *           }
         *         ],
         *         "last_known_sessions": [
         *           {
         *             "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "peer_name": "edge1",
         *             "address": "192.0.2.2",
         *             "remote_asn": 64500,
         *             "was_established": true,
         *             "routes_exported": 1,
         *             "reported_at": "2026-01-31T12:00:00.000Z"
         *           }
         *         ],
         *         "is_locked_out": true,
         *         "is_awaited": true,
         *         "error": null
         *       }
         *     }
         */
        Speaker: {
            /** @description The node agent of a speaker of mode `agent`; null: none has connected yet */
            agent: {
                hostname: string | null;
                last_seen_at: components["schemas"]["Timestamp"] | null;
                version: string | null;
            } | null;
            applied_at: components["schemas"]["Timestamp"] | null;
            /** @description What it announces, also after a restart; null: nothing yet */
            applied_revision_id: components["schemas"]["Id"] | null;
            created_at: components["schemas"]["Timestamp"];
            daemon: components["schemas"]["Daemon"];
            /** @description Whether it counts; true where nothing is said */
            enabled: boolean;
            id: components["schemas"]["Id"];
            /** @description For people; null: the name */
            label: string | null;
            /** @description How the last apply to it ended; null: there was none */
            last_apply: components["schemas"]["LastApply"] | null;
            live?: components["schemas"]["SpeakerLive"];
            local_asn: components["schemas"]["Asn"];
            /** @description Address to call IPv4 peers from; null: the system chooses */
            local_ipv4: string | null;
            /** @description Address to call IPv6 peers from; null: the system chooses */
            local_ipv6: string | null;
            /**
             * @description `agent`: a node pulls its routes by itself
             * @enum {string}
             */
            mode: "local" | "agent";
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            policies_json: components["schemas"]["SpeakerPolicies"];
            /** @description BGP identifier (RFC 6286); null: local_ipv4, or derived from the id if that is null */
            router_id: string | null;
            updated_at: components["schemas"]["Timestamp"];
        };
        /** @example {} */
        SpeakerApplyRequest: {
            /** @description All guardrails that the revision breaks, to override them for this apply */
            override?: ("default_route_forbidden" | "coverage_exceeded" | "prefix_too_short" | "bogon_prefix" | "protected_prefix" | "max_change_exceeded" | "rolled_back" | "large_withdrawal" | "max_prefixes_exceeded" | "tenant_policy")[];
            /** @description Why; required with `override` */
            reason?: string;
            revision_id?: string | number;
        };
        /**
         * @example {
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "wave": 0,
         *       "status": "applied",
         *       "announced": 1424,
         *       "withdrawn": 0,
         *       "changed": 0,
         *       "code": "speaker_unreachable",
         *       "error": null,
         *       "peers": [
         *         {
         *           "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "edge1",
         *           "address": "192.0.2.2",
         *           "status": "applied",
         *           "was_up": true,
         *           "was_behind": true,
         *           "announced": 1424,
         *           "expected": 1424,
         *           "fitted": {
         *             "ipv4": {
         *               "added_addresses": "3072",
         *               "added_percent": 1,
         *               "optimal": true
         *             },
         *             "ipv6": {
         *               "added_addresses": "3072",
         *               "added_percent": 1,
         *               "optimal": true
         *             }
         *           },
         *           "error": null,
         *           "notification": {
         *             "direction": "received",
         *             "code": 6,
         *             "subcode": 4,
         *             "name": "Cease",
         *             "text": "Administrative Reset"
         *           }
         *         }
         *       ]
         *     }
         */
        SpeakerApplyResult: {
            /** @description Routes that are new */
            announced: number;
            /** @description Routes with other communities or next hops than before */
            changed: number;
            /** @description Code of the error, if it has one, such as `verification_failed`, `confirm_timeout` or `speaker_unreachable` */
            code: string | null;
            /** @description Why the speaker does not run the revision, or not every peer has it */
            error: string | null;
            /** @description Peers that need attention come first; empty if nothing reports them. A thousand at most */
            peers: components["schemas"]["PeerApplyResult"][];
            speaker_id: components["schemas"]["Id"];
            /**
             * @description `partial`: it runs the revision, and not every peer has it: see `peers`; `unfinished`: its daemon has begun, and goes on with the revision although the job has ended; `unreachable`: its node was away before, was not waited for, and takes the revision when it is back; `undone`: it took the revision, and went back to what it ran before; `skipped`: it was not changed, because others failed before
             * @enum {string}
             */
            status: "applied" | "partial" | "unchanged" | "failed" | "unfinished" | "unreachable" | "undone" | "skipped";
            /** @description 0: a canary; from 1 on: the waves of the others */
            wave: number;
            /** @description Routes that are gone */
            withdrawn: number;
        };
        /**
         * @example {
         *       "name": "edge-1",
         *       "daemon": "builtin",
         *       "local_asn": 64512,
         *       "local_ipv4": "192.0.2.1"
         *     }
         */
        SpeakerCreate: {
            /**
             * @description What holds the sessions: `builtin` is part of the service, the others are routing daemons
             * @enum {string}
             */
            daemon?: "builtin" | "bird" | "frr" | "gobgp" | "openbgpd";
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description For people; null: the name */
            label?: string | null;
            local_asn: components["schemas"]["Asn"];
            /** @description Address to call IPv4 peers from; null: the system chooses */
            local_ipv4?: string | null;
            /** @description Address to call IPv6 peers from; null: the system chooses */
            local_ipv6?: string | null;
            /**
             * @description `agent`: a node pulls its routes by itself
             * @enum {string}
             */
            mode?: "local" | "agent";
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            policies_json?: components["schemas"]["SpeakerPolicies"];
            /** @description BGP identifier (RFC 6286); null: local_ipv4, or derived from the id if that is null */
            router_id?: string | null;
        };
        SpeakerDryRun: {
            body: components["schemas"]["Speaker"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "fra1",
         *       "announced": 1424,
         *       "withdrawn": 0,
         *       "changed": 0,
         *       "peers": [
         *         {
         *           "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "edge1",
         *           "before": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           },
         *           "after": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           },
         *           "updated": 0,
         *           "withdrawn": 0,
         *           "lost": 0,
         *           "fitted_before": {
         *             "ipv4": {
         *               "added_addresses": "3072",
         *               "added_percent": 1,
         *               "optimal": true,
         *               "added_prefixes": [
         *                 "198.51.100.128/25"
         *               ]
         *             },
         *             "ipv6": {
         *               "added_addresses": "3072",
         *               "added_percent": 1,
         *               "optimal": true,
         *               "added_prefixes": [
         *                 "198.51.100.128/25"
         *               ]
         *             }
         *           },
         *           "fitted": {
         *             "ipv4": {
         *               "added_addresses": "3072",
         *               "added_percent": 1,
         *               "optimal": true,
         *               "added_prefixes": [
         *                 "198.51.100.128/25"
         *               ]
         *             },
         *             "ipv6": {
         *               "added_addresses": "3072",
         *               "added_percent": 1,
         *               "optimal": true,
         *               "added_prefixes": [
         *                 "198.51.100.128/25"
         *               ]
         *             }
         *           },
         *           "unfitted": "fitting its routes would add 3072 foreign IPv4 addresses, 12.5 % of its own, and the setting fit_max_added_percent is 10",
         *           "unfitted_cost": {
         *             "ipv4": {
         *               "added_addresses": "3072",
         *               "added_percent": 1,
         *               "optimal": true,
         *               "added_prefixes": [
         *                 "198.51.100.128/25"
         *               ]
         *             },
         *             "ipv6": {
         *               "added_addresses": "3072",
         *               "added_percent": 1,
         *               "optimal": true,
         *               "added_prefixes": [
         *                 "198.51.100.128/25"
         *               ]
         *             }
         *           },
         *           "session": "same"
         *         }
         *       ]
         *     }
         */
        SpeakerEffect: {
            announced: number;
            changed: number;
            name: string;
            /** @description Its peers that would be sent more, fewer or other routes, or a cover of another cost */
            peers: components["schemas"]["PeerEffect"][];
            speaker_id: components["schemas"]["Id"];
            withdrawn: number;
        };
        /**
         * @description As the process that holds the speaker last reported; only with `live=true`
         * @example {
         *       "reachable": true,
         *       "version": "0.1.0",
         *       "router_id": "192.0.2.1",
         *       "uptime_seconds": 1,
         *       "last_reconfigured_at": "2026-01-31T12:00:00.000Z",
         *       "sessions": [
         *         {
         *           "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "peer_name": "edge1",
         *           "address": "192.0.2.2",
         *           "remote_asn": 64500,
         *           "state": "idle",
         *           "since": "2026-01-31T12:00:00.000Z",
         *           "routes_exported": 1,
         *           "routes_received": 1,
         *           "updates_sent": 1,
         *           "reverted": {
         *             "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "tried_revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *             "since": "2026-01-31T12:00:00.000Z",
         *             "error": "It ended the session (Cease, Administrative Reset). See its log.",
         *             "notification": {
         *               "direction": "received",
         *               "code": 6,
         *               "subcode": 4,
         *               "name": "Cease",
         *               "text": "Administrative Reset"
         *             }
         *           },
         *           "last_error": null,
         *           "next_attempt_at": "2026-01-31T12:00:00.000Z"
         *         }
         *       ],
         *       "last_known_sessions": [
         *         {
         *           "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "peer_name": "edge1",
         *           "address": "192.0.2.2",
         *           "remote_asn": 64500,
         *           "was_established": true,
         *           "routes_exported": 1,
         *           "reported_at": "2026-01-31T12:00:00.000Z"
         *         }
         *       ],
         *       "is_locked_out": true,
         *       "is_awaited": true,
         *       "error": null
         *     }
         */
        SpeakerLive: {
            /** @description What is wrong with the speaker as a whole, and what to do */
            error: string | null;
            /** @description Of a node that has not reported since this service started, a moment ago: it had no time to, so nothing is wrong with it as far as anybody knows */
            is_awaited?: boolean;
            /** @description Of a node that does not report: no key of it works, so it takes nothing until it is enrolled again */
            is_locked_out?: boolean;
            /** @description Of a speaker that nobody reports: its sessions as they were reported last, which may be otherwise now. One of mode `agent` that was disabled, or has lost a peer, has here what its node announces to until it has reported that the session has ended; where the agent was stopped, what its routing daemon goes on with */
            last_known_sessions?: components["schemas"]["LastKnownSession"][];
            /** @description When it last took other peers or settings */
            last_reconfigured_at: components["schemas"]["Timestamp"] | null;
            /** @description Whether a process holds the speaker and its daemon answers */
            reachable: boolean;
            /** @description The BGP identifier in use */
            router_id: string | null;
            /** @description Empty where the speaker is not reachable */
            sessions: components["schemas"]["LiveSession"][];
            /** @description Seconds since the daemon started */
            uptime_seconds: number | null;
            /** @description Of the daemon */
            version: string | null;
        };
        /**
         * @description The settings of speaker and peers that its daemon would get; secrets are `***`
         * @example {
         *       "tenant_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "Cloud providers",
         *       "router_id": "192.0.2.1",
         *       "local_asn": 64512,
         *       "local_ipv4": "192.0.2.1",
         *       "local_ipv6": "2001:db8::1",
         *       "bird_routes": "static",
         *       "peers": [
         *         {
         *           "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "Cloud providers",
         *           "address": "192.0.2.2",
         *           "port": 179,
         *           "remote_asn": 64500,
         *           "local_asn": 64512,
         *           "local_address": "192.0.2.1",
         *           "families": [
         *             "ipv4"
         *           ],
         *           "passive": true,
         *           "takes_calls": true,
         *           "multihop": 1,
         *           "password": "correct horse battery staple",
         *           "refusal": "its password cannot be read, since the secret key of the service was changed",
         *           "hold_time": 90,
         *           "next_hop_ipv4": "192.0.2.1",
         *           "next_hop_ipv6": "2001:db8::1",
         *           "labels": [
         *             "65000:100"
         *           ],
         *           "max_prefixes_out": 1,
         *           "fits": true,
         *           "graceful_restart": true,
         *           "restart_time": 1,
         *           "stale_time": 1,
         *           "bfd": true,
         *           "is_bird": true
         *         }
         *       ]
         *     }
         */
        SpeakerModel: {
            /**
             * @description How a local BIRD gets its routes; absent: in files
             * @enum {string}
             */
            bird_routes?: "static" | "feed";
            local_asn: number;
            local_ipv4: string | null;
            local_ipv6: string | null;
            name: string;
            peers: {
                address: string;
                bfd: boolean;
                families: components["schemas"]["Families"];
                /** @description Over its limit it is sent a cover; absent: it keeps what it has */
                fits?: boolean;
                graceful_restart: boolean;
                hold_time: number;
                id: components["schemas"]["Id"];
                /** @description It is known to be a BIRD, and is sent routes in its order */
                is_bird?: boolean;
                /** @description Communities of which it is sent the routes; null: all */
                labels: string[] | null;
                /** @description Of the session; null: the system chooses */
                local_address: string | null;
                local_asn: number;
                max_prefixes_out: number | null;
                /** @description TTL of the session; null: it is directly connected */
                multihop: number | null;
                name: string;
                /** @description For all that the peer is sent; null: that of the route, else the speaker itself */
                next_hop_ipv4: string | null;
                /** @description For all that the peer is sent; null: that of the route, else the speaker itself */
                next_hop_ipv6: string | null;
                passive: boolean;
                /** @description `***` where it has one */
                password: string | null;
                port: number;
                /**
                 * @description Why it can have no session
                 * @example its password cannot be read, since the secret key of the service was changed
                 */
                refusal?: string;
                remote_asn: number;
                /** @description Seconds for which it keeps the routes while the speaker is down (RFC 4724) */
                restart_time?: number;
                /** @description Seconds beyond that for which it keeps them as stale (RFC 9494) */
                stale_time?: number;
                /** @description false: connections from its address belong to another tenant; absent: true */
                takes_calls?: boolean;
            }[];
            /** Format: ipv4 */
            router_id: string;
            speaker_id: components["schemas"]["Id"];
            tenant_id: components["schemas"]["Id"];
        };
        SpeakerPage: {
            has_more: boolean;
            items: components["schemas"]["Speaker"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "local_asn": 64513
         *     }
         */
        SpeakerPatch: {
            /** @description Whether it counts; true where nothing is said */
            enabled?: boolean;
            /** @description For people; null: the name */
            label?: string | null;
            /** @description AS number, of two or four octets (RFC 6793) */
            local_asn?: number;
            /** @description Address to call IPv4 peers from; null: the system chooses */
            local_ipv4?: string | null;
            /** @description Address to call IPv6 peers from; null: the system chooses */
            local_ipv6?: string | null;
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name?: string;
            policies_json?: components["schemas"]["SpeakerPolicies"];
            /** @description BGP identifier (RFC 6286); null: local_ipv4, or derived from the id if that is null */
            router_id?: string | null;
        };
        /**
         * @example {
         *       "local_ip": "192.0.2.1",
         *       "local_asn": 64512,
         *       "bird_routes": "static",
         *       "peers": {}
         *     }
         */
        SpeakerPolicies: {
            /**
             * @description How a speaker of the daemon `bird` delivers its routes to BIRD: in files that BIRD reads again at every change, or over a route injection session, which reconfigures nothing. Default: `static`
             * @enum {string}
             */
            bird_routes?: "static" | "feed";
            /** @description AS number, of two or four octets (RFC 6793) */
            local_asn?: number;
            local_ip?: string;
            peers?: {
                [key: string]: {
                    /** @description AS number, of two or four octets (RFC 6793) */
                    local_asn?: number;
                    local_ip?: string;
                };
            };
        };
        /**
         * @example {
         *       "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "name": "fra1",
         *       "daemon": "bird",
         *       "enabled": true,
         *       "applied_revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "prefix_count": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "communities": [
         *         {
         *           "community": "65000:100",
         *           "title": "Cloud providers",
         *           "prefix_count": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           }
         *         }
         *       ],
         *       "difference": {
         *         "announced": 1424,
         *         "withdrawn": 0,
         *         "changed": 0
         *       },
         *       "refusals": [
         *         "local_asn is not set"
         *       ],
         *       "peers": [
         *         {
         *           "peer_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "edge1",
         *           "address": "192.0.2.2",
         *           "families": [
         *             "ipv4"
         *           ],
         *           "communities": [
         *             "65000:100"
         *           ],
         *           "prefix_count": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           },
         *           "without_next_hop": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           },
         *           "max_prefixes_out": 1,
         *           "max_prefixes_out_exceeded": true,
         *           "kept_prefix_count": {
         *             "ipv4": 1376,
         *             "ipv6": 48
         *           },
         *           "fitted": {
         *             "prefix_count": {
         *               "ipv4": 1376,
         *               "ipv6": 48
         *             },
         *             "cost": {
         *               "ipv4": {
         *                 "added_addresses": "3072",
         *                 "added_percent": 1,
         *                 "optimal": true,
         *                 "added_prefixes": [
         *                   "198.51.100.128/25"
         *                 ]
         *               },
         *               "ipv6": {
         *                 "added_addresses": "3072",
         *                 "added_percent": 1,
         *                 "optimal": true,
         *                 "added_prefixes": [
         *                   "198.51.100.128/25"
         *                 ]
         *               }
         *             },
         *             "largest": [
         *               {
         *                 "prefix": "198.51.100.0/24",
         *                 "added_addresses": "3072"
         *               }
         *             ]
         *           },
         *           "unfitted": "fitting its routes would add 3072 foreign IPv4 addresses, 12.5 % of its own, and the setting fit_max_added_percent is 10",
         *           "unfitted_cost": {
         *             "ipv4": {
         *               "added_addresses": "3072",
         *               "added_percent": 1,
         *               "optimal": true,
         *               "added_prefixes": [
         *                 "198.51.100.128/25"
         *               ]
         *             },
         *             "ipv6": {
         *               "added_addresses": "3072",
         *               "added_percent": 1,
         *               "optimal": true,
         *               "added_prefixes": [
         *                 "198.51.100.128/25"
         *               ]
         *             }
         *           }
         *         }
         *       ],
         *       "configuration": {
         *         "model": {
         *           "tenant_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "speaker_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *           "name": "Cloud providers",
         *           "router_id": "192.0.2.1",
         *           "local_asn": 64512,
         *           "local_ipv4": "192.0.2.1",
         *           "local_ipv6": "2001:db8::1",
         *           "bird_routes": "static",
         *           "peers": [
         *             {
         *               "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *               "name": "Cloud providers",
         *               "address": "192.0.2.2",
         *               "port": 179,
         *               "remote_asn": 64500,
         *               "local_asn": 64512,
         *               "local_address": "192.0.2.1",
         *               "families": [
         *                 "ipv4"
         *               ],
         *               "passive": true,
         *               "takes_calls": true,
         *               "multihop": 1,
         *               "password": "correct horse battery staple",
         *               "refusal": "its password cannot be read, since the secret key of the service was changed",
         *               "hold_time": 90,
         *               "next_hop_ipv4": "192.0.2.1",
         *               "next_hop_ipv6": "2001:db8::1",
         *               "labels": [
         *                 "65000:100"
         *               ],
         *               "max_prefixes_out": 1,
         *               "fits": true,
         *               "graceful_restart": true,
         *               "restart_time": 1,
         *               "stale_time": 1,
         *               "bfd": true,
         *               "is_bird": true
         *             }
         *           ]
         *         },
         *         "files": [
         *           {
         *             "path": "prefixcast.conf",
         *             "content": "router id 192.0.2.1;"
         *           }
         *         ]
         *       }
         *     }
         */
        SpeakerPreview: {
            /** @description What it runs, by the last apply that has ended */
            applied_revision_id: components["schemas"]["Id"] | null;
            communities: {
                community: string;
                /** @description Routes, by family */
                prefix_count: {
                    ipv4: number;
                    ipv6: number;
                };
                title: string | null;
            }[];
            configuration: {
                /** @description As its daemon reads it, without the files of routes; paths are relative, secrets `***` */
                files: {
                    content: string;
                    path: string;
                }[];
                model: components["schemas"]["SpeakerModel"];
            };
            daemon: components["schemas"]["Daemon"];
            /** @description Routes that would be announced, withdrawn and changed, relative to what its routers have now, or are being brought to by an apply that has begun there or is being taken back */
            difference: {
                announced: number;
                changed: number;
                withdrawn: number;
            };
            /** @description An apply leaves out a disabled speaker, and it has no peers */
            enabled: boolean;
            name: string;
            peers: components["schemas"]["PeerPreview"][];
            /** @description Routes, by family */
            prefix_count: {
                ipv4: number;
                ipv6: number;
            };
            /** @description Why its daemon would refuse the configuration */
            refusals: string[];
            speaker_id: components["schemas"]["Id"];
        };
        /**
         * @example {
         *       "stopped_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "revision_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "revision_number": 1,
         *       "speaker_ids": [
         *         "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *       ],
         *       "apply_job_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *     }
         */
        StoppedApply: {
            /** @description The apply that this change has queued in its place; null: it waits for the end of the freeze or, if that is over, for POST /v1/apply */
            apply_job_id: components["schemas"]["Id"] | null;
            revision_id: components["schemas"]["Id"];
            revision_number: number;
            /** @description Those of its speakers that no later apply went to; null: all speakers */
            speaker_ids: components["schemas"]["Id"][] | null;
            stopped_job_id: components["schemas"]["Id"];
        };
        /** @description The fields `id` and `event` of a server-sent event, and the JSON of its field `data` */
        StreamEvent: {
            data: components["schemas"]["JobEvent"];
            /** @constant */
            event: "job";
            /**
             * @description What the stream resumes from
             * @example 1042
             */
            id: string;
        } | {
            data: components["schemas"]["RevisionEvent"];
            /** @constant */
            event: "revision";
            /**
             * @description What the stream resumes from
             * @example 1042
             */
            id: string;
        } | {
            data: components["schemas"]["SessionEvent"];
            /** @constant */
            event: "session";
            /**
             * @description What the stream resumes from
             * @example 1042
             */
            id: string;
        } | {
            data: components["schemas"]["ApplyEvent"];
            /** @constant */
            event: "apply";
            /**
             * @description What the stream resumes from
             * @example 1042
             */
            id: string;
        } | {
            data: components["schemas"]["ModuleEvent"];
            /** @constant */
            event: "module";
            /**
             * @description What the stream resumes from
             * @example 1042
             */
            id: string;
        } | {
            data: components["schemas"]["SourceEvent"];
            /** @constant */
            event: "source";
            /**
             * @description What the stream resumes from
             * @example 1042
             */
            id: string;
        } | {
            data: components["schemas"]["TenantEvent"];
            /** @constant */
            event: "tenant";
            /**
             * @description What the stream resumes from
             * @example 1042
             */
            id: string;
        } | {
            data: components["schemas"]["AuditEvent"];
            /** @constant */
            event: "audit";
            /**
             * @description What the stream resumes from
             * @example 1042
             */
            id: string;
        } | {
            data: components["schemas"]["ResetEvent"];
            /** @constant */
            event: "reset";
            /**
             * @description What the stream resumes from
             * @example 1042
             */
            id: string;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "Example Net",
         *       "slug": "acme",
         *       "status": "active",
         *       "policy": {
         *         "allowed_prefixes": [
         *           "198.51.100.0/22"
         *         ],
         *         "allowed_communities": [
         *           "65000:*"
         *         ],
         *         "allowed_local_asns": [
         *           1
         *         ],
         *         "allowed_peer_networks": [
         *           "192.0.2.0/24"
         *         ],
         *         "allowed_source_addresses": [
         *           "192.0.2.1"
         *         ],
         *         "may_loosen_guards": true
         *       },
         *       "quotas": {
         *         "modules": 0,
         *         "entries": 0,
         *         "communities": 0,
         *         "speakers": 0,
         *         "peers": 0,
         *         "sessions": 0,
         *         "api_keys": 0,
         *         "jobs_queued": 0,
         *         "firewall_clients": 0,
         *         "firewall_rules": 0,
         *         "feeds": 0,
         *         "webhooks": 0,
         *         "doh_profiles": 0,
         *         "enrollment_tokens": 0
         *       },
         *       "usage": {
         *         "modules": 0,
         *         "entries": 0,
         *         "communities": 0,
         *         "speakers": 0,
         *         "peers": 0,
         *         "sessions": 0,
         *         "api_keys": 0,
         *         "jobs_queued": 0,
         *         "firewall_clients": 0,
         *         "firewall_rules": 0,
         *         "feeds": 0,
         *         "webhooks": 0,
         *         "doh_profiles": 0,
         *         "enrollment_tokens": 0
         *       },
         *       "announcing_nodes": 0
         *     }
         */
        Tenant: {
            /** @description Of a stopped tenant: nodes that have not reported yet that their sessions have ended. One that is out of reach goes on announcing until it is back */
            announcing_nodes?: number;
            created_at: components["schemas"]["Timestamp"];
            id: components["schemas"]["Id"];
            /**
             * Format: name
             * @description For people
             */
            name: string;
            policy: components["schemas"]["TenantPolicy"];
            quotas: components["schemas"]["Quotas"];
            /**
             * @description Lower-case letters, digits and hyphens, at most 63, beginning with a letter or a digit; unique, and it cannot be changed
             * @example acme
             */
            slug: string;
            status: components["schemas"]["TenantStatus"];
            updated_at: components["schemas"]["Timestamp"];
            /** @description Current numbers */
            usage: {
                /** @description API keys that work */
                api_keys: number;
                /** @description Communities */
                communities: number;
                /** @description DoH profiles */
                doh_profiles: number;
                /** @description Enrollment tokens that can be used */
                enrollment_tokens: number;
                /** @description Entries of all modules together */
                entries: number;
                /** @description Feeds */
                feeds: number;
                /** @description Firewall clients */
                firewall_clients: number;
                /** @description Firewall rules */
                firewall_rules: number;
                /** @description Jobs that wait for their turn */
                jobs_queued: number;
                /** @description Modules */
                modules: number;
                /** @description Peers */
                peers: number;
                /** @description Sessions of peers with speakers on this machine */
                sessions: number;
                /** @description Speakers */
                speakers: number;
                /** @description Webhooks */
                webhooks: number;
            };
        };
        /**
         * @example {
         *       "name": "Acme",
         *       "slug": "acme",
         *       "quotas": {
         *         "modules": 100
         *       },
         *       "policy": {
         *         "allowed_prefixes": [
         *           "192.0.2.0/24"
         *         ],
         *         "allowed_communities": [
         *           "65010:*"
         *         ],
         *         "allowed_local_asns": [
         *           65010
         *         ],
         *         "allowed_peer_networks": [
         *           "198.51.100.0/28"
         *         ]
         *       }
         *     }
         */
        TenantCreate: {
            /**
             * Format: name
             * @description For people
             */
            name: string;
            policy?: components["schemas"]["TenantPolicyPatch"];
            /** @description Maximum numbers; members that are not named stay unchanged */
            quotas?: {
                /** @description API keys that work */
                api_keys?: number;
                /** @description Communities */
                communities?: number;
                /** @description DoH profiles */
                doh_profiles?: number;
                /** @description Enrollment tokens that can be used */
                enrollment_tokens?: number;
                /** @description Entries of all modules together */
                entries?: number;
                /** @description Feeds */
                feeds?: number;
                /** @description Firewall clients */
                firewall_clients?: number;
                /** @description Firewall rules */
                firewall_rules?: number;
                /** @description Jobs that wait for their turn */
                jobs_queued?: number;
                /** @description Modules */
                modules?: number;
                /** @description Peers */
                peers?: number;
                /** @description Sessions of peers with speakers on this machine */
                sessions?: number;
                /** @description Speakers */
                speakers?: number;
                /** @description Webhooks */
                webhooks?: number;
            };
            /**
             * @description Lower-case letters, digits and hyphens, at most 63, beginning with a letter or a digit; unique, and it cannot be changed
             * @example acme
             */
            slug: string;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "Cloud providers",
         *       "slug": "acme",
         *       "status": "active",
         *       "policy": {
         *         "allowed_prefixes": [
         *           "198.51.100.0/22"
         *         ],
         *         "allowed_communities": [
         *           "65000:*"
         *         ],
         *         "allowed_local_asns": [
         *           1
         *         ],
         *         "allowed_peer_networks": [
         *           "192.0.2.0/24"
         *         ],
         *         "allowed_source_addresses": [
         *           "192.0.2.1"
         *         ],
         *         "may_loosen_guards": true
         *       },
         *       "quotas": {
         *         "modules": 0,
         *         "entries": 0,
         *         "communities": 0,
         *         "speakers": 0,
         *         "peers": 0,
         *         "sessions": 0,
         *         "api_keys": 0,
         *         "jobs_queued": 0,
         *         "firewall_clients": 0,
         *         "firewall_rules": 0,
         *         "feeds": 0,
         *         "webhooks": 0,
         *         "doh_profiles": 0,
         *         "enrollment_tokens": 0
         *       },
         *       "usage": {
         *         "modules": 0,
         *         "entries": 0,
         *         "communities": 0,
         *         "speakers": 0,
         *         "peers": 0,
         *         "sessions": 0,
         *         "api_keys": 0,
         *         "jobs_queued": 0,
         *         "firewall_clients": 0,
         *         "firewall_rules": 0,
         *         "feeds": 0,
         *         "webhooks": 0,
         *         "doh_profiles": 0,
         *         "enrollment_tokens": 0
         *       },
         *       "announcing_nodes": 0,
         *       "api_key": {
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "secret": "pc_o_4hKq7Zt0VwXyB2nD9sLmR5uJcE8gTfA1iPoYk3x6HvQz_0aB3dE"
         *       }
         *     }
         */
        TenantCreated: {
            /** @description Of a stopped tenant: nodes that have not reported yet that their sessions have ended. One that is out of reach goes on announcing until it is back */
            announcing_nodes?: number;
            /** @description The first key of the tenant; its role is `operator` */
            api_key: {
                id: components["schemas"]["Id"];
                /** @description The key itself, shown only now */
                secret: string;
            };
            created_at: components["schemas"]["Timestamp"];
            id: components["schemas"]["Id"];
            /**
             * Format: name
             * @description For people
             */
            name: string;
            policy: components["schemas"]["TenantPolicy"];
            quotas: components["schemas"]["Quotas"];
            /**
             * @description Lower-case letters, digits and hyphens, at most 63, beginning with a letter or a digit; unique, and it cannot be changed
             * @example acme
             */
            slug: string;
            status: components["schemas"]["TenantStatus"];
            updated_at: components["schemas"]["Timestamp"];
            /** @description Current numbers */
            usage: {
                /** @description API keys that work */
                api_keys: number;
                /** @description Communities */
                communities: number;
                /** @description DoH profiles */
                doh_profiles: number;
                /** @description Enrollment tokens that can be used */
                enrollment_tokens: number;
                /** @description Entries of all modules together */
                entries: number;
                /** @description Feeds */
                feeds: number;
                /** @description Firewall clients */
                firewall_clients: number;
                /** @description Firewall rules */
                firewall_rules: number;
                /** @description Jobs that wait for their turn */
                jobs_queued: number;
                /** @description Modules */
                modules: number;
                /** @description Peers */
                peers: number;
                /** @description Sessions of peers with speakers on this machine */
                sessions: number;
                /** @description Speakers */
                speakers: number;
                /** @description Webhooks */
                webhooks: number;
            };
        };
        TenantCreatedDryRun: {
            body: components["schemas"]["TenantCreated"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        TenantDryRun: {
            body: components["schemas"]["Tenant"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        /**
         * @example {
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "status": "active",
         *       "policy": {
         *         "allowed_prefixes": [
         *           "198.51.100.0/22"
         *         ],
         *         "allowed_communities": [
         *           "65000:*"
         *         ],
         *         "allowed_local_asns": [
         *           1
         *         ],
         *         "allowed_peer_networks": [
         *           "192.0.2.0/24"
         *         ],
         *         "allowed_source_addresses": [
         *           "192.0.2.1"
         *         ],
         *         "may_loosen_guards": true
         *       }
         *     }
         */
        TenantEvent: {
            at: components["schemas"]["Timestamp"];
            id: components["schemas"]["Id"];
            policy: components["schemas"]["TenantPolicy"];
            status: components["schemas"]["TenantStatus"];
        };
        TenantPage: {
            has_more: boolean;
            items: components["schemas"]["Tenant"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "status": "suspended"
         *     }
         */
        TenantPatch: {
            /**
             * Format: name
             * @description For people
             */
            name?: string;
            policy?: components["schemas"]["TenantPolicyPatch"];
            /** @description Maximum numbers; members that are not named stay unchanged */
            quotas?: {
                /** @description API keys that work */
                api_keys?: number;
                /** @description Communities */
                communities?: number;
                /** @description DoH profiles */
                doh_profiles?: number;
                /** @description Enrollment tokens that can be used */
                enrollment_tokens?: number;
                /** @description Entries of all modules together */
                entries?: number;
                /** @description Feeds */
                feeds?: number;
                /** @description Firewall clients */
                firewall_clients?: number;
                /** @description Firewall rules */
                firewall_rules?: number;
                /** @description Jobs that wait for their turn */
                jobs_queued?: number;
                /** @description Modules */
                modules?: number;
                /** @description Peers */
                peers?: number;
                /** @description Sessions of peers with speakers on this machine */
                sessions?: number;
                /** @description Speakers */
                speakers?: number;
                /** @description Webhooks */
                webhooks?: number;
            };
            /**
             * @description Keys of a suspended tenant are refused and its jobs wait; its speakers keep announcing their routes. A stopped tenant is suspended, and its sessions end too: all its routes are withdrawn, and nothing is deleted
             * @enum {string}
             */
            status?: "active" | "suspended" | "stopped";
        };
        /**
         * @description What the tenant is allowed to do; the guardrail `tenant_policy` enforces it
         * @example {
         *       "allowed_prefixes": [
         *         "198.51.100.0/22"
         *       ],
         *       "allowed_communities": [
         *         "65000:*"
         *       ],
         *       "allowed_local_asns": [
         *         1
         *       ],
         *       "allowed_peer_networks": [
         *         "192.0.2.0/24"
         *       ],
         *       "allowed_source_addresses": [
         *         "192.0.2.1"
         *       ],
         *       "may_loosen_guards": true
         *     }
         */
        TenantPolicy: {
            /** @description Communities that its routes may carry; `*` stands for any number in the last place: `65000:*`, `70000:1:*`; null: every community */
            allowed_communities: string[] | null;
            /** @description AS numbers that its speakers may have; null: every AS number */
            allowed_local_asns: components["schemas"]["Asn"][] | null;
            /** @description Networks that its peers may be in; null: all, except those that need `APP_PEER_ALLOW` */
            allowed_peer_networks: string[] | null;
            /** @description Prefixes that it may announce, with everything that they cover; null: everything */
            allowed_prefixes: string[] | null;
            /** @description Source addresses of its sessions, as addresses or networks; null: every address. An address that the system chooses is always allowed */
            allowed_source_addresses: string[] | null;
            /** @description Whether its operators may loosen the settings `guard_*`; they may always tighten them */
            may_loosen_guards: boolean;
        };
        /**
         * @description What the tenant is allowed to do; members that are not named stay unchanged
         * @example {
         *       "allowed_prefixes": [
         *         "198.51.100.0/22"
         *       ],
         *       "allowed_communities": [
         *         "65000:*"
         *       ],
         *       "allowed_local_asns": [
         *         1
         *       ],
         *       "allowed_peer_networks": [
         *         "192.0.2.0/24"
         *       ],
         *       "allowed_source_addresses": [
         *         "192.0.2.1"
         *       ],
         *       "may_loosen_guards": true
         *     }
         */
        TenantPolicyPatch: {
            /** @description Communities that its routes may carry; `*` stands for any number in the last place: `65000:*`, `70000:1:*`; null: every community */
            allowed_communities?: string[] | null;
            /** @description AS numbers that its speakers may have; null: every AS number */
            allowed_local_asns?: components["schemas"]["Asn"][] | null;
            /** @description Networks that its peers may be in; null: all, except those that need `APP_PEER_ALLOW` */
            allowed_peer_networks?: string[] | null;
            /** @description Prefixes that it may announce, with everything that they cover; null: everything */
            allowed_prefixes?: string[] | null;
            /** @description Source addresses of its sessions, as addresses or networks; null: every address. An address that the system chooses is always allowed */
            allowed_source_addresses?: string[] | null;
            /** @description Whether its operators may loosen the settings `guard_*`; they may always tighten them */
            may_loosen_guards?: boolean;
        };
        /**
         * @example {
         *       "tenant_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "count": 1,
         *       "session": "same",
         *       "before": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "after": {
         *         "ipv4": 1376,
         *         "ipv6": 48
         *       },
         *       "updated": 0
         *     }
         */
        TenantSessions: {
            /** @description Routes that each of them would be sent */
            after: {
                ipv4: number;
                ipv6: number;
            };
            /** @description Routes that each of them is sent now */
            before: {
                ipv4: number;
                ipv6: number;
            };
            /** @description How many of its sessions this is said of */
            count: number;
            /**
             * @description Whether they go on; `ends`: the policy, a stop or a deletion ends them
             * @enum {string}
             */
            session: "same" | "ends" | "begins";
            tenant_id: components["schemas"]["Id"];
            /** @description How many of these are new to it, or have other communities or another next hop */
            updated: number;
        };
        /**
         * @description Keys of a suspended tenant are refused and its jobs wait; its speakers keep announcing their routes. A stopped tenant is suspended, and its sessions end too: all its routes are withdrawn, and nothing is deleted
         * @enum {string}
         */
        TenantStatus: "active" | "suspended" | "stopped";
        /**
         * @example {
         *       "at": "2026-01-31T12:00:00.000Z",
         *       "message": "A test of the webhook chat"
         *     }
         */
        TestEvent: {
            at: components["schemas"]["Timestamp"];
            /** @example A test of the webhook chat */
            message: string;
        };
        /**
         * Format: date-time
         * @description RFC 3339, UTC
         */
        Timestamp: string;
        /**
         * @example {
         *       "name": "prefixcast",
         *       "version": "0.1.0",
         *       "commit": "3f786850e387550fdab836ed7e6dc881de23001b",
         *       "built_at": "2026-01-31T12:00:00.000Z",
         *       "node": "v24.21.0",
         *       "api": "v1"
         *     }
         */
        Version: {
            /** @constant */
            api: "v1";
            built_at: string | null;
            commit: string | null;
            name: string;
            node: string;
            version: string;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "Cloud providers",
         *       "description": "Address ranges of a cloud provider",
         *       "url": "https://example.net/list.json",
         *       "events": [
         *         "job"
         *       ],
         *       "format": "json",
         *       "enabled": true,
         *       "secret_prefix": "4hKq",
         *       "status": "ok",
         *       "last_error": null,
         *       "failing_since": "2026-01-31T12:00:00.000Z",
         *       "next_attempt_at": "2026-01-31T12:00:00.000Z",
         *       "last_delivered_at": "2026-01-31T12:00:00.000Z"
         *     }
         */
        Webhook: {
            created_at: components["schemas"]["Timestamp"];
            /** @description For people; means nothing to the service */
            description: string | null;
            /** @description Default: true. What happens while it is disabled is never sent, and neither is what waited before */
            enabled: boolean;
            /** @description Kinds of events that it is sent, as `GET /v1/events` has them */
            events: ("job" | "revision" | "session" | "apply" | "module" | "source" | "tenant" | "audit")[];
            /** @description null: the last attempt was good */
            failing_since: components["schemas"]["Timestamp"] | null;
            /**
             * @description `json`: a WebhookMessage; `slack`: a sentence as `text`, as incoming webhooks of Slack and Mattermost take it. Default: `json`
             * @enum {string}
             */
            format: "json" | "slack";
            id: components["schemas"]["Id"];
            /** @description When the receiver last took something, be it a test; null: never */
            last_delivered_at: components["schemas"]["Timestamp"] | null;
            /** @description Why the last attempt failed; null when it did not */
            last_error: string | null;
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /** @description Of one that is failing */
            next_attempt_at: components["schemas"]["Timestamp"] | null;
            /** @description How its secret begins */
            secret_prefix: string;
            /**
             * @description `failing`: the last attempt failed, and all that comes waits behind it; `disabled`: by an operator, or by the service, as `last_error` then says
             * @enum {string}
             */
            status: "ok" | "failing" | "disabled";
            updated_at: components["schemas"]["Timestamp"];
            /** @description Where it is sent to, by POST: https or http, without user and password. Only public addresses are reached, and networks of `APP_FETCH_ALLOW`; redirects are not followed */
            url: string;
        };
        /**
         * @example {
         *       "url": "https://hooks.example.net/prefixcast",
         *       "events": [
         *         "revision",
         *         "apply",
         *         "module"
         *       ]
         *     }
         */
        WebhookCreate: {
            /** @description For people; means nothing to the service */
            description?: string | null;
            /** @description Default: true. What happens while it is disabled is never sent, and neither is what waited before */
            enabled?: boolean;
            /** @description Kinds of events that it is sent, as `GET /v1/events` has them */
            events: ("job" | "revision" | "session" | "apply" | "module" | "source" | "tenant" | "audit")[];
            /**
             * @description `json`: a WebhookMessage; `slack`: a sentence as `text`, as incoming webhooks of Slack and Mattermost take it. Default: `json`
             * @enum {string}
             */
            format?: "json" | "slack";
            /**
             * Format: name
             * @description Unique in the tenant; where nothing is said the URL's host, with a number if need be
             */
            name?: string;
            /** @description Where it is sent to, by POST: https or http, without user and password. Only public addresses are reached, and networks of `APP_FETCH_ALLOW`; redirects are not followed */
            url: string;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "webhook_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "event": "job",
         *       "event_id": "1042",
         *       "data": {
         *         "at": "2026-01-31T12:00:00.000Z",
         *         "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "type": "module_refresh",
         *         "state": "running",
         *         "progress": {
         *           "phase": "collect",
         *           "done": 0,
         *           "total": 0,
         *           "waiting_for": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ],
         *           "to_begin": [
         *             "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *           ]
         *         },
         *         "attempt": 0,
         *         "resource": {
         *           "type": "module",
         *           "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
         *         },
         *         "parent_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *         "requested_by": "key:looking glass",
         *         "started_at": "2026-01-31T12:00:00.000Z",
         *         "finished_at": null,
         *         "error": null
         *       },
         *       "state": "pending",
         *       "attempts": 0,
         *       "attempted_at": "2026-01-31T12:00:00.000Z",
         *       "status": 1,
         *       "error": null
         *     }
         */
        WebhookDelivery: {
            /** @description The last attempt; null: there was none */
            attempted_at: components["schemas"]["Timestamp"] | null;
            attempts: number;
            created_at: components["schemas"]["Timestamp"];
            data: components["schemas"]["DeliveredData"];
            /** @description Why the last attempt failed; null when it did not */
            error: string | null;
            /**
             * @description `reset`: events were missed for good, since they waited longer than they are kept; `test`: of `POST …/test`
             * @enum {string}
             */
            event: "job" | "revision" | "session" | "apply" | "module" | "source" | "tenant" | "audit" | "reset" | "test";
            /** @description The `id` that `GET /v1/events` has for it; null: it is none of these events */
            event_id: string | null;
            id: components["schemas"]["Id"];
            /**
             * @description `pending`: it waits, or is tried again; `delivered`: answered with 2xx; `refused`: answered with a 4xx that no repetition changes; `skipped`: the webhook was disabled before
             * @enum {string}
             */
            state: "pending" | "delivered" | "refused" | "skipped";
            /** @description Of the last answer; null: there was none */
            status: number | null;
            webhook_id: components["schemas"]["Id"];
        };
        WebhookDeliveryDryRun: {
            body: components["schemas"]["WebhookDelivery"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        WebhookDeliveryPage: {
            has_more: boolean;
            items: components["schemas"]["WebhookDelivery"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        WebhookDryRun: {
            body: components["schemas"]["Webhook"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
        WebhookPage: {
            has_more: boolean;
            items: components["schemas"]["Webhook"][];
            /** @description `cursor` of the next page; null on the last */
            next_cursor: string | null;
        };
        /**
         * @example {
         *       "events": [
         *         "revision"
         *       ],
         *       "format": "slack"
         *     }
         */
        WebhookPatch: {
            /** @description For people; means nothing to the service */
            description?: string | null;
            /** @description Default: true. What happens while it is disabled is never sent, and neither is what waited before */
            enabled?: boolean;
            /** @description Kinds of events that it is sent, as `GET /v1/events` has them */
            events?: ("job" | "revision" | "session" | "apply" | "module" | "source" | "tenant" | "audit")[];
            /**
             * @description `json`: a WebhookMessage; `slack`: a sentence as `text`, as incoming webhooks of Slack and Mattermost take it. Default: `json`
             * @enum {string}
             */
            format?: "json" | "slack";
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name?: string;
            /** @description Where it is sent to, by POST: https or http, without user and password. Only public addresses are reached, and networks of `APP_FETCH_ALLOW`; redirects are not followed */
            url?: string;
        };
        /**
         * @example {
         *       "id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77",
         *       "created_at": "2026-01-31T12:00:00.000Z",
         *       "updated_at": "2026-01-31T12:00:00.000Z",
         *       "name": "Cloud providers",
         *       "description": "Address ranges of a cloud provider",
         *       "url": "https://example.net/list.json",
         *       "events": [
         *         "job"
         *       ],
         *       "format": "json",
         *       "enabled": true,
         *       "secret_prefix": "4hKq",
         *       "status": "ok",
         *       "last_error": null,
         *       "failing_since": "2026-01-31T12:00:00.000Z",
         *       "next_attempt_at": "2026-01-31T12:00:00.000Z",
         *       "last_delivered_at": "2026-01-31T12:00:00.000Z",
         *       "secret": "pc_o_4hKq7Zt0VwXyB2nD9sLmR5uJcE8gTfA1iPoYk3x6HvQz_0aB3dE"
         *     }
         */
        WebhookWithSecret: {
            created_at: components["schemas"]["Timestamp"];
            /** @description For people; means nothing to the service */
            description: string | null;
            /** @description Default: true. What happens while it is disabled is never sent, and neither is what waited before */
            enabled: boolean;
            /** @description Kinds of events that it is sent, as `GET /v1/events` has them */
            events: ("job" | "revision" | "session" | "apply" | "module" | "source" | "tenant" | "audit")[];
            /** @description null: the last attempt was good */
            failing_since: components["schemas"]["Timestamp"] | null;
            /**
             * @description `json`: a WebhookMessage; `slack`: a sentence as `text`, as incoming webhooks of Slack and Mattermost take it. Default: `json`
             * @enum {string}
             */
            format: "json" | "slack";
            id: components["schemas"]["Id"];
            /** @description When the receiver last took something, be it a test; null: never */
            last_delivered_at: components["schemas"]["Timestamp"] | null;
            /** @description Why the last attempt failed; null when it did not */
            last_error: string | null;
            /**
             * Format: name
             * @description Unique in the tenant, without case
             */
            name: string;
            /** @description Of one that is failing */
            next_attempt_at: components["schemas"]["Timestamp"] | null;
            /** @description Signs what is sent; see `docs/webhooks.md` */
            secret: string;
            /** @description How its secret begins */
            secret_prefix: string;
            /**
             * @description `failing`: the last attempt failed, and all that comes waits behind it; `disabled`: by an operator, or by the service, as `last_error` then says
             * @enum {string}
             */
            status: "ok" | "failing" | "disabled";
            updated_at: components["schemas"]["Timestamp"];
            /** @description Where it is sent to, by POST: https or http, without user and password. Only public addresses are reached, and networks of `APP_FETCH_ALLOW`; redirects are not followed */
            url: string;
        };
        WebhookWithSecretDryRun: {
            body: components["schemas"]["WebhookWithSecret"];
            /** @constant */
            dry_run: true;
            effect: components["schemas"]["Effect"];
            /** @description Of the answer to the write itself */
            status: number;
        };
    };
    responses: {
        /** @description `expectation_failed`: The expectation cannot be met. */
        expectation_failed: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
        /** @description `headers_too_large`: The path and the headers are too large. */
        headers_too_large: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
        /** @description `request_timeout`: The request took too long to arrive. */
        request_timeout: {
            headers: {
                "X-Request-Id": components["headers"]["RequestId"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["ProblemDocument"];
            };
        };
    };
    parameters: {
        /**
         * @description Up to 255 printable characters. The first answer is kept for 24 hours and repeated.
         * @example 0d9f3a6e-create-aws
         */
        IdempotencyKey: string;
        /**
         * @description The ETag of the resource as you read it; the change is refused if the resource has changed since.
         * @example "3-Zm9vYmFyYmF6cXV4"
         */
        IfMatch: string;
        /**
         * @description The ETag of the resource as you read it; the answer is 304 if nothing has changed since.
         * @example "3-Zm9vYmFyYmF6cXV4"
         */
        IfNoneMatch: string;
        /**
         * @description The `id` of the last received event; the stream continues after it.
         * @example 1042
         */
        LastEventId: string;
        /**
         * @description `wait=30` (RFC 7240): answers when the job has ended, or with its current state after this many seconds, 60 at most.
         * @example wait=30
         */
        Prefer: string;
        /** @description Names the request in logs and problems; the service generates one if it is missing. */
        RequestId: string;
    };
    requestBodies: never;
    headers: {
        /** @description Names this state of the resource */
        ETag: string;
        /**
         * @description Other pages of the list: `next`, if there is one, and `first` (RFC 8288)
         * @example </v1/modules?cursor=eyJ>; rel="next"
         */
        Link: string;
        /** @description Path of the new resource or job */
        Location: string;
        /**
         * @description Present if the job ended within the time of `Prefer`
         * @example wait=30
         */
        PreferenceApplied: string;
        /**
         * @description Requests that the key has left in this minute (`r`), and seconds to its end (`t`)
         * @example "reads";r=5990;t=42
         */
        RateLimit: string;
        /**
         * @description Requests that the key may send (`q`) in a window of seconds (`w`)
         * @example "reads";q=6000;w=60
         */
        RateLimitPolicy: string;
        /** @description Present if this is the stored answer to an earlier request with the same Idempotency-Key */
        Replayed: "true";
        /** @description Names the request in logs and problems */
        RequestId: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    listApiKeys: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description `viewer` reads, `operator` also changes, `node` and `firewall` can use only their own routes; `super_viewer` and `super_admin` are viewer and operator that also manage tenants */
                role?: "viewer" | "operator" | "node" | "firewall" | "super_viewer" | "super_admin";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyPage"];
                };
            };
        };
    };
    createApiKey: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "looking glass",
                 *       "role": "viewer",
                 *       "expires_at": "2030-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["ApiKeyCreatedDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCreated"];
                };
            };
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the API key
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
        };
    };
    revokeApiKey: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the API key
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeApiKey: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the API key
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "expires_at": null
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyPatch"];
                /**
                 * @example {
                 *       "expires_at": null
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["ApiKeyPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKey"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["ApiKeyDryRun"];
                };
            };
        };
    };
    rotateApiKey: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the API key
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "grace_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyRotate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiKeyCreated"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["ApiKeyCreatedDryRun"];
                };
            };
        };
    };
    apply: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "revision_id": "latest"
                 *     }
                 */
                "application/json": components["schemas"]["ApplyRequest"];
            };
        };
        responses: {
            /** @description The job, which has ended within the time that `Prefer` gave, however it did */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["JobDryRun"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    listAuditRecords: {
        parameters: {
            query?: {
                /** @description One or several, each as a parameter of its own */
                action?: string | string[];
                actor?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description UUIDv7 */
                id?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description UUIDv7 */
                policy_id?: string;
                /** @description An address or a prefix: records of entries that equal it or contain it, as far as records name them */
                prefix?: string;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                resource_id?: string;
                resource_type?: string;
                /** @description One or several, each as a parameter of its own */
                severity?: ("info" | "notice" | "warning" | "critical") | ("info" | "notice" | "warning" | "critical")[];
                /** @description Not before this moment */
                since?: string;
                /** @description Order of the list: a field, with `-` in front for descending; default: `-at`, the newest first */
                sort?: "at" | "-at";
                /** @description Before this moment */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecordPage"];
                };
            };
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    openSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "api_key": "pc_v_0000000000000000000000000000000000000000000_000000"
                 *     }
                 */
                "application/json": components["schemas"]["SessionOpen"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    createSignInLink: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["SignInLinkDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignInLink"];
                };
            };
        };
    };
    listSigningKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeys"];
                };
            };
        };
    };
    rotateSigningKey: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "announce_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["SigningKeyRotate"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SigningKeys"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["SigningKeysDryRun"];
                };
            };
        };
    };
    previewCdnSource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://lists.example/ip-ranges.json",
                 *       "json_path": "$.prefixes[*].ip_prefix"
                 *     }
                 */
                "application/json": components["schemas"]["CdnPreviewRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdnPreview"];
                };
            };
        };
    };
    carryOutChanges: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "changes": [
                 *         {
                 *           "method": "POST",
                 *           "path": "/v1/communities",
                 *           "body": {
                 *             "community": "65000:300",
                 *             "title": "CDN"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ChangesRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangesAnswer"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["ChangesAnswerDryRun"];
                };
            };
        };
    };
    listCommunities: {
        parameters: {
            query?: {
                /** @description The value exactly as it is shown */
                community?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CommunityPage"];
                };
            };
        };
    };
    createCommunity: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "community": "65000:100",
                 *       "title": "Cloud providers",
                 *       "color": "#3366cc"
                 *     }
                 */
                "application/json": components["schemas"]["CommunityCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["CommunityDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Community"];
                };
            };
        };
    };
    getCommunity: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the community
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Community"];
                };
            };
        };
    };
    deleteCommunity: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the community
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeCommunity: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the community
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "title": "Clouds",
                 *       "next_hop_ipv4": "192.0.2.1"
                 *     }
                 */
                "application/json": components["schemas"]["CommunityPatch"];
                /**
                 * @example {
                 *       "title": "Clouds",
                 *       "next_hop_ipv4": "192.0.2.1"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["CommunityPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Community"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["CommunityDryRun"];
                };
            };
        };
    };
    listDohProfiles: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DohProfilePage"];
                };
            };
        };
    };
    createDohProfile: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://dns.example/dns-query{?dns}",
                 *       "bootstrap_addresses": [
                 *         "192.0.2.53"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["DohProfileCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["DohProfileDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DohProfile"];
                };
            };
        };
    };
    getDohProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the DoH profile
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DohProfile"];
                };
            };
        };
    };
    deleteDohProfile: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the DoH profile
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeDohProfile: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the DoH profile
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "method": "GET",
                 *       "client_subnet": "198.51.100.0/24"
                 *     }
                 */
                "application/json": components["schemas"]["DohProfilePatch"];
                /**
                 * @example {
                 *       "method": "GET",
                 *       "client_subnet": "198.51.100.0/24"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["DohProfilePatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DohProfile"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["DohProfileDryRun"];
                };
            };
        };
    };
    testDohProfile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the DoH profile
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "domain": "www.example.com"
                 *     }
                 */
                "application/json": components["schemas"]["DohTestRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DohTest"];
                };
            };
        };
    };
    followEvents: {
        parameters: {
            query?: {
                /** @description For clients that cannot set the header `Last-Event-ID`, which takes precedence */
                last_event_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["EventStream"];
                };
            };
        };
    };
    listFeeds: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                format?: "text" | "csv" | "json" | "nft" | "ipset" | "routeros" | "ios" | "junos" | "eos" | "bird" | "edl";
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedPage"];
                };
            };
        };
    };
    createFeed: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "drop",
                 *       "format": "nft",
                 *       "max_prefixes": 100000,
                 *       "allowed_networks": [
                 *         "192.0.2.0/24"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["FeedCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["FeedWithTokenDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedWithToken"];
                };
            };
        };
    };
    getFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the feed
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feed"];
                };
            };
        };
    };
    deleteFeed: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the feed
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeFeed: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the feed
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "max_prefixes": 50000,
                 *       "when_too_many": "fit"
                 *     }
                 */
                "application/json": components["schemas"]["FeedPatch"];
                /**
                 * @example {
                 *       "max_prefixes": 50000,
                 *       "when_too_many": "fit"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["FeedPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Feed"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["FeedDryRun"];
                };
            };
        };
    };
    previewFeed: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the feed
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedPreview"];
                };
            };
        };
    };
    rotateFeed: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the feed
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedWithToken"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["FeedWithTokenDryRun"];
                };
            };
        };
    };
    listFirewallClients: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description `block`: what no rule names passes. `accept`: only what a rule accepts passes, in both directions, beside what protects the host */
                policy?: "block" | "accept";
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description `pending`: it has applied nothing yet; `failed`: it could not apply the last ruleset; `reverted`: it went back, because it could not reach the service with the last ruleset. In both cases the ruleset before stays in force */
                status?: "pending" | "applied" | "failed" | "reverted";
                /** @description Adds what each client is to apply now */
                wanted?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallClientPage"];
                };
            };
        };
    };
    getFirewallClient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the firewall client
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallClient"];
                };
            };
        };
    };
    deleteFirewallClient: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the firewall client
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeFirewallClient: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the firewall client
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "policy": "accept",
                 *       "protected": [
                 *         "192.0.2.0/24"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["FirewallClientPatch"];
                /**
                 * @example {
                 *       "policy": "accept",
                 *       "protected": [
                 *         "192.0.2.0/24"
                 *       ]
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["FirewallClientPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallClient"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["FirewallClientDryRun"];
                };
            };
        };
    };
    reportFirewallStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the firewall client
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "ruleset_hash": null,
                 *       "status": "applied",
                 *       "error": null,
                 *       "hostname": "web-1.example.net",
                 *       "version": "1.0.0",
                 *       "counters": []
                 *     }
                 */
                "application/json": components["schemas"]["FirewallApplyStatus"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallApplyStatusTaken"];
                };
            };
        };
    };
    getFirewallRuleset: {
        parameters: {
            query?: {
                /** @description `nft`: a script for `nft -f` as text, for a look at it and for hosts without the client */
                format?: "json" | "nft";
                /** @description A revision: sets come as the difference to those of the same rules at this revision. Of the format `json` */
                from?: string;
                /** @description Seconds to wait while the ruleset is the one that `If-None-Match` names */
                wait?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the firewall client
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRuleset"];
                    "text/plain": string;
                };
            };
        };
    };
    enrollFirewallClient: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "hostname": "web-1.example.net",
                 *       "version": "1.0.0"
                 *     }
                 */
                "application/json": components["schemas"]["FirewallEnroll"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallEnrolled"];
                };
            };
        };
    };
    createFirewallEnrollmentToken: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "policy": "block",
                 *       "valid_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["FirewallTokenCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["EnrollmentTokenDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrollmentToken"];
                };
            };
        };
    };
    getFirewallInstallContext: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallInstallContext"];
                };
            };
        };
    };
    listFirewallRules: {
        parameters: {
            query?: {
                /** @description What happens to packets that match; of several rules that match, the first one counts */
                action?: "block" | "accept";
                /** @description UUIDv7 */
                client_id?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description `in`: packets that come from the listed addresses; `out`: packets that go to them */
                direction?: "in" | "out" | "both";
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRulePage"];
                };
            };
        };
    };
    createFirewallRule: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "scanners",
                 *       "action": "block",
                 *       "direction": "in",
                 *       "cidrs": [
                 *         "198.51.100.0/24"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["FirewallRuleCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["FirewallRuleDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRule"];
                };
            };
        };
    };
    getFirewallRule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the firewall rule
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRule"];
                };
            };
        };
    };
    deleteFirewallRule: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the firewall rule
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeFirewallRule: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the firewall rule
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "priority": 100,
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["FirewallRulePatch"];
                /**
                 * @example {
                 *       "priority": 100,
                 *       "enabled": false
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["FirewallRulePatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FirewallRule"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["FirewallRuleDryRun"];
                };
            };
        };
    };
    previewGeofeed: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://network.example/geofeed.csv",
                 *       "countries": [
                 *         "DE",
                 *         "US"
                 *       ],
                 *       "regions": [
                 *         "US-CA"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["GeofeedPreviewRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdnPreview"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    readHistory: {
        parameters: {
            query: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description An IPv4 or IPv6 prefix, or an address */
                prefix: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["History"];
                };
            };
        };
    };
    listJobs: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description UUIDv7 */
                resource_id?: string;
                /** @description Order of the list: a field, with `-` in front for descending; default: `-created_at`, the newest first */
                sort?: "created_at" | "-created_at" | "queued_at" | "-queued_at";
                /** @description One or several, each as a parameter of its own */
                state?: components["schemas"]["JobState"] | components["schemas"]["JobState"][];
                /** @description One or several, each as a parameter of its own */
                type?: components["schemas"]["JobType"] | components["schemas"]["JobType"][];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
        };
    };
    getJob: {
        parameters: {
            query?: {
                /** @description Seconds to wait for the end of the job; the answer comes at once if it has ended */
                wait?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the job
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    cancelJob: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the job
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job, which has ended within the time that `Prefer` gave, however it did */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["JobDryRun"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    lookup: {
        parameters: {
            query: {
                /** @description Answers from what that revision was built from, and from its routes, instead of what there is now: the id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ) */
                at?: string;
                /** @description An IPv4 or IPv6 address or prefix, or a fully qualified domain name */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lookup"];
                };
            };
        };
    };
    lookupMany: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "queries": [
                 *         "8.8.8.8",
                 *         "198.51.100.0/24",
                 *         "www.example.com"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["LookupRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Lookups"];
                };
            };
        };
    };
    findHolders: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "prefixes": [
                 *         "198.51.100.0/24"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["HoldersRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Holders"];
                };
            };
        };
    };
    listMaintenancePolicies: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description `revision_prune` removes old revisions, and contents that no other revision uses; `job_prune` removes jobs that ended long ago; `audit_prune` removes old records of the audit log, except those that a portal has not been sent, and those of next hops that speakers have yet to be sent; `runtime_logs_cleanup` empties or deletes log files, as the automatic cleanup does; `postgres_vacuum` makes the room of dead rows in tables free for new ones; `postgres_analyze` renews what the planner knows of tables; `postgres_reindex` builds the indexes of tables again */
                kind?: "revision_prune" | "job_prune" | "audit_prune" | "runtime_logs_cleanup" | "postgres_vacuum" | "postgres_analyze" | "postgres_reindex";
                /** @description Maximum number of items in a page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenancePolicyPage"];
                };
            };
        };
    };
    createMaintenancePolicy: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Old jobs",
                 *       "kind": "job_prune",
                 *       "schedule": "0 4 * * 0",
                 *       "parameters": {
                 *         "older_than_days": 30,
                 *         "keep_last": 500
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["MaintenancePolicyCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["MaintenancePolicyDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenancePolicy"];
                };
            };
        };
    };
    getMaintenancePolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the maintenance policy
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenancePolicy"];
                };
            };
        };
    };
    deleteMaintenancePolicy: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the maintenance policy
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeMaintenancePolicy: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the maintenance policy
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["MaintenancePolicyPatch"];
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["MaintenancePolicyPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenancePolicy"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["MaintenancePolicyDryRun"];
                };
            };
        };
    };
    dryRunMaintenancePolicy: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the maintenance policy
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MaintenanceEffect"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["MaintenanceEffectDryRun"];
                };
            };
        };
    };
    runMaintenancePolicy: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the maintenance policy
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job, which has ended within the time that `Prefer` gave, however it did */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["JobDryRun"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    listMaintenanceRuns: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
                state?: "queued" | "running" | "succeeded" | "failed" | "cancelled";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the maintenance policy
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPage"];
                };
            };
        };
    };
    listModules: {
        parameters: {
            query?: {
                /** @description UUIDv7 */
                community_id?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description `exclude` removes its addresses from every community of the revision */
                purpose?: "announce" | "exclude";
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description Order of the list: `-created_at` has the newest first */
                sort?: components["schemas"]["ByCreation"];
                /** @description One or several, each as a parameter of its own */
                type?: components["schemas"]["ModuleType"] | components["schemas"]["ModuleType"][];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ModulePage"];
                };
            };
        };
    };
    createModule: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "aws",
                 *       "type": "CDN_SOURCES",
                 *       "refresh_interval_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["ModuleCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["ModuleDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Module"];
                };
            };
        };
    };
    getModule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Module"];
                };
            };
        };
    };
    deleteModule: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeModule: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["ModulePatch"];
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["ModulePatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Module"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["ModuleDryRun"];
                };
            };
        };
    };
    listAsEntries: {
        parameters: {
            query?: {
                /** @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it */
                contains?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description Order of the list: `created_at`, or `name`, which is what is unique in the module: the range, the AS number, the domain, or the name; with `-` in front for descending */
                sort?: components["schemas"]["EntrySort"];
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AsEntryPage"];
                };
            };
        };
    };
    createAsEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "asn": 3333,
                 *       "note": "RIPE NCC"
                 *     }
                 */
                "application/json": components["schemas"]["AsEntryCreateOrAsEntryCreateBulk"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["AsEntryOrAsEntryListDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AsEntryOrAsEntryList"];
                };
            };
        };
    };
    deleteAsEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "enabled": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AsEntriesChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedEntries"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["DeletedEntriesDryRun"];
                };
            };
        };
    };
    changeAsEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "q": "old"
                 *       },
                 *       "patch": {
                 *         "enabled": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["AsEntriesChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AsEntryList"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["AsEntryListDryRun"];
                };
            };
        };
    };
    getAsEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the AS entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AsEntry"];
                };
            };
        };
    };
    deleteAsEntry: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the AS entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeAsEntry: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the AS entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": null,
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["AsEntryPatch"];
                /**
                 * @example {
                 *       "note": null,
                 *       "enabled": false
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["AsEntryPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AsEntry"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["AsEntryDryRun"];
                };
            };
        };
    };
    listCdnSources: {
        parameters: {
            query?: {
                /** @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it */
                contains?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description Order of the list: `created_at`, or `name`, which is what is unique in the module: the range, the AS number, the domain, or the name; with `-` in front for descending */
                sort?: components["schemas"]["EntrySort"];
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdnSourcePage"];
                };
            };
        };
    };
    createCdnSources: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "ip-ranges.json",
                 *       "url": "https://ip-ranges.amazonaws.com/ip-ranges.json",
                 *       "format": "json",
                 *       "json_path": "$.prefixes[*].ip_prefix"
                 *     }
                 */
                "application/json": components["schemas"]["CdnSourceCreateOrCdnSourceCreateBulk"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["CdnSourceOrCdnSourceListDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdnSourceOrCdnSourceList"];
                };
            };
        };
    };
    deleteCdnSources: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "enabled": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CdnSourcesChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedEntries"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["DeletedEntriesDryRun"];
                };
            };
        };
    };
    changeCdnSources: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "q": "old"
                 *       },
                 *       "patch": {
                 *         "enabled": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CdnSourcesChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdnSourceList"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["CdnSourceListDryRun"];
                };
            };
        };
    };
    getCdnSource: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the CDN source
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdnSource"];
                };
            };
        };
    };
    deleteCdnSource: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the CDN source
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeCdnSource: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the CDN source
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["CdnSourcePatch"];
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["CdnSourcePatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CdnSource"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["CdnSourceDryRun"];
                };
            };
        };
    };
    listDomainEntries: {
        parameters: {
            query?: {
                /** @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it */
                contains?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description Order of the list: `created_at`, or `name`, which is what is unique in the module: the range, the AS number, the domain, or the name; with `-` in front for descending */
                sort?: components["schemas"]["EntrySort"];
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainEntryPage"];
                };
            };
        };
    };
    createDomainEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "domain": "www.example.com",
                 *       "note": "The front page"
                 *     }
                 */
                "application/json": components["schemas"]["DomainEntryCreateOrDomainEntryCreateBulk"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["DomainEntryOrDomainEntryListDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainEntryOrDomainEntryList"];
                };
            };
        };
    };
    deleteDomainEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "enabled": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DomainEntriesChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedEntries"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["DeletedEntriesDryRun"];
                };
            };
        };
    };
    changeDomainEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "q": "old"
                 *       },
                 *       "patch": {
                 *         "enabled": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["DomainEntriesChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainEntryList"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["DomainEntryListDryRun"];
                };
            };
        };
    };
    getDomainEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the domain entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainEntry"];
                };
            };
        };
    };
    deleteDomainEntry: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the domain entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeDomainEntry: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the domain entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["DomainEntryPatch"];
                /**
                 * @example {
                 *       "enabled": false
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["DomainEntryPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DomainEntry"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["DomainEntryDryRun"];
                };
            };
        };
    };
    exportEntries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/csv": string;
                };
            };
        };
    };
    importEntries: {
        parameters: {
            query?: {
                /** @description Answers with what the import would do, and changes nothing */
                dry_run?: boolean;
                /** @description `append` creates and updates what the file names; `replace` also deletes every entry that the file does not name; `remove` deletes what the file names, and lets other columns than the first be anything */
                mode?: "append" | "replace" | "remove";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example cidr,note,enabled,community
                 *     8.8.8.0/24,"resolver, public",true,
                 */
                "text/csv": string;
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EntryImport"];
                };
            };
        };
    };
    restoreEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "batch": "01900000-0000-7000-8000-000000000001"
                 *     }
                 */
                "application/json": components["schemas"]["EntriesRestore"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoredEntries"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["RestoredEntriesDryRun"];
                };
            };
        };
    };
    listGeofeedEntries: {
        parameters: {
            query?: {
                /** @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it */
                contains?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description Order of the list: `created_at`, or `name`, which is what is unique in the module: the range, the AS number, the domain, or the name; with `-` in front for descending */
                sort?: components["schemas"]["EntrySort"];
                /** @description One or several, each as a parameter of its own */
                status?: components["schemas"]["EntryStatus"] | components["schemas"]["EntryStatus"][];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeofeedEntryPage"];
                };
            };
        };
    };
    createGeofeedEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "network.example",
                 *       "url": "https://network.example/geofeed.csv",
                 *       "countries": [
                 *         "DE",
                 *         "US"
                 *       ],
                 *       "regions": [
                 *         "US-CA"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["GeofeedEntryCreateOrGeofeedEntryCreateBulk"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["GeofeedEntryOrGeofeedEntryListDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeofeedEntryOrGeofeedEntryList"];
                };
            };
        };
    };
    deleteGeofeedEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "enabled": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["GeofeedEntriesChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedEntries"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["DeletedEntriesDryRun"];
                };
            };
        };
    };
    changeGeofeedEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "q": "old"
                 *       },
                 *       "patch": {
                 *         "enabled": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["GeofeedEntriesChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeofeedEntryList"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["GeofeedEntryListDryRun"];
                };
            };
        };
    };
    getGeofeedEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the geofeed entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeofeedEntry"];
                };
            };
        };
    };
    deleteGeofeedEntry: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the geofeed entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeGeofeedEntry: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the geofeed entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "countries": [
                 *         "DE"
                 *       ],
                 *       "regions": []
                 *     }
                 */
                "application/json": components["schemas"]["GeofeedEntryPatch"];
                /**
                 * @example {
                 *       "countries": [
                 *         "DE"
                 *       ],
                 *       "regions": []
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["GeofeedEntryPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GeofeedEntry"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["GeofeedEntryDryRun"];
                };
            };
        };
    };
    diffHeldModule: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeldDiff"];
                };
            };
        };
    };
    listIpRangeEntries: {
        parameters: {
            query?: {
                /** @description An address or a prefix: the entries that contain all of it. A range contains it by itself, any other entry by what was last collected from it */
                contains?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description Order of the list: `created_at`, or `name`, which is what is unique in the module: the range, the AS number, the domain, or the name; with `-` in front for descending */
                sort?: components["schemas"]["EntrySort"];
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IpRangeEntryPage"];
                };
            };
        };
    };
    createIpRangeEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "cidr": "8.8.8.0/24",
                 *       "note": "resolver"
                 *     }
                 */
                "application/json": components["schemas"]["IpRangeEntryCreateOrIpRangeEntryCreateBulk"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["IpRangeEntryOrIpRangeEntryListDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IpRangeEntryOrIpRangeEntryList"];
                };
            };
        };
    };
    deleteIpRangeEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "enabled": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["IpRangeEntriesChoice"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedEntries"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["DeletedEntriesDryRun"];
                };
            };
        };
    };
    changeIpRangeEntries: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "filter": {
                 *         "q": "old"
                 *       },
                 *       "patch": {
                 *         "enabled": false
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["IpRangeEntriesChange"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IpRangeEntryList"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["IpRangeEntryListDryRun"];
                };
            };
        };
    };
    getIpRangeEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the IP range entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IpRangeEntry"];
                };
            };
        };
    };
    deleteIpRangeEntry: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the IP range entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeIpRangeEntry: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the IP range entry
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "note": null,
                 *       "enabled": false
                 *     }
                 */
                "application/json": components["schemas"]["IpRangeEntryPatch"];
                /**
                 * @example {
                 *       "note": null,
                 *       "enabled": false
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["IpRangeEntryPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IpRangeEntry"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["IpRangeEntryDryRun"];
                };
            };
        };
    };
    refreshModule: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job, which has ended within the time that `Prefer` gave, however it did */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["JobDryRun"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    releaseModule: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "override": [
                 *         "max_change_exceeded"
                 *       ],
                 *       "reason": "the provider moved to another network"
                 *     }
                 */
                "application/json": components["schemas"]["ReleaseRequest"];
            };
        };
        responses: {
            /** @description The job, which has ended within the time that `Prefer` gave, however it did */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["JobDryRun"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    listRemovedEntries: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedEntriesPage"];
                };
            };
        };
    };
    restoreModule: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the module
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                module_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "name": "aws again"
                 *     }
                 */
                "application/json": components["schemas"]["ModuleRestore"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoredModule"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["RestoredModuleDryRun"];
                };
            };
        };
    };
    enrollNode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "hostname": "edge-1.example.net",
                 *       "version": "1.0.0",
                 *       "daemon": "builtin"
                 *     }
                 */
                "application/json": components["schemas"]["NodeEnroll"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeEnrolled"];
                };
            };
        };
    };
    getDescription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApiDescription"];
                };
            };
        };
    };
    listPeers: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description AS number, of two or four octets (RFC 6793) */
                remote_asn?: number;
                /** @description UUIDv7 */
                speaker_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PeerPage"];
                };
            };
        };
    };
    createPeer: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "core-router",
                 *       "address": "192.0.2.2",
                 *       "remote_asn": 64500,
                 *       "families": [
                 *         "ipv4",
                 *         "ipv6"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PeerCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["PeerDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Peer"];
                };
            };
        };
    };
    getPeer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the peer
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Peer"];
                };
            };
        };
    };
    deletePeer: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the peer
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changePeer: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the peer
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "hold_time": 30
                 *     }
                 */
                "application/json": components["schemas"]["PeerPatch"];
                /**
                 * @example {
                 *       "hold_time": 30
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["PeerPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Peer"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["PeerDryRun"];
                };
            };
        };
    };
    maintainPostgres: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "operation": "analyze",
                 *       "table": "audit_record"
                 *     }
                 */
                "application/json": components["schemas"]["PostgresMaintenance"];
            };
        };
        responses: {
            /** @description The job, which has ended within the time that `Prefer` gave, however it did */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["JobDryRun"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    getPostgresMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PostgresMetrics"];
                };
            };
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    listRemovedModules: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description One or several, each as a parameter of its own */
                id?: components["schemas"]["Id"] | components["schemas"]["Id"][];
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description The type of the module's entries; it cannot be changed */
                type?: "CDN_SOURCES" | "AS_PREFIXES" | "DOMAINS" | "IP_RANGES" | "GEOFEED";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedModulePage"];
                };
            };
        };
    };
    listRevisions: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
                pinned?: boolean;
                /** @description Built not before this moment */
                since?: string;
                /** @description Order of the list: a field, with `-` in front for descending; default: `-number`, the newest first */
                sort?: "number" | "-number" | "created_at" | "-created_at";
                /** @description One or several, each as a parameter of its own */
                state?: components["schemas"]["RevisionState"] | components["schemas"]["RevisionState"][];
                /** @description Built before this moment */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionPage"];
                };
            };
        };
    };
    buildRevision: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RevisionRequest"];
            };
        };
        responses: {
            /** @description The job, which has ended within the time that `Prefer` gave, however it did */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["JobDryRun"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    diffRevisions: {
        parameters: {
            query?: {
                /** @description One or several */
                change?: ("announced" | "withdrawn" | "changed")[];
                /** @description Routes that have the community in either revision */
                community_id?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                family?: "ipv4" | "ipv6";
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Routes with addresses that the module contributed to either revision */
                module_id?: string;
                /** @description A prefix: only routes that are inside it */
                within?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)
                 * @example latest
                 */
                revision_a: string;
                /**
                 * @description The id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)
                 * @example latest
                 */
                revision_b: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionDiff"];
                };
            };
        };
    };
    mapDifference: {
        parameters: {
            query?: {
                family?: "ipv4" | "ipv6";
                /** @description The prefix to draw, down to /16 of IPv4 and /112 of IPv6; default: `0.0.0.0/0`, or `2000::/3` with `family=ipv6` */
                within?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)
                 * @example latest
                 */
                revision_a: string;
                /**
                 * @description The id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)
                 * @example latest
                 */
                revision_b: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DiffMap"];
                };
            };
        };
    };
    getRevision: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)
                 * @example latest
                 */
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"];
                };
            };
        };
    };
    changeRevision: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)
                 * @example latest
                 */
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "pinned": true
                 *     }
                 */
                "application/json": components["schemas"]["RevisionPatch"];
                /**
                 * @example {
                 *       "pinned": true
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["RevisionPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Revision"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["RevisionDryRun"];
                };
            };
        };
    };
    mapRevision: {
        parameters: {
            query?: {
                family?: "ipv4" | "ipv6";
                /** @description The prefix to draw, down to /16 of IPv4 and /112 of IPv6; default: `0.0.0.0/0`, or `2000::/3` with `family=ipv6` */
                within?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)
                 * @example latest
                 */
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionMap"];
                };
            };
        };
    };
    listRevisionPrefixes: {
        parameters: {
            query?: {
                /** @description UUIDv7 */
                community_id?: string;
                /** @description An address or prefix that the listed prefixes contain */
                contains?: string;
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                family?: "ipv4" | "ipv6";
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description A module that the revision was built from: lists the prefixes with addresses that it contributed */
                module_id?: string;
                /** @description Lists what differs from this revision only; the id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ). Takes no other filter */
                since_revision?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)
                 * @example latest
                 */
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionPrefixPage"];
                    "text/csv": string;
                    "text/plain": string;
                };
            };
        };
    };
    previewRevision: {
        parameters: {
            query?: {
                /** @description UUIDv7 */
                speaker_id?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)
                 * @example latest
                 */
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevisionPreview"];
                };
            };
        };
    };
    rollbackRevision: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a revision, its number, `latest` (the newest that is ready) or `applied` (what enabled speakers run; the one that was applied last where they differ)
                 * @example latest
                 */
                revision_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "reason": "Routers lost the office in the last refresh"
                 *     }
                 */
                "application/json": components["schemas"]["RollbackRequest"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["RolledBackDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RolledBack"];
                };
            };
        };
    };
    planRevision: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "changes": [
                 *         {
                 *           "method": "POST",
                 *           "path": "/v1/communities",
                 *           "body": {
                 *             "community": "65000:300",
                 *             "title": "CDN"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PlanRequest"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plan"];
                };
            };
        };
    };
    pruneRevisions: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job, which has ended within the time that `Prefer` gave, however it did */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["JobDryRun"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    estimateRevisionPrune: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PruneEstimate"];
                };
            };
        };
    };
    getCatalog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Catalog"];
                };
            };
        };
    };
    reloadRouter: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The job, which has ended within the time that `Prefer` gave, however it did */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["JobDryRun"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    getRouterStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouterStatus"];
                };
            };
        };
    };
    estimateRuntimeLogCleanup: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeLogCleanup"];
                };
            };
        };
    };
    runRuntimeLogCleanup: {
        parameters: {
            query?: {
                /** @description Only evaluate */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeLogCleanup"];
                };
            };
        };
    };
    listRuntimeLogCleanups: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecordPage"];
                };
            };
        };
    };
    listRuntimeLogs: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeLogFilePage"];
                };
            };
        };
    };
    tailRuntimeLog: {
        parameters: {
            query?: {
                /** @description How much of the end of the file is read; lines before it are not searched */
                bytes?: number;
                /** @description Answer with server-sent events: the last lines, then each new one, through truncation and rotation */
                follow?: boolean;
                /** @description Text that a line must contain, literally. Give it several times: a line must contain all */
                grep?: string[];
                /** @description JSON lines of this level or a more severe one */
                level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal";
                /** @description Lines at most, the last ones */
                lines?: number;
                /** @description JSON lines not older than this moment */
                since?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Name of the runtime log file
                 * @example app-all.log
                 */
                filename: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeLogTail"];
                    "text/event-stream": string;
                    "text/plain": string;
                };
            };
        };
    };
    cleanRuntimeLog: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
                /** @description `truncate` empties the file and keeps it for its writer, `delete` removes it */
                mode?: "truncate" | "delete";
            };
            header?: never;
            path: {
                /**
                 * @description Name of the runtime log file
                 * @example app-all.log
                 */
                filename: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsAnswer"];
                };
            };
        };
    };
    changeSettings: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "auto_apply": false
                 *     }
                 */
                "application/json": components["schemas"]["SettingsPatch"];
                /**
                 * @example {
                 *       "auto_apply": false
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["SettingsPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SettingsAnswer"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["SettingsAnswerDryRun"];
                };
            };
        };
    };
    listSourcePresets: {
        parameters: {
            query?: {
                category?: "cloud" | "cdn" | "service" | "crawler" | "country" | "blocklist";
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourcePresets"];
                };
            };
        };
    };
    listSources: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description With `status=ok`, false finds what was read and has nothing, such as a domain that does not exist */
                has_prefixes?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description UUIDv7 */
                module_id?: string;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description Order of the list: the longest not read first, or last */
                sort?: "last_refreshed_at" | "-last_refreshed_at";
                /** @description One or several: `status=stale&status=failed` */
                status?: components["schemas"]["EntryStatus"][];
                /** @description One or several */
                type?: components["schemas"]["SourceType"][];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SourcePage"];
                };
            };
        };
    };
    listSpeakers: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description What holds the sessions: `builtin` is part of the service, the others are routing daemons */
                daemon?: "builtin" | "bird" | "frr" | "gobgp" | "openbgpd";
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Adds the live status of speaker and sessions */
                live?: boolean;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SpeakerPage"];
                };
            };
        };
    };
    createSpeaker: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "edge-1",
                 *       "daemon": "builtin",
                 *       "local_asn": 64512,
                 *       "local_ipv4": "192.0.2.1"
                 *     }
                 */
                "application/json": components["schemas"]["SpeakerCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["SpeakerDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Speaker"];
                };
            };
        };
    };
    applyToSpeaker: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the speaker
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["SpeakerApplyRequest"];
            };
        };
        responses: {
            /** @description The job, which has ended within the time that `Prefer` gave, however it did */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["JobDryRun"];
                };
            };
            /** @description Accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    getSpeaker: {
        parameters: {
            query?: {
                /** @description Adds the live status of speaker and sessions */
                live?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the speaker
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                speaker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Speaker"];
                };
            };
        };
    };
    deleteSpeaker: {
        parameters: {
            query?: {
                /** @description Deletes a speaker of mode `agent` even if its node may keep announcing its routes */
                abandon_node?: boolean;
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the speaker
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                speaker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeSpeaker: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the speaker
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                speaker_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "local_asn": 64513
                 *     }
                 */
                "application/json": components["schemas"]["SpeakerPatch"];
                /**
                 * @example {
                 *       "local_asn": 64513
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["SpeakerPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Speaker"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["SpeakerDryRun"];
                };
            };
        };
    };
    reportApplyStatus: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the speaker
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                speaker_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "sequence": null,
                 *       "revision_id": null,
                 *       "status": "unchanged",
                 *       "announced": 0,
                 *       "withdrawn": 0,
                 *       "changed": 0,
                 *       "error": null,
                 *       "daemon": {
                 *         "reachable": true,
                 *         "version": "1.0.0",
                 *         "router_id": "192.0.2.1",
                 *         "uptime_seconds": 60,
                 *         "last_reconfigured_at": null,
                 *         "error": null,
                 *         "sessions": []
                 *       },
                 *       "agent": {
                 *         "version": "1.0.0",
                 *         "hostname": "edge-1.example.net",
                 *         "run_id": "0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ApplyStatus"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApplyStatusTaken"];
                };
            };
        };
    };
    pullBundle: {
        parameters: {
            query?: {
                /** @description A revision whose content the node has: the answer holds only the changes since, if these are smaller */
                from?: string;
                /** @description How often this state was signed; a URL with it never changes */
                issue?: number;
                /** @description Higher than that of every earlier state of the speaker */
                sequence?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the revision
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                revision_id: string;
                /**
                 * @description Id of the speaker
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                speaker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-tar": string;
                };
            };
        };
    };
    createEnrollmentToken: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the speaker
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                speaker_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "valid_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["EnrollmentTokenCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["EnrollmentTokenDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnrollmentToken"];
                };
            };
        };
    };
    getLatestBundle: {
        parameters: {
            query?: {
                /** @description Seconds to wait for a bundle other than the one that `If-None-Match` names */
                wait?: number;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the speaker
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                speaker_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LatestBundle"];
                };
            };
        };
    };
    listTenants: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
                /** @description Keys of a suspended tenant are refused and its jobs wait; its speakers keep announcing their routes. A stopped tenant is suspended, and its sessions end too: all its routes are withdrawn, and nothing is deleted */
                status?: "active" | "suspended" | "stopped";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantPage"];
                };
            };
        };
    };
    createTenant: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme",
                 *       "slug": "acme",
                 *       "quotas": {
                 *         "modules": 100
                 *       },
                 *       "policy": {
                 *         "allowed_prefixes": [
                 *           "192.0.2.0/24"
                 *         ],
                 *         "allowed_communities": [
                 *           "65010:*"
                 *         ],
                 *         "allowed_local_asns": [
                 *           65010
                 *         ],
                 *         "allowed_peer_networks": [
                 *           "198.51.100.0/28"
                 *         ]
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TenantCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["TenantCreatedDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TenantCreated"];
                };
            };
        };
    };
    getTenant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the tenant
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                };
            };
        };
    };
    deleteTenant: {
        parameters: {
            query: {
                /** @description Deletes the tenant even if its nodes may keep announcing their routes */
                abandon_nodes?: boolean;
                /** @description The slug of the tenant */
                confirm: string;
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the tenant
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeTenant: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the tenant
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "status": "suspended"
                 *     }
                 */
                "application/json": components["schemas"]["TenantPatch"];
                /**
                 * @example {
                 *       "status": "suspended"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["TenantPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["TenantDryRun"];
                };
            };
        };
    };
    stopTenant: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the tenant
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tenant"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["TenantDryRun"];
                };
            };
        };
    };
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
        };
    };
    listWebhooks: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                enabled?: boolean;
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description Text that stands anywhere in the fields that people write, in any case */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookPage"];
                };
            };
        };
    };
    createWebhook: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "url": "https://hooks.example.net/prefixcast",
                 *       "events": [
                 *         "revision",
                 *         "apply",
                 *         "module"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["WebhookCreate"];
            };
        };
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["WebhookWithSecretDryRun"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                };
            };
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the webhook
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    deleteWebhook: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the webhook
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What `dry_run=true` found */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["NothingDryRun"];
                };
            };
            /** @description No Content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    changeWebhook: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the webhook
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "events": [
                 *         "revision"
                 *       ],
                 *       "format": "slack"
                 *     }
                 */
                "application/json": components["schemas"]["WebhookPatch"];
                /**
                 * @example {
                 *       "events": [
                 *         "revision"
                 *       ],
                 *       "format": "slack"
                 *     }
                 */
                "application/merge-patch+json": components["schemas"]["WebhookPatch"];
            };
        };
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["WebhookDryRun"];
                };
            };
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the previous page; the filters must be the same */
                cursor?: string;
                /** @description `reset`: events were missed for good, since they waited longer than they are kept; `test`: of `POST …/test` */
                event?: "job" | "revision" | "session" | "apply" | "module" | "source" | "tenant" | "audit" | "reset" | "test";
                /** @description Maximum number of items in a page */
                limit?: number;
                /** @description `pending`: it waits, or is tried again; `delivered`: answered with 2xx; `refused`: answered with a 4xx that no repetition changes; `skipped`: the webhook was disabled before */
                state?: "pending" | "delivered" | "refused" | "skipped";
            };
            header?: never;
            path: {
                /**
                 * @description Id of the webhook
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the webhook delivery
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                delivery_id: string;
                /**
                 * @description Id of the webhook
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    resendWebhookDelivery: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the webhook delivery
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                delivery_id: string;
                /**
                 * @description Id of the webhook
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["WebhookDeliveryDryRun"];
                };
            };
        };
    };
    rotateWebhook: {
        parameters: {
            query?: {
                /** @description Answers what would be answered, and what would be announced and withdrawn, and changes nothing */
                dry_run?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description Id of the webhook
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookWithSecret"];
                    "application/vnd.prefixcast.dry-run+json": components["schemas"]["WebhookWithSecretDryRun"];
                };
            };
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Id of the webhook
                 * @example 0198c5d2-7b1e-7c3a-9f42-6d1e5b8a0c77
                 */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    getRootVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description OK */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Version"];
                };
            };
        };
    };
}
