/** What drivers of daemons with one table of routes have alike in an apply. */
import { diffTables } from '../core/tables/diff.ts';
import { emptyTable } from '../core/tables/prefix-table.ts';
import { SpeakerError, type ApplyOutcome, type RoutesModel, type SpeakerModel } from './speaker.ts';

/** @throws {SpeakerError} before the driver has been given a model */
export function configured(model: SpeakerModel | null): SpeakerModel {
  if (model === null) throw new SpeakerError('speaker_failed', 'the speaker has not been configured yet');
  return model;
}

/** @param before what the driver had brought the daemon to; null: nothing since it began, whatever the daemon ran */
export function outcomeOfTables(before: RoutesModel | null, { table }: RoutesModel): ApplyOutcome {
  const { announced, withdrawn, changed } = diffTables(before?.table ?? emptyTable(), table);
  return { announced, withdrawn, changed };
}
