/**
 * The reason why a task has no result. `deadline`, `memory` and `result` (more bytes than allowed) are caused by the
 * input and would occur again; `busy` and `closed` are not. `error` is an error that the task threw; its name and
 * message are preserved.
 */
export type FailureKind = 'deadline' | 'memory' | 'result' | 'busy' | 'closed' | 'error'

/** Thrown if a task has no result. */
export class TaskFailure extends Error {
  override name = 'TaskFailure'
  constructor(
    readonly kind: FailureKind,
    message: string,
    /** The name of the error that the task threw. */
    readonly thrown?: string,
  ) {
    super(message)
  }
}
