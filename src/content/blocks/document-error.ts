/** Why a block tree is none, or cannot be written; the message begins with the path of the node (`nodes/3/data/style`). */
export class DocumentError extends TypeError {
  override name = 'DocumentError'
}

/** A block tree, or what it would come to as markdown, beyond a limit; the message begins with the path too. */
export class DocumentTooLarge extends DocumentError {
  override name = 'DocumentTooLarge'
}
