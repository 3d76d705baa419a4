/** The BGP peer of the demo: what a user's router would be. */
export interface Router {
  readonly title: string;
  readonly address: string;
  readonly port: number;
  readonly asn: number;
  /** Routes held now that carry `community` (`65000:100`); null: all routes. */
  count(community: string | null): Promise<number>;
  stop(): Promise<void>;
}

export interface RouterOptions {
  /** For its files. */
  readonly directory: string;
  readonly port: number;
  readonly asn: number;
  readonly speakerAsn: number;
}
