/** A suggestion: the text that a reviewer proposes for a block, and the button that takes it over. */
import type { Comment } from './request.js'
import type { RequestView } from './request-frame.js'

/** Draws the suggestion of a comment, if it has one. */
export const Suggested = (_: { view: RequestView; comment: Comment }) => null
