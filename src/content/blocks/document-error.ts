/**
 * Thrown if a block tree is invalid or cannot be written as markdown. The message starts with the path of the invalid
 * value (`nodes/3/data/style`).
 */
export class DocumentError extends TypeError {
  override name = 'DocumentError'
}

/** Thrown if a block tree or its markdown exceeds a limit. The message starts with the path, too. */
export class DocumentTooLarge extends DocumentError {
  override name = 'DocumentTooLarge'
}
