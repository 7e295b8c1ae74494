/** Signs with a GPG key, in a separate key ring that contains only this key. */
import { mkdir, rm } from 'node:fs/promises'
import { SigningFailed } from '../errors.js'
import type { RunSigning, Signer } from './types.js'

const BATCH = ['--batch', '--no-tty', '--pinentry-mode', 'loopback', '--passphrase', '']

/**
 * Returns a signer with an exported secret key. Recreates `home`: deletes the leftovers of a killed server, which also
 * ends the agent that it had started. Throws `SigningFailed`.
 */
export async function gpgSigner(run: RunSigning, keyFile: string, home: string): Promise<Signer> {
  const env = { GNUPGHOME: home, HOME: home }
  const close = async (): Promise<void> => {
    await run('gpgconf', ['--kill', 'all'], { env }).catch(() => {})
    await rm(home, { recursive: true, force: true })
  }
  await close()
  await mkdir(home, { mode: 0o700 })
  try {
    await run('gpg', [...BATCH, '--import', keyFile], { env })
    const keys = await run('gpg', [...BATCH, '--with-colons', '--list-secret-keys'], { env })
    const fingerprint = /^sec:[\s\S]*?^fpr:+([0-9A-F]{40,64}):/m.exec(keys)?.[1]
    if (fingerprint === undefined) throw new SigningFailed('the file does not contain a secret GPG key')
    return {
      async sign(content) {
        const signature = await run('gpg', [...BATCH, '--local-user', fingerprint, '--armor', '--detach-sign'], {
          env,
          input: content,
        })
        if (!signature.startsWith('-----BEGIN PGP SIGNATURE-----')) throw new SigningFailed('gpg printed no signature')
        return signature.trimEnd()
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
