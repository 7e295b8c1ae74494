/** The signer of commits, and the function that runs its programs. */
import type { Environment } from '../process/messages.js'

/** Makes signatures in the format of Git commits. */
export interface Signer {
  /** Returns the armored signature of a commit's content. Throws `SigningFailed`. */
  sign(content: Buffer): Promise<string>
  close(): Promise<void>
}

/** Runs a signing program, with bounded time and output, and returns its output. Throws `SigningFailed` if it fails. */
export type RunSigning = (
  program: 'ssh-keygen' | 'gpg' | 'gpgconf',
  args: readonly string[],
  options?: { input?: Buffer; env?: Environment },
) => Promise<string>
