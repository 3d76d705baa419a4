/**
 * Names the owner of a speaker in a daemon, as a comment in the running configuration: a service finds what it left behind, and leaves
 * alone what belongs to another service.
 */
import { UUID } from '../api/shapes/uuid.ts';

const OWNER = new RegExp(`^service (${UUID}), speaker (${UUID})$`);

/** Null where no service is named, or its name is not an id: then the speaker has no owner. */
export function ownerText(serviceId: string | undefined, speakerId: string): string | null {
  const text = `service ${serviceId}, speaker ${speakerId}`;
  return OWNER.test(text) ? text : null;
}

/** The speaker that the text names, if it belongs to the service. */
export function speakerOf(text: string, serviceId: string): string | null {
  const [, service, speaker] = OWNER.exec(text) ?? [];
  return service === serviceId ? speaker! : null;
}
