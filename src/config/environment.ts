/** Variables of the environment: each is read once, and a wrong value gives one line with its name, the value and what is allowed. */

/** Where a socket listens: a numeric address or host name, and a port (0: chosen by the system). */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(variable: string, value: string, allowed: string) {
    super(`${variable}=${JSON.stringify(value)} is not valid: ${allowed}`);
  }
}

/** Why a start cannot continue, in one line for the operator. */
export class StartFault extends Error {
  override readonly name = 'StartFault';
}

export type Environment = Readonly<Record<string, string | undefined>>;
export type Reader<T> = (value: string) => T | undefined;

/** An unset or empty variable takes the default; a value that `read` rejects (undefined) stops the start. */
export function variable<T>(
  env: Environment,
  name: string,
  fallback: T,
  allowed: string,
  read: Reader<T>,
): T {
  const value = env[name];
  if (value === undefined || value === '') return fallback;
  const result = read(value);
  if (result === undefined) throw new ConfigError(name, maskedValue(name, value), allowed);
  return result;
}

/** Only the length of a secret is shown. */
export function maskedValue(name: string, value: string): string {
  if (/KEY|SECRET|TOKEN$/.test(name)) return `(${value.length} characters)`;
  return name === 'DATABASE_URL' ? value.replace(/\/\/[^@/]*@/, '//***@') : value;
}

/** A variable with a fixed set of words. */
export function choice<T extends string>(
  env: Environment,
  name: string,
  fallback: NoInfer<T>,
  words: readonly T[],
): T {
  const allowed = words.length > 2 ? `one of ${words.join(', ')}` : words.join(' or ');
  return variable(env, name, fallback, allowed, (value) => words.find((word) => word === value));
}

export function readPort(value: string): number | undefined {
  return /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined;
}

export function readEndpoint(value: string): Endpoint | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]+)):(\d{1,5})$/.exec(value);
  const port = match?.[3] === undefined ? undefined : readPort(match[3]);
  const host = match?.[1] ?? match?.[2];
  return host === undefined || port === undefined ? undefined : { host, port };
}
