/** Variables that a process gets besides those of the spawning process. */
export type Environment = Readonly<Record<string, string>>

/** What the server asks of the spawning process. `id` names one run. */
export type ToSpawner = { kind: 'spawn'; id: number; command: string; args: readonly string[]; cwd: string; env: Environment } | { kind: 'kill'; id: number }

/** What the spawning process reports. */
export type FromSpawner = { kind: 'started'; id: number; pid: number } | { kind: 'ended'; id: number; code: number | null; stderr: string; failure?: string }

/** The first bytes on a connection: the run's number, padded to this length. */
export const ID_BYTES = 12
