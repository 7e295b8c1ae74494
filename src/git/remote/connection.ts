/** Prepares Git for work with a remote: checks URL and host, passes the credential, and explains failures. */
import ipaddr from 'ipaddr.js'
import type { CommitId } from '../../kernel/ids.js'
import { RemoteError } from '../errors.js'
import type { Launcher } from '../process/launcher.js'
import type { Environment } from '../process/messages.js'
import type { Remote } from '../types.js'
import { bounded, classify } from './classify.js'
import { remoteEnvironment } from './environment.js'
import { type HttpPlace, SmartHttp } from './http/smart-http.js'
import { ProtocolVersions } from './http/spoken-versions.js'
import type { RemoteIdentity } from './identity.js'
import type { PrivateNetworks } from '../../kernel/addresses.js'
import { awaitRemote } from '../../kernel/remote-wait.js'
import { allowedAddresses, type ResolveHost } from './hosts.js'
import type { KnownObjects } from './inspect-here.js'
import { openUnnamed } from './key-files.js'
import { type GitRun, type GitRunOptions, type GitSetting, runGit, withEnv } from './run.js'
import { scrubber } from './scrub.js'
import { hostKeyRefusal, sshArguments, sshCommand } from './ssh.js'
import type { RemoteAddress } from './address.js'
import { parseRemoteUrl, pathThere } from './url.js'

export interface RemoteOptions extends RemoteIdentity {
  /** Protocols that a remote may use: 'https', 'ssh', 'http', 'file'. */
  allowedProtocols: readonly string[]
  /** Whether hosts in private networks are allowed: true, or a list of CIDRs. */
  allowPrivateNetworks: PrivateNetworks
  /** Resolves host names. Default: the system's resolver, which blocks a thread. */
  resolve?: ResolveHost
  /** Time limit for reading a remote's ref in milliseconds; default 60 s. */
  headTimeoutMs?: number
  /** Time limit for a push in milliseconds; default 10 min. */
  pushTimeoutMs?: number
  /** Remembered protocol versions of remotes over HTTP. Default: none. */
  protocolVersions?: ProtocolVersions
}

/**
 * Checks the options once. The protocol versions of remotes are the only state: each operation checks the URL and
 * resolves its host again. Throws at once if a network of `allowPrivateNetworks` is not a CIDR.
 */
export function remoteOptions(given: RemoteOptions): RemoteOptions {
  for (const network of typeof given.allowPrivateNetworks === 'boolean' ? [] : given.allowPrivateNetworks) {
    if (!ipaddr.isValidCIDR(network)) throw new Error(`"${network}" is not a network such as 10.0.0.0/8`)
  }
  return { protocolVersions: new ProtocolVersions(), ...given }
}

/** The options of repositories that may not use any remote. */
export const NO_REMOTES: RemoteOptions = { allowedProtocols: [], allowPrivateNetworks: false }

/** The local bare repository, and the launcher of its Git processes. */
export interface LocalRepository {
  path: string
  launcher: Launcher
  /** Whether one commit is an ancestor of another. False if the repository does not have both. */
  isAncestor(ancestor: CommitId, descendant: CommitId): Promise<boolean>
  /**
   * Protects a pack, named without an extension, from a repack until refs name all of `heads`. Absent if no repack can
   * run.
   */
  protect?(pack: string, heads: readonly CommitId[]): Promise<void>
  /** The known objects, for checks without a Git process. If absent, Git does all checks. */
  known?: KnownObjects
}

/** A remote whose URL and host were checked, and the way to run Git against it. */
export interface Connection {
  /** The URL without credentials, the only form that Git gets. */
  readonly url: string
  readonly git: GitSetting
  /** Removes the credential from a text. */
  readonly scrub: (text: string) => string
  /**
   * Runs Git with additional variables. Git can read the credential. Throws `RemoteError` 'timeout', 'cancelled', and
   * 'unreachable' if the key of an ssh host does not match the known one.
   */
  run(args: readonly string[], options: Omit<GitRunOptions, 'credential'> & { env: Environment }): Promise<GitRun>
  /** Runs a shell command on the host of an ssh remote. Throws like `run`. */
  runThere(command: (path: string) => string, options: { timeoutMs: number }): Promise<GitRun>
  /**
   * Opens an HTTP session without a Git process. It ends after this number of milliseconds. Null: the remote does not
   * use HTTP.
   */
  openHttp(timeoutMs: number): HttpSession | null
  /** Explains why a run failed. */
  failure(run: GitRun): RemoteError
}

/** An HTTP session with a remote, until it is closed. */
export interface HttpSession {
  readonly http: SmartHttp
  /** Aborted when the time is over, or the operation was canceled. */
  readonly signal: AbortSignal
  /** Throws `RemoteError` 'timeout' or 'cancelled' if that ended the session. */
  requireOpen(): void
  close(): void
}

/** Checks a remote's URL and host. Throws `RemoteError` 'refused-url', 'unreachable'. */
export async function connect(remote: Remote, options: RemoteOptions, launcher: Launcher): Promise<Connection> {
  const address = parseRemoteUrl(remote.url, options.allowedProtocols)
  const username = remote.username ?? address.username ?? ''
  const password = remote.password ?? address.password ?? ''
  if (/[\u0000-\u001f\u007f]/.test(username + password))
    throw new RemoteError('unauthorized', 'The user name or password contains a control character.')
  const addresses = await awaitRemote(() => allowedAddresses(address, options.allowPrivateNetworks, options.resolve))
  const git = { launcher, env: remoteEnvironment(address, addresses, identityOf(remote, options)) }
  const scrub = scrubber({ username, password })
  const given = address.protocol.startsWith('http') && (username !== '' || password !== '')
  const ip = addresses[0] ?? ''
  const ended = async (run: GitRun, timeoutMs: number): Promise<GitRun> => {
    if (run.ended === 'timeout') throw late(timeoutMs)
    const refusal = address.protocol === 'ssh' ? await hostKeyRefusal(run, address, ip, launcher) : null
    if (refusal) throw refusal
    return run
  }
  return {
    url: address.url,
    git,
    scrub,
    async run(args, { env, ...runOptions }) {
      const credential = given ? { credential: `username=${username}\npassword=${password}\n` } : {}
      const started = () =>
        withOwnKey(remote, address, options, (own) => {
          const key: Environment = own ? { GIT_SSH_COMMAND: sshCommand(address, ip, own, own.knownHosts) } : {}
          return runUntilAborted(remote.signal, { ...runOptions, ...credential }, (all) =>
            runGit(withEnv(git, { ...env, ...key }), args, all),
          )
        })
      return ended(await awaitRemote(started), runOptions.timeoutMs)
    },
    async runThere(command, { timeoutMs }) {
      const started = () =>
        withOwnKey(remote, address, options, (own) => {
          const args = sshArguments(address, ip, own ?? options, command(pathThere(address)), own?.knownHosts)
          return runUntilAborted(remote.signal, { timeoutMs, program: 'ssh' }, (all) => runGit(git, args, all))
        })
      return ended(await awaitRemote(started), timeoutMs)
    },
    openHttp(timeoutMs) {
      if (!address.protocol.startsWith('http')) return null
      const credential = given ? { username, password } : null
      return openSession(
        {
          address,
          addresses,
          credential,
          caFile: options.caFile,
          protocolVersions: options.protocolVersions ?? new ProtocolVersions(),
        },
        remote.signal,
        timeoutMs,
      )
    },
    failure: (run) => classify(run.stderr, (text) => bounded(scrub(text))),
  }
}

const late = (timeoutMs: number): RemoteError =>
  new RemoteError('timeout', `The remote did not finish within ${Math.ceil(timeoutMs / 1000)} s. Try again later.`)
const cancelled = (): RemoteError => new RemoteError('cancelled', 'The operation was canceled.')

function openSession(place: Omit<HttpPlace, 'signal'>, given: AbortSignal | undefined, timeoutMs: number): HttpSession {
  const end = new AbortController()
  const http = new SmartHttp({ ...place, signal: end.signal })
  const abort = (): void => end.abort()
  given?.addEventListener('abort', abort)
  if (given?.aborted) abort()
  let isLate = false
  const timer = setTimeout(
    () => {
      isLate = true
      abort()
    },
    Math.max(1, timeoutMs),
  )
  return {
    http,
    signal: end.signal,
    requireOpen() {
      if (given?.aborted) throw cancelled()
      if (isLate) throw late(timeoutMs)
    },
    close() {
      clearTimeout(timer)
      given?.removeEventListener('abort', abort)
      http.close()
    },
  }
}

/**
 * Returns the identity for ssh. A remote with its own key does not use the server's key, so the server's key is never
 * offered for it.
 */
const identityOf = (remote: Remote, options: RemoteOptions): RemoteIdentity =>
  remote.ssh ? { ...options, sshKeyFile: '/dev/null' } : options

interface OwnKey {
  sshKeyFile: string
  knownHosts: readonly string[]
}

/** Runs work with the remote's own key and known hosts in files, if it has them. */
async function withOwnKey<T>(
  { ssh }: Remote,
  address: RemoteAddress,
  options: RemoteIdentity,
  work: (own: OwnKey | null) => Promise<T>,
): Promise<T> {
  if (!ssh || address.protocol !== 'ssh') return work(null)
  const key = await openUnnamed(ssh.privateKey)
  const hosts = ssh.knownHosts === undefined ? null : await openUnnamed(ssh.knownHosts)
  try {
    const knownHosts = [options.knownHostsFile, hosts?.path].filter((path) => path !== undefined)
    return await work({ sshKeyFile: key.path, knownHosts })
  } finally {
    await key.close()
    await hosts?.close()
  }
}

/** Runs Git, and ends it when `signal` is aborted. Throws `RemoteError` 'cancelled'. */
async function runUntilAborted(
  signal: AbortSignal | undefined,
  options: GitRunOptions,
  start: (options: GitRunOptions) => Promise<GitRun>,
): Promise<GitRun> {
  if (!signal) return start(options)
  if (signal.aborted) throw cancelled()
  let stop = (): void => {}
  const abort = (): void => stop()
  signal.addEventListener('abort', abort)
  try {
    const run = await start({
      ...options,
      onStart: (end) => {
        stop = end
        options.onStart?.(end)
        if (signal.aborted) end()
      },
    })
    if (signal.aborted) throw cancelled()
    return run
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
