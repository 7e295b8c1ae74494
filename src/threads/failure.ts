/**
 * Why a task has no result. `deadline`, `memory` and `result` (more bytes than allowed) are caused by the input and would happen
 * again; `busy` and `closed` are not. `error` is an error that the task itself threw; its name and message are kept.
 */
export type FailureKind = 'deadline' | 'memory' | 'result' | 'busy' | 'closed' | 'error'

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
