/** Signs with a private ssh key, in the format that `ssh-keygen -Y verify` reads. */
import { SigningFailed } from '../errors.js'
import type { RunSigning, Signer } from './types.js'

/** Returns a signer with the key in a file. */
export const sshSigner = (run: RunSigning, keyFile: string): Signer => ({
  async sign(content) {
    const signature = await run('ssh-keygen', ['-Y', 'sign', '-n', 'git', '-f', keyFile], { input: content })
    if (!signature.startsWith('-----BEGIN SSH SIGNATURE-----'))
      throw new SigningFailed('ssh-keygen printed no signature')
    return signature.trimEnd()
  },
  close: async () => {},
})
