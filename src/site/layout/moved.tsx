/** The mark of a changed page in the page tree, and of a changed section in the outline. */
import type { Words } from '../words/index.js'

export const Moved = ({ words }: { words: Words }) => (
  <span class="moved">
    <span class="vh"> {words.preview.changed}</span>
  </span>
)
