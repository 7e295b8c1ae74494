/** An argument of a task: a text, or the bytes of a file. */
export type Argument = string | Uint8Array

/**
 * Tasks by name. Each returns bytes, or a text that is sent as UTF-8. The module in `PoolOptions.tasks` exports such a
 * table as `tasks`.
 */
export type TaskTable = Readonly<Record<string, Task>>

/** Declared as a method, so that a task may declare which of its arguments are texts and which are files. */
type Task = { run(...args: Argument[]): string | Uint8Array | Promise<string | Uint8Array> }['run']

/** The start data of a thread. */
export interface ThreadData {
  /** The URL of the module that exports `tasks`. */
  tasks: string
  maxResultBytes: number
}

/** A message to a thread: the task to run. */
export interface TaskRequest {
  name: string
  args: readonly Argument[]
}

/** A message from a thread: first that it is ready, then one message per request. */
export type ThreadMessage =
  | { ready: true; cpuFile: string | null }
  | { bytes: Uint8Array }
  | { tooLarge: number }
  | { error: { name: string; message: string } }
