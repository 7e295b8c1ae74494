/** Why a text is no condition, where (both from 1, as editors count), and what to do. */
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
