/** Thrown if a change of a batch cannot be applied. The message gives the reason to the client. */
export class ChangeError extends Error {
  constructor(
    message: string,
    /** The member of the change that caused the error. */
    readonly member?: string,
    /** Whether the change exceeds a limit, so that the status is 413 instead of 400. */
    readonly tooLarge = false,
  ) {
    super(message)
    this.name = 'ChangeError'
  }
}
