// The error of a translation that cannot be made.
import type { TranslationProblemCode } from '../../model/index.js'

/** A run cannot be done. The message is a sentence for those who see the translation. */
export class RunFailure extends Error {
  override name = 'RunFailure'
  constructor(
    readonly code: TranslationProblemCode,
    message: string,
  ) {
    super(message)
  }
}
