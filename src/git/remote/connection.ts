import { RemoteError } from '../errors.js'
import type { Remote } from '../types.js'
import { bounded, classify } from './classify.js'
import { remoteEnvironment } from './environment.js'
import type { RemoteIdentity } from './identity.js'
import type { PrivateNetworks } from '../../kernel/addresses.js'
import { allowedAddresses, type ResolveHost } from './hosts.js'
import { type GitRun, type GitRunOptions, runGit } from './run.js'
import { scrubber } from './scrub.js'
import { hostKeyRefusal } from './ssh.js'
import { parseRemoteUrl } from './url.js'

export interface RemoteOptions extends RemoteIdentity {
  /** Protocols that a remote may use: 'https', 'ssh', 'http', 'file'. */
  allowedProtocols: readonly string[]
  /** Whether hosts in private networks may be reached: true, or a list of CIDRs. */
  allowPrivateNetworks: PrivateNetworks
  /** Where names of hosts are looked up; default the system, which blocks threads meanwhile. */
  resolve?: ResolveHost
  /** Milliseconds for asking a remote's ref; 60 s unless given. */
  headTimeoutMs?: number
  /** Milliseconds for a push; 10 min unless given. */
  pushTimeoutMs?: number
}

/** A remote that has been checked, and how to run Git against it. */
export interface Connection {
  /** Without credentials; the only form that Git gets to see. */
  readonly url: string
  readonly env: Record<string, string>
  /** Takes the credential out of a text. */
  readonly scrub: (text: string) => string
  /** Runs Git with the credential at hand. Throws `RemoteError` 'timeout', 'unreachable' for an ssh host that is not the one that is known. */
  run(args: readonly string[], options: Omit<GitRunOptions, 'credential'>): Promise<GitRun>
  /** Why a run failed. */
  failure(run: GitRun): RemoteError
}

/** Checks a remote's URL and host. Throws `RemoteError` 'refused-url', 'unreachable'. */
export async function connect(remote: Remote, options: RemoteOptions): Promise<Connection> {
  const address = parseRemoteUrl(remote.url, options.allowedProtocols)
  const username = remote.username ?? address.username ?? ''
  const password = remote.password ?? address.password ?? ''
  if (/[\u0000-\u001f\u007f]/.test(username + password)) throw new RemoteError('unauthorized', 'The user name or password holds a control character.')
  const addresses = await allowedAddresses(address, options.allowPrivateNetworks, options.resolve)
  const env = remoteEnvironment(address, addresses, options)
  const scrub = scrubber({ username, password })
  const given = address.protocol.startsWith('http') && (username !== '' || password !== '')
  return {
    url: address.url,
    env,
    scrub,
    async run(args, runOptions) {
      const run = await runGit(args, { ...runOptions, ...(given ? { credential: `username=${username}\npassword=${password}\n` } : {}) })
      if (run.ended === 'timeout') {
        throw new RemoteError('timeout', `The remote did not finish within ${Math.ceil(runOptions.timeoutMs / 1000)} s; try again later.`)
      }
      const refusal = address.protocol === 'ssh' ? await hostKeyRefusal(run, address, addresses[0] ?? '', env) : null
      if (refusal) throw refusal
      return run
    },
    failure: (run) => classify(run.stderr, (text) => bounded(scrub(text))),
  }
}
