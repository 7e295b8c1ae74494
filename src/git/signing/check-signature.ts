/** Checks the SSH signature of a commit against a list of allowed signers, with `git verify-commit`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommitId } from '../../kernel/ids.js'
import { GitError } from '../errors.js'
import type { Launcher } from '../process/launcher.js'
import type { SignatureCheck } from '../history/types.js'

const TIMEOUT_MS = 20_000
const MAX_OUTPUT_BYTES = 64 * 1024
/** The line of `ssh-keygen` about a signature that fits the commit, with the fingerprint of its key. */
const GOOD = /^Good "git" signature (?:for \S+ )?with \S+ key (SHA256:[A-Za-z0-9+/]+)$/m

/**
 * Checks the SSH signature of a commit. The commit must be on the disk.
 * @param signers the list in the format of `gpg.ssh.allowedSignersFile`
 * @throws `GitError` if Git or `ssh-keygen` cannot do the check
 */
export async function checkSignature(
  { launcher, repository }: { launcher: Launcher; repository: string },
  commit: CommitId,
  signers: string,
): Promise<SignatureCheck> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-signers-'))
  try {
    const file = join(folder, 'allowed')
    await writeFile(file, signers, { mode: 0o600 })
    const settings = ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${file}`]
    const { code, stderr } = await launcher.run([...settings, 'verify-commit', '--raw', commit], {
      cwd: repository,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_OUTPUT_BYTES,
    })
    if (code !== 0 && (code !== 1 || stderr.includes('cannot run')))
      throw new GitError(`git verify-commit could not check ${commit}: ${stderr.trim().slice(0, 300)}`)
    const key = GOOD.exec(stderr)?.[1]
    return key === undefined ? { state: 'invalid' } : { state: code === 0 ? 'valid' : 'unknown-key', key }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
