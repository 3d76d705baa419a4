/**
 * Whose a speaker in a daemon is, as a comment in what the daemon runs: so that a service finds what it left behind, and leaves alone
 * what is another's.
 */

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const OWNER = new RegExp(`^service (${UUID}), speaker (${UUID})$`);

/** Null where no service is named, or by anything but an id: then the speaker is nobody's. */
export function ownerText(serviceId: string | undefined, speakerId: string): string | null {
  const text = `service ${serviceId}, speaker ${speakerId}`;
  return OWNER.test(text) ? text : null;
}

/** The speaker that the text names, if it is the service's. */
export function speakerOf(text: string, serviceId: string): string | null {
  const [, service, speaker] = OWNER.exec(text) ?? [];
  return service === serviceId ? speaker! : null;
}
