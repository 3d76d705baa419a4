/** Codes that no request is answered with: they stand in results of jobs, at speakers, peers and entries, and among warnings of revisions. */
import type { ProblemHelp } from './problem-help.ts';

type ResultCodeHelp = Pick<ProblemHelp, 'when' | 'remedy'> & { readonly title: string };

export const RESULT_CODES = {
  speaker_unreachable: {
    title: 'Nothing that holds the speaker answers',
    when: 'The routing daemon of the speaker, the process that holds it, or its node did not answer an apply in time.',
    remedy:
      'Start the daemon, or a process with `APP_SERVICE` `app-all` or `app-speaker`. The revision is applied when it answers again.',
  },
  speaker_failed: {
    title: 'The speaker failed',
    when: 'The speaker met an error that has no code of its own.',
    remedy: 'See `error` beside the code, and the log of the process that holds the speaker.',
  },
  verification_failed: {
    title: 'The speaker did not run the revision as it should',
    when: 'After an apply, sessions went down, or counts of routes were not those of the revision. The speaker went back to what it ran before.',
    remedy:
      'See `peers` of the result for which sessions, correct the cause, and apply again with `retry_of`.',
  },
  confirm_timeout: {
    title: 'The apply was not confirmed in time',
    when: 'Verification took longer than `deploy_confirm_timeout_seconds`, so that the daemon went back to what it ran before by itself.',
    remedy: 'Raise the setting if the routers need longer for so many routes, then apply again.',
  },
  config_refused: {
    title: 'The daemon refuses its configuration',
    when: 'The routing daemon read the configuration of the speaker and found a fault. It runs the previous one.',
    remedy: '`error` has the words of the daemon. Correct the speaker or peer that they name.',
  },
  config_not_included: {
    title: 'The daemon does not include the files of Prefixcast',
    when: 'The main configuration of the daemon does not include the directory `APP_ROUTER_CONFIG_DIR`.',
    remedy: 'Add the `include` that the page of the daemon shows, and reload.',
  },
  config_unwritable: {
    title: 'The configuration cannot be written',
    when: 'The service may not write the files that the daemon reads.',
    remedy: 'Give the user of the service write access to `APP_ROUTER_CONFIG_DIR`.',
  },
  daemon_in_use: {
    title: 'Another process drives the daemon',
    when: 'One process at a time drives a routing daemon, and another one does.',
    remedy: 'Stop the other process, or leave the speaker to it.',
  },
  daemon_taken: {
    title: 'The daemon belongs to another installation',
    when: 'The routing daemon runs configuration of another installation of Prefixcast.',
    remedy: 'Stop that installation, or use another daemon.',
  },
  daemon_missing: {
    title: 'No such daemon is configured',
    when: 'The speaker needs a routing daemon that no process of the service drives.',
    remedy:
      'Set `APP_ROUTER_DAEMON` and its variables on the machine of the daemon, or choose another `daemon`.',
  },
  daemon_refused: {
    title: 'The daemon refused a change',
    when: 'The routing daemon did not accept routes or a setting through its control interface.',
    remedy: '`error` has the words of the daemon.',
  },
  bfd_missing: {
    title: 'The daemon has no BFD',
    when: 'A peer has `bfd`, and the routing daemon runs without it.',
    remedy: 'Start the BFD of the daemon, or set `bfd` of the peer to false.',
  },
  disk_full: {
    title: 'The disk is full',
    when: 'There was no space for the files of the daemon. It runs the previous ones.',
    remedy: 'Make space on the machine of the daemon, and apply again.',
  },
  feed_down: {
    title: 'The route injection session is down',
    when: 'The session over which the daemon receives its routes from the builtin speaker is not up.',
    remedy: 'See that nothing filters `APP_ROUTER_FEED` or `APP_BGP_LISTEN` on the machine.',
  },
  feed_incomplete: {
    title: 'Not all routes arrived over the injection session',
    when: 'The daemon holds fewer routes than the builtin speaker sent it.',
    remedy: 'Look for limits or filters in the configuration of the daemon, and apply again.',
  },
  instance_missing: {
    title: 'The BGP instance of the speaker is gone',
    when: 'Somebody removed the instance or view of the speaker from the daemon.',
    remedy: 'Apply again, which makes it again.',
  },
  listen_failed: {
    title: 'The speaker cannot listen',
    when: 'The address and port where the builtin speaker listens are in use, or the user may not use them.',
    remedy: 'Set `APP_BGP_LISTEN` to a free address of the machine.',
  },
  empty_result: {
    title: 'An entry that had prefixes now has none',
    when: 'A source, AS number or domain was read well and has no prefix any more. Its last good prefixes stay (`guard_empty_result`).',
    remedy:
      'Check the source. To withdraw the prefixes, disable or delete the entry, or set `can_be_empty` of its module.',
  },
  source_bad_headers: {
    title: 'The headers of a source cannot be read',
    when: 'The headers that are kept sealed for an entry or a DoH profile do not open with the secret key of the service, or are damaged. The source was not asked; its last good prefixes stay.',
    remedy: 'Write the headers again. If `APP_SECRET_KEY` was changed, give the service the former key back.',
  },
  source_dns_failure: {
    title: 'A resolver answered with an error',
    when: 'A resolver answered a question about a domain with an error, such as SERVFAIL. The addresses that the entry had stay.',
    remedy:
      'See `last_error` for the resolver and its answer. A DoH profile can be tried with a domain of your choice: in the console, or by its `test` in the API.',
  },
  source_no_resolver: {
    title: 'No resolver can be asked',
    when: 'The module of a domain has no enabled DoH profile, or fewer than its `quorum`. The addresses that the entry had stay.',
    remedy:
      'Create a profile, or enable one, and name it in `doh_profile_ids` of the module; or lower `quorum` in `doh_resolver_policy`.',
  },
  source_stale: {
    title: 'Prefixes are old',
    when: 'A warning of a revision: an entry was not read successfully for longer than `guard_stale_max_hours`.',
    remedy:
      'See `last_error` of the entry that the warning names. `guard_stale_action` decides whether such prefixes stay.',
  },
  unreadable_lines: {
    title: 'Lines of a source cannot be read',
    when: 'A warning of a revision: lines of a list are neither prefixes nor comments. Nothing is announced for them; the other lines count.',
    remedy:
      'See `rejected` of the entry that the warning names, and correct the source. `guard_max_rejected_percent` says from when on a list is refused as a whole.',
  },
} as const satisfies Readonly<Record<string, ResultCodeHelp>>;
