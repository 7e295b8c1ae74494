/** A violated expectation. A shortened story must fail with the same `kind`. */
export class Fault extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(`${kind}: ${message}`)
  }
}
