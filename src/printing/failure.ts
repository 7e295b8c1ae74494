/**
 * Thrown if printing fails. `engine`: no Chromium works on this machine; `closed`: the service is stopping; `failed`:
 * the message gives the reason.
 */
export class PrintFailure extends Error {
  override name = 'PrintFailure'
  constructor(
    readonly kind: 'engine' | 'closed' | 'failed',
    message: string,
  ) {
    super(message)
  }
}
