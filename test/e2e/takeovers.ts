import pg from 'pg';
import type { Cluster } from './cluster.ts';

/** A speaker that another process took, by the clock of the database, in milliseconds. */
export interface Takeover {
  readonly from: string;
  readonly by: string;
  /** When its lease ran out that was not renewed any more, */
  readonly expired: number;
  /** and when the other process claimed it. */
  readonly claimed: number;
}

/** Notes each lease that goes from one process to another, in the database itself: a look from outside would come a renewal late. */
export class Takeovers {
  readonly #client: pg.Client;

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async watch(cluster: Cluster): Promise<Takeovers> {
    const host = cluster.server().socketDir;
    const client = new pg.Client({ host, port: 5432, user: 'postgres', database: 'prefixcast' });
    await client.connect();
    await client.query(`
      CREATE TABLE takeover (from_holder uuid, by_holder uuid, expired timestamptz, claimed timestamptz);
      CREATE FUNCTION note_takeover() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN
          INSERT INTO public.takeover VALUES (OLD.holder, NEW.holder, OLD.expires_at, clock_timestamp());
          RETURN NULL;
        END $$;
      CREATE TRIGGER note_takeover AFTER UPDATE ON prefixcast.speaker_lease
        FOR EACH ROW WHEN (OLD.holder <> NEW.holder) EXECUTE FUNCTION note_takeover();`);
    return new Takeovers(client);
  }

  /** The time of the database. */
  async now(): Promise<number> {
    const { rows } = await this.#client.query<{ now: Date }>('SELECT clock_timestamp() AS now');
    return rows[0]!.now.getTime();
  }

  async list(): Promise<Takeover[]> {
    const { rows } = await this.#client.query<
      Record<'from' | 'by', string> & Record<'expired' | 'claimed', Date>
    >('SELECT from_holder AS from, by_holder AS by, expired, claimed FROM takeover ORDER BY claimed');
    return rows.map(({ expired, claimed, ...holders }) => ({
      ...{ ...holders, expired: expired.getTime(), claimed: claimed.getTime() },
    }));
  }

  close(): Promise<void> {
    return this.#client.end();
  }
}
