import { Link } from '@tanstack/react-router';
import { useMay } from '../../service/permissions.ts';
import { nodeText } from '../../strings/speakers.ts';

/** To the command that enrolls the node of a speaker, for keys that may make it. */
export function EnrollLink({ speakerId }: { speakerId: string }) {
  const may = useMay();
  if (!may('bgp:keys:write')) return null;
  return (
    <Link to="/nodes/new" search={{ speaker: speakerId }}>
      {nodeText.makeCommand}
    </Link>
  );
}
