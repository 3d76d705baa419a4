import { Link } from '@tanstack/react-router';
import { overviewText } from '../../strings/overview.ts';

export const CANARIES = 'deploy_canary_speaker_ids';

export function ChooseCanaries() {
  return (
    <Link to="/settings" search={{ q: CANARIES }}>
      {overviewText.canaries}
    </Link>
  );
}
