/** Files that connections to remotes may need; all optional. */
export interface RemoteIdentity {
  /** PEM bundle of certificate authorities for https, instead of the system's. */
  caFile?: string
  /** Private key for ssh; without one, ssh is not available. An absolute path without quotes, `%`, `$` and backslashes. */
  sshKeyFile?: string
  /** Known host keys for ssh, a path of the same form; without it, no host is known. */
  knownHostsFile?: string
}
