/** A change of a batch cannot be made. The message says why, in words for the client. */
export class ChangeError extends Error {
  constructor(
    message: string,
    /** The member of the change that is the reason. */
    readonly member?: string,
    /** Whether it is beyond a limit, so that the status is 413 instead of 400. */
    readonly tooLarge = false,
  ) {
    super(message)
    this.name = 'ChangeError'
  }
}
