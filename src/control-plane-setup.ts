/** What a program of another machine was set up with, once it needs it: where the control plane is, whom it believes, its token. */
import { readFileSync } from 'node:fs';
import {
  isSafe,
  type ControlPlaneConfig,
  type ControlPlaneVariables,
} from './config/control-plane-config.ts';
import { isEnrollmentTokenText } from './store/keys/api-key-secret.ts';
import { AgentFault } from './agent/agent-fault.ts';

/** How messages name the program. */
export interface Program {
  readonly variables: ControlPlaneVariables;
  readonly what: 'node' | 'host';
  /** Which request makes a token. */
  readonly tokenRequest: string;
}

/**
 * @param url where it has enrolled, or is to
 * @returns where the control plane answers, and the authorities in PEM; null: those of the system
 * @throws {AgentFault} `wrong_setup`
 */
export function controlPlaneOf(
  { variables, what }: Program,
  { caFile, allowHttp }: ControlPlaneConfig,
  url: string | null,
): { readonly url: string; readonly ca: string | null } {
  if (url === null)
    throw new AgentFault(
      'wrong_setup',
      `This ${what} has not enrolled. Set ${variables.controlUrl} to where the service answers, and ${variables.token} to an enrollment token.`,
    );
  if (!allowHttp && !isSafe(url))
    throw new AgentFault(
      'wrong_setup',
      `The ${what} has enrolled at ${url}, and http goes to this machine only. Set ${variables.controlUrl} to its https URL, or ${variables.allowHttp}=true on a network that nobody else is on.`,
    );
  return { url, ca: caFile === null ? null : readText(variables.caFile, caFile) };
}

/** @throws {AgentFault} `wrong_setup` when there is none, or it is damaged */
export function enrollmentTokenOf(
  { variables, what, tokenRequest }: Program,
  { token, tokenFile }: ControlPlaneConfig,
): string {
  const found = tokenFile === null ? token : readText(variables.tokenFile, tokenFile).trim();
  if (found === null)
    throw new AgentFault(
      'wrong_setup',
      `This ${what} has not enrolled. Set ${variables.token} or ${variables.tokenFile}; an operator makes a token with ${tokenRequest}.`,
    );
  if (isEnrollmentTokenText(found)) return found;
  throw new AgentFault(
    'wrong_setup',
    `${tokenFile} holds no enrollment token: its form or checksum is wrong.`,
  );
}

function readText(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { message } = error as Error;
    throw new AgentFault('wrong_setup', `${name}=${path} cannot be read: ${message}.`, { cause: error });
  }
}
