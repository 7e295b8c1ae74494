// The messages between the server and the spawning process (launcher.ts, spawner.ts).

/** Variables that a process gets in addition to those of the spawning process. */
export type Environment = Readonly<Record<string, string>>

/**
 * What a process that talks to a remote gets. It is killed at once when the server or the spawning process dies: a push that
 * outlived its server would change the remote unnoticed by the next one.
 */
export interface Guard {
  /** Can be read from descriptor 3. */
  credential?: string
  /** The largest file that it may write; the kernel kills it (SIGXFSZ) at a larger one. */
  maxFileBytes?: number
  /** Processor time that it may use, in seconds; the kernel kills it (SIGXCPU) then. A process that it starts gets as much again. */
  maxCpuSeconds?: number
}

/** What is started, and where. */
export interface Spawn {
  command: string
  args: readonly string[]
  cwd: string
  env: Environment
  guard?: Guard
  /** Whether it gives way to the service and to other processes when the processors are busy. */
  yields?: boolean
}

/** Requests of the server. `id` names one run. */
export type ToSpawner = ({ kind: 'spawn'; id: number } & Spawn) | { kind: 'kill'; id: number }

/** Reports of the spawning process. */
export type FromSpawner =
  | { kind: 'started'; id: number; pid: number }
  | { kind: 'ended'; id: number; code: number | null; stderr: string; signal?: NodeJS.Signals; failure?: string }

/** The first bytes on a connection: the run's number, padded to this length. */
export const ID_BYTES = 12
