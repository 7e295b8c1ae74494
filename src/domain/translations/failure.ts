// The error of a failed translation run.
import type { TranslationProblemCode } from '../../model/index.js'

/** A run cannot continue. The message is a sentence for the users of the translation. */
export class RunFailure extends Error {
  override name = 'RunFailure'
  constructor(
    readonly code: TranslationProblemCode,
    message: string,
  ) {
    super(message)
  }
}
