/** The mark on changed pages in the page tree, and on changed sections in the outline. */
import type { Words } from '../words/index.js'

export const Moved = ({ words }: { words: Words }) => (
  <span class="moved">
    <span class="vh"> {words.preview.changed}</span>
  </span>
)
