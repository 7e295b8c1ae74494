/** The icons of the interface. A page contains the symbol of each icon once, and its icons refer to it. */
import type { INTERFACE } from '../look/interface-icons.js'

/** An icon of the interface, or one of Font Awesome by its name. */
export type IconName = keyof typeof INTERFACE | `fa~${string}`

/** An icon of the interface. It is hidden from screen readers, so the element around it needs a text or a label. */
export const Icon = ({ name, flip = false }: { name: IconName; flip?: boolean }) => (
  <svg class={flip ? 'i flip' : 'i'} viewBox="0 0 20 20" aria-hidden="true">
    <use href={`#i-${name}`} />
  </svg>
)
