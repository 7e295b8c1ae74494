/** What a task is given: a text, or a file's bytes. */
export type Argument = string | Uint8Array

/** Named tasks, each from texts and files to bytes (or a text, handed back as UTF-8). The module of `PoolOptions.tasks` exports one as `tasks`. */
export type TaskTable = Readonly<Record<string, Task>>

/** Each knows which of its arguments are texts and which are files (a method's type, for that reason). */
type Task = { run(...args: Argument[]): string | Uint8Array }['run']

/** What a thread is started with. */
export interface ThreadData {
  /** URL of the module that exports `tasks`. */
  tasks: string
  maxAnswerBytes: number
}

/** To a thread. */
export interface Order {
  name: string
  args: readonly Argument[]
}

/** From a thread: first of all that it is ready, then one answer per order. */
export type Notice = { ready: true; cpuFile: string | null } | { bytes: Uint8Array } | { tooLarge: number } | { error: { name: string; message: string } }
