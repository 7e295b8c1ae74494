/** The side of a screen, which becomes a drawer in narrow windows. */
import { words } from '../words/index.js'
import { Icon } from './icons.js'

/** Opens or closes the drawer that the side becomes in narrow windows. */
export function toggleSide(): void {
  const isOpen = document.body.dataset.side === 'open'
  document.body.dataset.side = isOpen ? '' : 'open'
}

/** Closes the drawer. */
export const closeSide = (): void => void (document.body.dataset.side = '')

/** The button that opens the side as a drawer. */
export const SideButton = () => (
  <button type="button" class="icb only-m" onClick={toggleSide} aria-label={words().common.navigation}>
    <Icon name="menu" />
  </button>
)
