/** Something that does not hold. `kind` is what a shortened story must fail with, too. */
export class Fault extends Error {
  constructor(
    readonly kind: string,
    message: string,
  ) {
    super(`${kind}: ${message}`)
  }
}
