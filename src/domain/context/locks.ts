/** The locks of spaces, as use cases see them. */
import type { Lease } from '../../kernel/lease.js'

/** Runs work with the same key one at a time, in this process or on all nodes that share the repositories. */
export interface Locks {
  /** Runs `work` once no other work runs under `key`. The lease is valid until `work` ends. */
  run<T>(key: string, work: (lease: Lease) => Promise<T>): Promise<T>
  /** Resolves when this process has no running or queued work. */
  idle(): Promise<void>
}
