/** Why there is no PDF. `engine`: no Chromium works here; `closed`: the service is stopping; `failed`: a sentence says why. */
export class PrintFailure extends Error {
  override name = 'PrintFailure'
  constructor(
    readonly kind: 'engine' | 'closed' | 'failed',
    message: string,
  ) {
    super(message)
  }
}
