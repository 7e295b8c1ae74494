/** Files of the service's own that remotes may need; all optional. */
export interface RemoteIdentity {
  /** PEM bundle of certificate authorities for https, instead of the system's. */
  caFile?: string
  /** Private key for ssh: without one, there is no ssh. An absolute path without quotes, `%`, `$` and backslashes. */
  sshKeyFile?: string
  /** Host keys for ssh, likewise: without them, no host is known. */
  knownHostsFile?: string
}
