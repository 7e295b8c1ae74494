/** What signs commits, and how its programs are run. */
import type { Environment } from '../process/messages.js'

/** Makes signatures as Git keeps them in commits. */
export interface Signer {
  /** The armored signature of the content of a commit. Throws `SigningFailed`. */
  sign(content: Buffer): Promise<string>
  close(): Promise<void>
}

/** Runs a program that signs, with bounded time and output, and returns what it prints. Throws `SigningFailed` if it fails. */
export type RunSigning = (
  program: 'ssh-keygen' | 'gpg' | 'gpgconf',
  args: readonly string[],
  options?: { input?: Buffer; env?: Environment },
) => Promise<string>
