/** Files that connections to remotes may need. All are optional. */
export interface RemoteIdentity {
  /** PEM bundle of certificate authorities for https, replacing the system's. */
  caFile?: string
  /**
   * Private key for ssh; without it, ssh is not available. An absolute path without quotes, `%`, `$` and backslashes.
   */
  sshKeyFile?: string
  /** Known host keys for ssh, a path with the same restrictions. Without it, no host is known. */
  knownHostsFile?: string
}
