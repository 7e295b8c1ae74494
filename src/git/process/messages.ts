// The messages between the server and the spawning process (launcher.ts, spawner.ts).

/** Variables that a process gets in addition to those of the spawning process. */
export type Environment = Readonly<Record<string, string>>

/** Requests of the server. `id` names one run. */
export type ToSpawner = { kind: 'spawn'; id: number; command: string; args: readonly string[]; cwd: string; env: Environment } | { kind: 'kill'; id: number }

/** Reports of the spawning process. */
export type FromSpawner = { kind: 'started'; id: number; pid: number } | { kind: 'ended'; id: number; code: number | null; stderr: string; failure?: string }

/** The first bytes on a connection: the run's number, padded to this length. */
export const ID_BYTES = 12
