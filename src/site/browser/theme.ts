/** The theme menu. `scheme.ts` applies the choice on the next pages before they are painted. */
import { onClick, store, stored } from './page.js'

const root = document.documentElement
const initial = root.dataset.scheme ?? 'system'

function show(scheme: string): void {
  if (scheme === 'light' || scheme === 'dark') root.dataset.scheme = scheme
  else delete root.dataset.scheme
  for (const button of document.querySelectorAll<HTMLElement>('[data-theme-set]'))
    button.setAttribute('aria-pressed', String(button.dataset.themeSet === scheme))
}

export function startTheme(): void {
  if (root.dataset.toggle === 'off') return
  show(stored('localStorage', 'scheme') ?? initial)
  onClick<HTMLElement>('[data-theme-set]', (button) => {
    const scheme = button.dataset.themeSet ?? 'system'
    show(scheme)
    store('localStorage', 'scheme', scheme)
    button.closest<HTMLElement>('[popover]')?.hidePopover?.()
  })
  // The theme was changed in another browser tab.
  addEventListener('storage', ({ key, newValue }) => {
    if (key === 'scheme') show(newValue ?? 'system')
  })
}
