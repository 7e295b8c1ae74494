/** Checks the signature of a commit against the keys of allowed signers, with `git verify-commit`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CommitId } from '../../kernel/ids.js'
import { GitError } from '../errors.js'
import type { Finished, Launcher } from '../process/launcher.js'
import type { AllowedKeys, SignatureCheck } from '../history/types.js'

const TIMEOUT_MS = 20_000
const MAX_OUTPUT_BYTES = 64 * 1024
/** The line of `ssh-keygen` about a signature that fits the commit, with the fingerprint of its key. */
const GOOD = /^Good "git" signature (?:for \S+ )?with \S+ key (SHA256:[A-Za-z0-9+/]+)$/m
/** The settings of `gpg`: it starts no other program, does not ask, and loads no keys. */
const GPG_SETTINGS = ['batch', 'no-tty', 'no-autostart', 'no-auto-key-retrieve', 'trust-model always', ''].join('\n')
/** The statuses of a signature, of which `gpg` prints one (DETAILS in its documentation). */
const RESULTS = new Set(['GOODSIG', 'EXPSIG', 'EXPKEYSIG', 'REVKEYSIG', 'BADSIG', 'ERRSIG'])
/** The last field of `ERRSIG`. */
const [UNSUPPORTED, NO_KEY] = ['4', '9']

/** Runs `git verify-commit --raw` with settings and variables. Throws `GitError` if it fails for another reason than the signature. */
type Verify = (settings: readonly string[], env?: Record<string, string>) => Promise<Pick<Finished, 'code' | 'stderr'>>

/**
 * Checks the signature of a commit, which must have the format of the keys. The commit must be on the disk.
 * @throws `GitError` if Git or `ssh-keygen` cannot do the check
 */
export async function checkSignature(
  { launcher, repository }: { launcher: Launcher; repository: string },
  commit: CommitId,
  allowed: AllowedKeys,
): Promise<SignatureCheck> {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-signers-'))
  const verify: Verify = async (settings, env = {}) => {
    const { code, stderr } = await launcher.run(
      [...settings.flatMap((one) => ['-c', one]), 'verify-commit', '--raw', commit],
      { cwd: repository, env, timeoutMs: TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES, yields: true },
    )
    if (code === 0 || (code === 1 && (allowed.format === 'openpgp' || !stderr.includes('cannot run'))))
      return { code, stderr }
    throw new GitError(`git verify-commit could not check ${commit}: ${stderr.trim().slice(0, 300)}`)
  }
  try {
    if (allowed.format === 'ssh') return await checkSsh(verify, folder, allowed.ssh)
    return await checkOpenPgp(verify, folder, allowed.keyring)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function checkSsh(verify: Verify, folder: string, signers: string): Promise<SignatureCheck> {
  const file = join(folder, 'allowed')
  await writeFile(file, signers, { mode: 0o600 })
  const { code, stderr } = await verify(['gpg.format=ssh', `gpg.ssh.allowedSignersFile=${file}`])
  const key = GOOD.exec(stderr)?.[1]
  return key === undefined ? { state: 'invalid' } : { state: code === 0 ? 'valid' : 'unknown-key', key }
}

async function checkOpenPgp(verify: Verify, home: string, keyring: Buffer): Promise<SignatureCheck> {
  await writeFile(join(home, 'gpg.conf'), GPG_SETTINGS, { mode: 0o600 })
  await writeFile(join(home, 'pubring.gpg'), keyring, { mode: 0o600 })
  const programs = ['gpg.program=gpg', 'gpg.openpgp.program=gpg']
  const { stderr } = await verify(programs, { GNUPGHOME: home, HOME: home })
  if (stderr.includes('cannot run')) return { state: 'not-checked' }
  const statuses = [...stderr.matchAll(/^\[GNUPG:\] ([A-Z_]+)(?: (.*))?$/gm)].map(([, name = '', rest = '']) => ({
    name,
    fields: rest.split(' '),
  }))
  const [result, ...others] = statuses.filter(({ name }) => RESULTS.has(name))
  // A commit has one signature.
  if (!result || others.length > 0 || result.name === 'BADSIG') return { state: 'invalid' }
  if (result.name === 'ERRSIG') {
    const reason = result.fields[5]
    return { state: reason === NO_KEY ? 'unknown-key' : reason === UNSUPPORTED ? 'not-checked' : 'invalid' }
  }
  const valid = statuses.find(({ name }) => name === 'VALIDSIG')?.fields
  const key = valid?.[9]
  if (!valid || key === undefined) return { state: 'invalid' }
  const expiries = statuses.filter(({ name }) => name === 'KEYEXPIRED').map(({ fields }) => Number(fields[0]))
  const wasInTime = result.name === 'EXPKEYSIG' && expiries.every((seconds) => Number(valid[2]) < seconds)
  return { state: result.name === 'GOODSIG' || wasInTime ? 'valid' : 'unknown-key', key }
}
