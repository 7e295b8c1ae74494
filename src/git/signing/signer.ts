/** Signs commits with the operator's key, in processes of `ssh-keygen` or `gpg`. */
import { required } from '../../kernel/defined.js'
import { Sequence } from '../../kernel/turns.js'
import { open } from 'node:fs/promises'
import { SigningFailed, UnusableKey } from '../errors.js'
import type { Launcher } from '../process/launcher.js'
import { hermeticEnvironment } from '../process/environment.js'
import { runGit } from '../remote/run.js'
import { gpgSigner } from './gpg-signer.js'
import type { RunSigning, Signer } from './types.js'

const TIMEOUT_MS = 30_000
/** Maximum number of concurrent signatures. Further ones wait. */
const AT_ONCE = 4
const HEAD_BYTES = 64

/**
 * Opens the key in a file: a private ssh key, or an exported secret GPG key, both without a passphrase. Makes a test
 * signature. Throws `UnusableKey` with the reason if the key cannot be used.
 * @param home a folder for `gpg` that nothing else uses; its path must be short
 */
export async function openSigner(launcher: Launcher, keyFile: string, home: string): Promise<Signer> {
  const run: RunSigning = async (program, args, { input, env = {} } = {}) => {
    const git = { launcher, env: { ...hermeticEnvironment('/nonexistent'), SSH_ASKPASS_REQUIRE: 'never', ...env } }
    const { code, stdout, stderr, ended } = await runGit(git, args, {
      program,
      timeoutMs: TIMEOUT_MS,
      ...(input ? { input } : {}),
    }).catch((cause: unknown) => {
      throw new SigningFailed(`${program} could not be started. Check that it is installed`, { cause })
    })
    if (ended !== null) throw new SigningFailed(`${program} did not end within ${TIMEOUT_MS / 1000} s`)
    if (code !== 0)
      throw new SigningFailed(
        `${program} failed: ${stderr.replace(/\s+/g, ' ').trim().slice(0, 300) || 'no reason given'}`,
      )
    return stdout
  }
  try {
    const signer = (await isPgp(keyFile)) ? await gpgSigner(run, keyFile, home) : sshSigner(run, keyFile)
    await signer.sign(Buffer.from('Bindery tries its key.\n'))
    return inTurns(signer)
  } catch (error) {
    if (!(error instanceof SigningFailed)) throw error
    throw new UnusableKey(
      `The key that signs commits cannot be used: ${error.message}. It must be a private ssh key or an exported secret GPG key, without a passphrase.`,
      {
        cause: error,
      },
    )
  }
}

async function isPgp(file: string): Promise<boolean> {
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('latin1', 0, bytesRead).includes('BEGIN PGP')
  } finally {
    await handle.close()
  }
}

/** Returns the same signer with a limit on concurrent processes. */
function inTurns(signer: Signer): Signer {
  const turns = Array.from({ length: AT_ONCE }, () => new Sequence())
  let next = 0
  return {
    sign: (content) => required(turns[next++ % AT_ONCE]).run(() => signer.sign(content)),
    close: () => signer.close(),
  }
}

/** Returns a signer with the key in a file. */
const sshSigner = (run: RunSigning, keyFile: string): Signer => ({
  async sign(content) {
    const signature = await run('ssh-keygen', ['-Y', 'sign', '-n', 'git', '-f', keyFile], { input: content })
    if (!signature.startsWith('-----BEGIN SSH SIGNATURE-----'))
      throw new SigningFailed('ssh-keygen printed no signature')
    return signature.trimEnd()
  },
  close: async () => {},
})
