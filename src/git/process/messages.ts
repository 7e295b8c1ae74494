// The messages between the server and the spawning process (launcher.ts, spawner.ts).

/** Variables of a process in addition to those of the spawning process. */
export type Environment = Readonly<Record<string, string>>

/**
 * The settings of a process that connects to a remote. The process is killed at once when the server or the spawning
 * process dies. Otherwise, a push that outlives its server could change the remote without the next server noticing.
 */
export interface Guard {
  /** The credential, which the process can read from descriptor 3. */
  credential?: string
  /** The maximum size of a file that the process may write. Beyond it, the kernel kills the process (SIGXFSZ). */
  maxFileBytes?: number
  /**
   * Maximum processor time in seconds. Beyond it, the kernel kills the process (SIGXCPU). Each of its child processes
   * has its own limit.
   */
  maxCpuSeconds?: number
}

/** A command to start. */
export interface Spawn {
  command: string
  args: readonly string[]
  cwd: string
  env: Environment
  guard?: Guard
  /** Whether the process has a lower priority than the service and other processes. */
  yields?: boolean
}

/** Requests from the server. `id` identifies a run. */
export type ToSpawner = ({ kind: 'spawn'; id: number } & Spawn) | { kind: 'kill'; id: number }

/** Reports from the spawning process. */
export type FromSpawner =
  | { kind: 'started'; id: number; pid: number }
  | { kind: 'ended'; id: number; code: number | null; stderr: string; signal?: NodeJS.Signals; failure?: string }

/** Number of bytes at the start of a connection for the run's number, which is padded to this length. */
export const ID_BYTES = 12
