/** How the reason begins why canaries failed that had no session: nothing is wrong with the revision, and nothing shows that it is right. */
export const NO_CANARY_SESSION =
  'No canary has a session that is up and holds all of its routes, so they show nothing.';
