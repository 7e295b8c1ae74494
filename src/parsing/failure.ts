/**
 * Why a task has no result. `deadline`, `memory` and `answer` (more bytes than are handed back) are the input's doing and will
 * be so again; `busy` and `closed` are not; `error` is what the task itself threw, with its name and message.
 */
export type FailureKind = 'deadline' | 'memory' | 'answer' | 'busy' | 'closed' | 'error'

/** A task that has no result. */
export class TaskFailure extends Error {
  override name = 'TaskFailure'
  constructor(
    readonly kind: FailureKind,
    message: string,
    /** Name of the error that the task threw. */
    readonly thrown?: string,
  ) {
    super(message)
  }
}
