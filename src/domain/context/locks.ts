/** The locks of spaces, as use cases see them. */
import type { Lease } from '../../kernel/lease.js'

/** Runs work with the same key one after the other: in this process, or on all nodes that share the repositories. */
export interface Locks {
  /** Runs `work` once it is alone under `key`. The lease is valid until `work` ends. */
  run<T>(key: string, work: (lease: Lease) => Promise<T>): Promise<T>
  /** Resolves when nothing of this process is running or queued. */
  idle(): Promise<void>
}
