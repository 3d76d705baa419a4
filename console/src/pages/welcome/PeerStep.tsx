import type { Speaker } from '../../service/queries.ts';
import { welcomeText } from '../../strings/welcome.ts';
import { CreateForm } from '../../views/forms/RecordDialog.tsx';
import { FIRST_PEER_FIELDS, REACH_FIELDS } from '../../views/forms/speaker-fields.ts';
import type { FormField } from '../../views/forms/RecordForm.tsx';

const SPEAKER_FIELDS: readonly FormField[] = [
  { name: 'name', label: welcomeText.speakerName, isRequired: true, initial: 'main' },
  { name: 'local_asn', label: welcomeText.speakerAsn, kind: 'number', isRequired: true },
];

const PEER_FIELDS = [...FIRST_PEER_FIELDS, ...REACH_FIELDS];

/** A router, and before it the speaker that calls it where the tenant has none. */
export function PeerStep({ speakers }: { speakers: readonly Speaker[] }) {
  // What is made is read again with everything else, and the step is done.
  const onDone = (): void => undefined;
  if (speakers.length > 0)
    return (
      <CreateForm
        key="peer"
        {...{ path: '/v1/peers', fields: PEER_FIELDS, action: welcomeText.addPeer, onDone }}
      />
    );
  return (
    <>
      <p className="muted">{welcomeText.speaker}</p>
      <CreateForm
        key="speaker"
        {...{ path: '/v1/speakers', fields: SPEAKER_FIELDS, action: welcomeText.makeSpeaker, onDone }}
        fixed={{ daemon: 'builtin', mode: 'local' }}
      />
    </>
  );
}
