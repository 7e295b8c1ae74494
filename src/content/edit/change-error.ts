/** Why a change of a batch cannot be made; the words are for the client. */
export class ChangeError extends Error {
  constructor(
    message: string,
    /** Member of the change concerned. */
    readonly member?: string,
    /** It is beyond a limit: 413, not 400. */
    readonly tooLarge = false,
  ) {
    super(message)
    this.name = 'ChangeError'
  }
}
