/** The colors of the app. The browser remembers them, because `early.ts` sets them before the first paint. */
const STORED = 'bindery-theme'

/** Sets the colors. `system` follows the system. */
export function setTheme(theme: 'system' | 'light' | 'dark'): void {
  const root = document.documentElement
  if (theme === 'system') {
    delete root.dataset.theme
    localStorage.removeItem(STORED)
  } else {
    root.dataset.theme = theme
    localStorage.setItem(STORED, theme)
  }
}

/** Returns the current color scheme. */
export const shownTheme = (): 'light' | 'dark' => {
  const { theme } = document.documentElement.dataset
  if (theme === 'light' || theme === 'dark') return theme
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}
