import type { LookupReason, NotAnnounced } from '../../api/lookup/lookup.ts';

/** In the order in which they were found, each once for an entry. */
export class Reasons {
  readonly items: NotAnnounced[] = [];
  readonly #address: string | null;

  constructor(address: string | null) {
    this.#address = address;
  }

  add(reason: LookupReason, found: Partial<NotAnnounced> & Pick<NotAnnounced, 'detail'>): void {
    const {
      detail,
      module = null,
      entry = null,
      revision_id = null,
      revision = null,
      speaker_ids = [],
      peer_ids = [],
    } = found;
    this.items.push({
      ...{
        reason,
        address: this.#address,
        module,
        entry,
        revision_id,
        revision,
        speaker_ids,
        peer_ids,
        detail,
      },
    });
  }
}
