/** Named tasks, each from texts to bytes (or a text, handed back as UTF-8). The module of `PoolOptions.tasks` exports one as `tasks`. */
export type TaskTable = Readonly<Record<string, (...args: string[]) => string | Uint8Array>>

/** What a thread is started with. */
export interface ThreadData {
  /** URL of the module that exports `tasks`. */
  tasks: string
  maxAnswerBytes: number
}

/** To a thread. */
export interface Order {
  name: string
  args: readonly string[]
}

/** From a thread: first of all that it is ready, then one answer per order. */
export type Notice = { ready: true; cpuFile: string | null } | { bytes: Uint8Array } | { tooLarge: number } | { error: { name: string; message: string } }
