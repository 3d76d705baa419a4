import { useQuery } from '@tanstack/react-query';
import { plannedQuery, type Write } from '../../service/writes.ts';
import { planText } from '../../strings/plan.ts';
import { Loaded } from '../page/Loaded.tsx';
import { Expired, Holds, Speakers } from './PlanView.tsx';

interface ConsequencesProps {
  readonly writes: readonly Write[];
  /** See {@link plannedQuery}. */
  readonly basis: string;
}

/** What is to be known of writes besides the difference that their window shows: what they bring back and hold, and who is sent what. */
export function Consequences({ writes, basis }: ConsequencesProps) {
  const plan = useQuery(plannedQuery(writes, basis));
  return (
    <Loaded query={plan} what={planText.computing}>
      {({ effect }) => (
        <div className="plan">
          <Expired effect={effect} />
          {effect.revision !== null && <Holds revision={effect.revision} />}
          {effect.speakers.length > 0 && <Speakers speakers={effect.speakers} />}
        </div>
      )}
    </Loaded>
  );
}
