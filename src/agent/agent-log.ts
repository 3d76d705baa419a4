/** The part of a pino logger that is used. */
export interface AgentLog {
  info(fields: object, text: string): void;
  warn(fields: object, text: string): void;
  error(fields: object, text: string): void;
}
