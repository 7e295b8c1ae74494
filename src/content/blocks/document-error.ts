/** A block tree is not valid, or cannot be written as markdown. The message begins with the path of what is wrong (`nodes/3/data/style`). */
export class DocumentError extends TypeError {
  override name = 'DocumentError'
}

/** A block tree, or its markdown, is beyond a limit. The message begins with the path, too. */
export class DocumentTooLarge extends DocumentError {
  override name = 'DocumentTooLarge'
}
