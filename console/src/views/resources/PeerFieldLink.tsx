import { Link } from '@tanstack/react-router';
import { useMay } from '../../service/permissions.ts';
import { peerFieldIn } from '../../strings/remedies.ts';
import { peersText } from '../../strings/speakers.ts';

/** Leads to the field of a peer that a remedy names, with its form open; nothing where it names none. */
export function PeerFieldLink({ peerId, said }: { peerId: string; said: string | null }) {
  const may = useMay();
  const field = said === null ? null : peerFieldIn(said);
  if (field === null || !may('bgp:peers:write')) return null;
  return (
    <Link to="/peers/$peerId" params={{ peerId }} search={{ edit: field.name }}>
      {peersText.change(field.label)}
    </Link>
  );
}
