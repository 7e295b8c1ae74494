/** An invalid condition. The message states the problem and how to fix it, with line and column (both from 1). */
export class ConditionError extends Error {
  override name = 'ConditionError'
  constructor(
    readonly line: number,
    readonly column: number,
    /** Without the position. */
    readonly reason: string,
  ) {
    super(`line ${line}, column ${column}: ${reason}`)
  }
}
